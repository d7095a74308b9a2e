package document

import (
	"strings"
)

// Example is a request whose body the document shows. A test sends the examples to a server in their order: each works
// as it is shown, with the ids of what the examples before it made.
type Example struct {
	Operation, Name, Summary string
	// Path fills the operation's path parameters, separated by blanks.
	Path string
	// Body is JSON. <boat> stands for the id of what an example made that has the result boat.
	Body string
	// Result names the id that the answer shows, if a later example needs it. result.field names another field of the
	// answer.
	Result string
	// Before is a request without a body that has to come first: a method and a path.
	Before string
}

// exampleIDs are the ids that the document shows for results.
var exampleIDs = strings.NewReplacer(
	"<tenant>", "0197f0c6-1000-7c31-8a5e-0d0c5f6b7a01",
	"<boat>", "0197f0c6-2000-7c31-8a5e-0d0c5f6b7a01",
	"<room>", "0197f0c6-2000-7c31-8a5e-0d0c5f6b7a02",
	"<tour>", "0197f0c6-3000-7c31-8a5e-0d0c5f6b7a01",
	"<hire>", "0197f0c6-3000-7c31-8a5e-0d0c5f6b7a02",
	"<nights>", "0197f0c6-3000-7c31-8a5e-0d0c5f6b7a03",
	"<ada>", "0197f0c6-4000-7c31-8a5e-0d0c5f6b7a01",
	"<double>", "0197f0c6-4000-7c31-8a5e-0d0c5f6b7a02",
	"<booking>", "0197f0c6-5000-7c31-8a5e-0d0c5f6b7a01",
	"<hold>", "0197f0c6-5000-7c31-8a5e-0d0c5f6b7a02",
	"<visit>", "0197f0c6-5000-7c31-8a5e-0d0c5f6b7a03",
	"<payment>", "0197f0c6-6000-7c31-8a5e-0d0c5f6b7a01",
	"<wallet>", "0197f0c6-7000-7c31-8a5e-0d0c5f6b7a01",
	"<voucher>", "0197f0c6-7000-7c31-8a5e-0d0c5f6b7a02",
	"<voucher.code>", "7Q2M-4KXR-9D0T-HC3V-B8NE",
)

// examplesOf returns the examples of an operation.
func examplesOf(id string) (found []Example) {
	for _, e := range Examples {
		if e.Operation == id {
			found = append(found, e)
		}
	}
	return found
}

// Examples is in the order in which the requests work.
var Examples = []Example{
	{Operation: "create-tenant", Name: "tenant", Summary: "A tenant that keeps its calendar in Berlin",
		Result: "tenant",
		Body:   `{"slug": "harbour", "name": "Harbour Tours", "time_zone": "Europe/Berlin", "currency": "EUR"}`},
	{Operation: "correct-tenant", Name: "name", Summary: "Another name", Path: "<tenant>",
		Body: `{"name": "Harbour Tours Berlin"}`},
	{Operation: "create-api-key", Name: "till", Summary: "A key that books and reads", Path: "<tenant>",
		Body: `{"name": "Till", "scopes": ["read", "book"]}`},

	// What is sold.
	{Operation: "change-tenant", Name: "reminders", Summary: "A reminder the evening before",
		Body: `{"reminders": [{"days_before": 1, "at": "18:00"}], "greetings": {"birthday": true}}`},
	{Operation: "change-tenant", Name: "owner-emails", Summary: "Receipts for customers, and emails to the office",
		Body: `{"payment_emails": {"succeeded": true, "refunded": true}, "owner_emails": [{"email": "office@harbour.example",
			"types": ["booking.confirmed", "booking.cancelled", "payment.succeeded"]}]}`},
	{Operation: "set-logo", Name: "logo", Summary: "A logo of one pixel",
		Body: `{"data": "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAADklEQVR4nGKKAQQAAP//AGIAX6XnDlEAAAAASUVORK5CYII="}`},
	{Operation: "set-tenant-hours", Name: "week", Summary: "Open on weekdays, longer in summer",
		Body: `{"weekly": [{"weekday": "monday", "opens": "09:00", "closes": "18:00"},
			{"weekday": "thursday", "opens": "09:00", "closes": "18:00"}],
			"seasons": [{"from": "06-01", "to": "08-31", "weekly": [{"weekday": "monday", "opens": "08:00", "closes": "20:00"},
			{"weekday": "thursday", "opens": "08:00", "closes": "20:00"}]}]}`},
	{Operation: "create-resource", Name: "boat", Summary: "A boat with twelve seats", Result: "boat",
		Body: `{"name": "Boat 1", "capacity": 12}`},
	{Operation: "create-resource", Name: "room", Summary: "A room that one guest can have at a time", Result: "room",
		Body: `{"name": "Cabin", "capacity": 1}`},
	{Operation: "change-resource", Name: "capacity", Summary: "More seats", Path: "<boat>", Body: `{"capacity": 14}`},
	{Operation: "set-hours", Name: "week", Summary: "Hours of its own on Thursdays", Path: "<boat>",
		Body: `{"weekly": [{"weekday": "thursday", "opens": "09:00", "closes": "18:00"}]}`},
	{Operation: "set-hours", Name: "always", Summary: "Always open, whatever the tenant's hours are", Path: "<room>",
		Body: `{"always_open": true}`},
	{Operation: "create-service", Name: "slot", Summary: "A tour of an hour that starts every half hour",
		Result: "tour",
		Body: `{"name": "Harbour tour", "kind": "slot", "resource_ids": ["<boat>"], "duration_minutes": 60,
			"slot_interval_minutes": 30, "buffer_after_minutes": 15, "price": 4500, "deposit": 1000, "price_per": "unit",
			"booking_window_days": 730}`},
	{Operation: "create-service", Name: "date", Summary: "A boat for a whole day", Result: "hire",
		Body: `{"name": "Boat for a day", "kind": "date", "occupies": "whole", "resource_ids": ["<boat>"], "price": 39000,
			"booking_window_days": 730}`},
	{Operation: "create-service", Name: "stay", Summary: "Nights in a room", Result: "nights",
		Body: `{"name": "Night aboard", "kind": "stay", "resource_ids": ["<room>"], "check_in": "15:00", "check_out": "10:00",
			"min_nights": 2,
			"price": 8900, "booking_window_days": 730}`},
	{Operation: "change-service", Name: "policy", Summary: "Free until two days before, then half the price",
		Path: "<tour>",
		Body: `{"cancellation_policy": {"steps": [{"from_minutes": 2880, "percent": 50}], "no_show": {"percent": 100}}}`},
	{Operation: "create-closure", Name: "christmas", Summary: "Nothing opens at Christmas", Result: "closure",
		Body: `{"from": "2027-12-24", "to": "2027-12-26", "reason": "Christmas"}`},
	{Operation: "change-closure", Name: "longer", Summary: "A day more", Path: "<closure>",
		Body: `{"to": "2027-12-27"}`},
	{Operation: "create-block", Name: "service", Summary: "A morning in the yard", Result: "block",
		Body: `{"resource_id": "<boat>", "starts_at": "2027-08-05T09:00:00+02:00", "ends_at": "2027-08-05T12:00:00+02:00",
			"reason": "Engine service"}`},
	{Operation: "change-block", Name: "longer", Summary: "It takes longer", Path: "<block>",
		Body: `{"ends_at": "2027-08-05T14:00:00+02:00"}`},
	{Operation: "unarchive-block", Name: "force", Summary: "Also if bookings stand in the way", Path: "<block>",
		Body:   `{"force": true}`,
		Before: "POST /v1/blocks/<block>/archive"},

	// Bookings.
	{Operation: "quote-booking", Name: "slot", Summary: "What two seats would cost",
		Body: `{"service_id": "<tour>", "starts_at": "2027-07-01T10:00:00+02:00", "party_size": 2}`},
	{Operation: "create-booking", Name: "slot", Summary: "Two seats at ten o'clock", Result: "booking",
		Body: `{"service_id": "<tour>", "starts_at": "2027-07-01T10:00:00+02:00", "party_size": 2,
			"customer": {"name": "Ada Lovelace", "email": "ada@example.com"}}`},
	{Operation: "create-booking", Name: "hold", Summary: "Keep a day for half an hour", Result: "hold",
		Body: `{"service_id": "<hire>", "date": "2027-07-08", "hold_minutes": 30}`},
	{Operation: "create-booking", Name: "stay", Summary: "Three nights", Result: "stay",
		Body: `{"service_id": "<nights>", "check_in": "2027-07-01", "check_out": "2027-07-04",
			"customer": {"name": "Grace Hopper", "email": "grace@example.com"}}`},
	{Operation: "extend-booking", Name: "half-an-hour", Summary: "Half an hour more", Path: "<hold>",
		Body: `{"hold_minutes": 30}`},
	{Operation: "confirm-booking", Name: "customer", Summary: "The customer comes with the confirmation",
		Path: "<hold>",
		Body: `{"customer": {"name": "Ada Lovelace", "email": "ada@example.com"}}`},
	{Operation: "reschedule-booking", Name: "later", Summary: "Two hours later", Path: "<booking>",
		Body: `{"starts_at": "2027-07-01T12:00:00+02:00"}`},
	{Operation: "update-booking", Name: "party", Summary: "A third seat, and your own name for it", Path: "<booking>",
		Body: `{"party_size": 3, "price": "quote", "reference": "Wedding Miller"}`},
	{Operation: "create-payment", Name: "deposit", Summary: "The deposit, by a method of the sandbox",
		Path: "<booking>", Result: "payment",
		Body: `{"kind": "deposit", "payment_method": "pm_ok"}`},
	{Operation: "create-payment", Name: "metadata", Summary: "An amount, with your own order number", Path: "<stay>",
		Body: `{"kind": "amount", "amount": 2000, "payment_method": "pm_ok", "metadata": {"order": "4711"}}`},
	{Operation: "create-payment", Name: "checkout", Summary: "What is due, on the provider's page", Path: "<stay>",
		Body: `{"kind": "balance", "checkout": {"return_url": "https://example.com/paid"}}`},
	{Operation: "create-hold", Name: "visitor", Summary: "A visitor of the website holds two seats", Result: "visit",
		Body: `{"service_id": "<tour>", "starts_at": "2027-07-15T10:00:00+02:00", "party_size": 2}`},
	{Operation: "pay-hold", Name: "deposit", Summary: "The deposit, by a method of the sandbox", Path: "<visit>",
		Body: `{"kind": "deposit", "payment_method": "pm_ok"}`},
	{Operation: "confirm-hold", Name: "customer", Summary: "The visitor says who books", Path: "<visit>",
		Body: `{"customer": {"name": "Ada Lovelace", "email": "ada@example.com"}}`},
	{Operation: "create-payment", Name: "cash", Summary: "What is due, which you have received in cash",
		Path: "<visit>", Result: "cash",
		Body: `{"kind": "balance", "offline": {"method": "cash", "note": "Taken by Ann, receipt 4711"}}`},
	{Operation: "create-refund", Name: "cash", Summary: "A part of it, which you have handed back", Path: "<cash>",
		Body: `{"amount": 500, "offline": {"note": "Handed back by Ann"}}`},
	{Operation: "complete-refund", Name: "transfer", Summary: "An open refund, which you have paid by bank transfer",
		Path: "<open>",
		Body: `{"method": "transfer", "note": "SEPA 17 of 3 July"}`},
	{Operation: "create-refund", Name: "part", Summary: "A part of it", Path: "<payment>", Body: `{"amount": 500}`},
	{Operation: "preview-email", Name: "confirmation", Summary: "The email of a confirmation",
		Body: `{"template": "booking.confirmed", "subject": "Welcome aboard", "text": "Hello {{customer_name}}"}`},
	{Operation: "cancel-booking", Name: "ill", Summary: "Without a fee, with a reason", Path: "<booking>",
		Body: `{"reason": "The customer is ill.", "fee": 0}`},
	{Operation: "no-show-booking", Name: "fee", Summary: "Nobody came, and nothing is charged", Path: "<stay>",
		Body: `{"fee": 0}`},

	// Customers and their credit.
	{Operation: "create-customer", Name: "customer", Summary: "A customer", Result: "ada",
		Body: `{"name": "Ada King", "email": "king@example.com", "phone": "+49 30 901820", "time_zone": "Europe/London"}`},
	{Operation: "create-customer", Name: "double", Summary: "The same person with another address", Result: "double",
		Body: `{"name": "Ada King", "email": "ada.king@example.com"}`},
	{Operation: "change-customer", Name: "birthday", Summary: "The birthday, for a greeting", Path: "<ada>",
		Body: `{"birthday": "1990-12-10"}`},
	{Operation: "merge-customer", Name: "double", Summary: "Two of the same person become one", Path: "<double>",
		Body: `{"into": "<ada>"}`},
	{Operation: "create-wallet", Name: "credit", Summary: "Credit of a customer", Result: "wallet",
		Body: `{"customer_id": "<ada>", "currency": "EUR"}`},
	{Operation: "create-wallet", Name: "gift-card", Summary: "A gift card: who has the code can spend it",
		Result: "voucher",
		Body:   `{"currency": "EUR"}`},
	{Operation: "credit-wallet", Name: "gift", Summary: "50 euros", Path: "<voucher>",
		Body: `{"amount": 5000, "reason": "Gift card"}`},
	{Operation: "look-up-wallet", Name: "code", Summary: "The wallet of a code", Body: `{"code": "<voucher.code>"}`},
	{Operation: "transfer", Name: "to-customer", Summary: "The gift card becomes the customer's credit",
		Body: `{"from": "<voucher>", "to": "<wallet>", "amount": 4000}`},
	{Operation: "debit-wallet", Name: "shop", Summary: "Spent in the shop", Path: "<wallet>", Body: `{"amount": 500,
		"reference": "receipt 4711"}`},
	{Operation: "hold-wallet", Name: "hold", Summary: "Kept for later", Path: "<wallet>", Body: `{"amount": 1000}`,
		Result: "first.entry.hold_id"},
	{Operation: "capture-wallet-hold", Name: "part", Summary: "A part of it is spent",
		Path: "<wallet> <first.entry.hold_id>",
		Body: `{"amount": 800}`},
	{Operation: "hold-wallet", Name: "another", Summary: "Kept, with a reference", Path: "<wallet>",
		Body: `{"amount": 1000, "reference": "tab 12"}`, Result: "second.entry.hold_id"},
	{Operation: "release-wallet-hold", Name: "release", Summary: "None of it is spent",
		Path: "<wallet> <second.entry.hold_id>",
		Body: `{"reason": "Nothing was ordered"}`},

	// Events.
	{Operation: "create-webhook-endpoint", Name: "bookings", Summary: "All events of bookings", Result: "endpoint",
		Body: `{"url": "https://example.com/webhooks", "types": ["booking.*", "payment.succeeded"]}`},
	{Operation: "create-operator-webhook-endpoint", Name: "payments", Summary: "All events of payments, of all tenants",
		Result: "hook",
		Body:   `{"url": "https://example.com/operator", "types": ["payment.*"]}`},
	{Operation: "change-operator-webhook-endpoint", Name: "all", Summary: "All events", Path: "<hook>",
		Body: `{"types": ["*"]}`},
	{Operation: "replay-operator-webhook-events", Name: "a-day", Summary: "What occurred in a day", Path: "<hook>",
		Body: `{"from": "2027-07-01T00:00:00Z", "to": "2027-07-02T00:00:00Z"}`},
	{Operation: "change-webhook-endpoint", Name: "all", Summary: "All events", Path: "<endpoint>",
		Body: `{"types": ["*"]}`},
	{Operation: "replay-webhook-events", Name: "a-day", Summary: "What occurred in a day", Path: "<endpoint>",
		Body: `{"from": "2027-07-01T00:00:00Z", "to": "2027-07-02T00:00:00Z"}`},

	// Keys, and what is no longer sold.
	{Operation: "create-own-api-key", Name: "shop", Summary: "A key of a web shop", Result: "key",
		Body: `{"name": "Shop", "scopes": ["read", "book", "money"]}`},
	{Operation: "change-own-api-key", Name: "scopes", Summary: "It may no longer take money", Path: "<key>",
		Body: `{"scopes": ["read", "book"]}`},
	{Operation: "rotate-own-api-key", Name: "overlap", Summary: "The old key works for another hour", Path: "<key>",
		Body: `{"overlap_minutes": 60}`},
	{Operation: "invite-user", Name: "staff", Summary: "Somebody at the desk", Result: "user",
		Body: `{"email": "grace@harbour-tours.example", "name": "Grace Hopper", "role": "staff"}`},
	{Operation: "change-user", Name: "role", Summary: "Another role", Path: "<user>", Body: `{"role": "owner"}`},
	{Operation: "archive-service", Name: "force", Summary: "Although there are bookings", Path: "<hire>",
		Body: `{"force": true}`},
	{Operation: "archive-resource", Name: "force", Summary: "Although there are bookings", Path: "<room>",
		Body: `{"force": true}`},
	{Operation: "create-payment-account", Name: "germany", Summary: "An account of a business in Germany",
		Body: `{"country": "DE"}`},
	{Operation: "create-onboarding-link", Name: "link", Summary: "The business goes there",
		Body: `{"return_url": "https://example.com/account", "refresh_url": "https://example.com/account/onboarding"}`},
	{Operation: "change-tenant-payment-account", Name: "fee", Summary: "The platform keeps 1.5 % of each payment",
		Path: "<tenant>",
		Body: `{"application_fee_basis_points": 150}`},
	{Operation: "suspend-tenant", Name: "reason", Summary: "With a reason for the operator's own list",
		Path: "<tenant>",
		Body: `{"reason": "Has not paid since May."}`},
}
