package httpapi

import (
	"encoding/json"
	"strings"

	"holdfast/internal/httpapi/document"
)

// example is a request whose body the document shows. A test sends the examples to a server in their order: each works
// as it is shown, with the ids of what the examples before it made.
type example struct {
	operation, name, summary string
	// path fills the operation's path parameters, separated by blanks.
	path string
	// body is JSON. <boat> stands for the id of what an example made that has the result boat.
	body string
	// result names the id that the answer shows, if a later example needs it. result.field names another field of the
	// answer.
	result string
	// before is a request without a body that has to come first: a method and a path.
	before string
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

// documentExamples returns the examples of each operation as the document shows them.
func documentExamples() map[string][]document.Example {
	all := make(map[string][]document.Example)
	for _, e := range examples {
		all[e.operation] = append(all[e.operation],
			document.Example{Name: e.name, Summary: e.summary, Body: json.RawMessage(exampleIDs.Replace(e.body))})
	}
	return all
}

// examples is in the order in which the requests work.
var examples = []example{
	{operation: "create-tenant", name: "tenant", summary: "A tenant that keeps its calendar in Berlin",
		result: "tenant",
		body:   `{"slug": "harbour", "name": "Harbour Tours", "time_zone": "Europe/Berlin", "currency": "EUR"}`},
	{operation: "correct-tenant", name: "name", summary: "Another name", path: "<tenant>",
		body: `{"name": "Harbour Tours Berlin"}`},
	{operation: "create-api-key", name: "till", summary: "A key that books and reads", path: "<tenant>",
		body: `{"name": "Till", "scopes": ["read", "book"]}`},

	// What is sold.
	{operation: "change-tenant", name: "reminders", summary: "A reminder the evening before",
		body: `{"reminders": [{"days_before": 1, "at": "18:00"}], "greetings": {"birthday": true}}`},
	{operation: "change-tenant", name: "owner-emails", summary: "Receipts for customers, and emails to the office",
		body: `{"payment_emails": {"succeeded": true, "refunded": true}, "owner_emails": [{"email": "office@harbour.example",
			"types": ["booking.confirmed", "booking.cancelled", "payment.succeeded"]}]}`},
	{operation: "set-logo", name: "logo", summary: "A logo of one pixel",
		body: `{"data": "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAADklEQVR4nGKKAQQAAP//AGIAX6XnDlEAAAAASUVORK5CYII="}`},
	{operation: "set-tenant-hours", name: "week", summary: "Open on weekdays, longer in summer",
		body: `{"weekly": [{"weekday": "monday", "opens": "09:00", "closes": "18:00"}, {"weekday": "thursday", "opens": "09:00",
			"closes": "18:00"}],
			"seasons": [{"from": "06-01", "to": "08-31", "weekly": [{"weekday": "monday", "opens": "08:00", "closes": "20:00"},
			{"weekday": "thursday", "opens": "08:00", "closes": "20:00"}]}]}`},
	{operation: "create-resource", name: "boat", summary: "A boat with twelve seats", result: "boat",
		body: `{"name": "Boat 1", "capacity": 12}`},
	{operation: "create-resource", name: "room", summary: "A room that one guest can have at a time", result: "room",
		body: `{"name": "Cabin", "capacity": 1}`},
	{operation: "change-resource", name: "capacity", summary: "More seats", path: "<boat>", body: `{"capacity": 14}`},
	{operation: "set-hours", name: "week", summary: "Hours of its own on Thursdays", path: "<boat>",
		body: `{"weekly": [{"weekday": "thursday", "opens": "09:00", "closes": "18:00"}]}`},
	{operation: "set-hours", name: "always", summary: "Always open, whatever the tenant's hours are", path: "<room>",
		body: `{"always_open": true}`},
	{operation: "create-service", name: "slot", summary: "A tour of an hour that starts every half hour",
		result: "tour",
		body: `{"name": "Harbour tour", "kind": "slot", "resource_ids": ["<boat>"], "duration_minutes": 60, "slot_interval_minutes": 30,
			"buffer_after_minutes": 15, "price": 4500, "deposit": 1000, "price_per": "unit", "booking_window_days": 730}`},
	{operation: "create-service", name: "date", summary: "A boat for a whole day", result: "hire",
		body: `{"name": "Boat for a day", "kind": "date", "occupies": "whole", "resource_ids": ["<boat>"], "price": 39000,
			"booking_window_days": 730}`},
	{operation: "create-service", name: "stay", summary: "Nights in a room", result: "nights",
		body: `{"name": "Night aboard", "kind": "stay", "resource_ids": ["<room>"], "check_in": "15:00", "check_out": "10:00",
			"min_nights": 2,
			"price": 8900, "booking_window_days": 730}`},
	{operation: "change-service", name: "policy", summary: "Free until two days before, then half the price",
		path: "<tour>",
		body: `{"cancellation_policy": {"steps": [{"from_minutes": 2880, "percent": 50}], "no_show": {"percent": 100}}}`},
	{operation: "create-closure", name: "christmas", summary: "Nothing opens at Christmas", result: "closure",
		body: `{"from": "2027-12-24", "to": "2027-12-26", "reason": "Christmas"}`},
	{operation: "change-closure", name: "longer", summary: "A day more", path: "<closure>",
		body: `{"to": "2027-12-27"}`},
	{operation: "create-block", name: "service", summary: "A morning in the yard", result: "block",
		body: `{"resource_id": "<boat>", "starts_at": "2027-08-05T09:00:00+02:00", "ends_at": "2027-08-05T12:00:00+02:00",
			"reason": "Engine service"}`},
	{operation: "change-block", name: "longer", summary: "It takes longer", path: "<block>",
		body: `{"ends_at": "2027-08-05T14:00:00+02:00"}`},
	{operation: "unarchive-block", name: "force", summary: "Also if bookings stand in the way", path: "<block>",
		body:   `{"force": true}`,
		before: "POST /v1/blocks/<block>/archive"},

	// Bookings.
	{operation: "quote-booking", name: "slot", summary: "What two seats would cost",
		body: `{"service_id": "<tour>", "starts_at": "2027-07-01T10:00:00+02:00", "party_size": 2}`},
	{operation: "create-booking", name: "slot", summary: "Two seats at ten o'clock", result: "booking",
		body: `{"service_id": "<tour>", "starts_at": "2027-07-01T10:00:00+02:00", "party_size": 2,
			"customer": {"name": "Ada Lovelace", "email": "ada@example.com"}}`},
	{operation: "create-booking", name: "hold", summary: "Keep a day for half an hour", result: "hold",
		body: `{"service_id": "<hire>", "date": "2027-07-08", "hold_minutes": 30}`},
	{operation: "create-booking", name: "stay", summary: "Three nights", result: "stay",
		body: `{"service_id": "<nights>", "check_in": "2027-07-01", "check_out": "2027-07-04",
			"customer": {"name": "Grace Hopper", "email": "grace@example.com"}}`},
	{operation: "extend-booking", name: "half-an-hour", summary: "Half an hour more", path: "<hold>",
		body: `{"hold_minutes": 30}`},
	{operation: "confirm-booking", name: "customer", summary: "The customer comes with the confirmation",
		path: "<hold>",
		body: `{"customer": {"name": "Ada Lovelace", "email": "ada@example.com"}}`},
	{operation: "reschedule-booking", name: "later", summary: "Two hours later", path: "<booking>",
		body: `{"starts_at": "2027-07-01T12:00:00+02:00"}`},
	{operation: "update-booking", name: "party", summary: "A third seat, and your own name for it", path: "<booking>",
		body: `{"party_size": 3, "price": "quote", "reference": "Wedding Miller"}`},
	{operation: "create-payment", name: "deposit", summary: "The deposit, by a method of the sandbox",
		path: "<booking>", result: "payment",
		body: `{"kind": "deposit", "payment_method": "pm_ok"}`},
	{operation: "create-payment", name: "metadata", summary: "An amount, with your own order number", path: "<stay>",
		body: `{"kind": "amount", "amount": 2000, "payment_method": "pm_ok", "metadata": {"order": "4711"}}`},
	{operation: "create-payment", name: "checkout", summary: "What is due, on the provider's page", path: "<stay>",
		body: `{"kind": "balance", "checkout": {"return_url": "https://example.com/paid"}}`},
	{operation: "create-hold", name: "visitor", summary: "A visitor of the website holds two seats", result: "visit",
		body: `{"service_id": "<tour>", "starts_at": "2027-07-15T10:00:00+02:00", "party_size": 2}`},
	{operation: "pay-hold", name: "deposit", summary: "The deposit, by a method of the sandbox", path: "<visit>",
		body: `{"kind": "deposit", "payment_method": "pm_ok"}`},
	{operation: "confirm-hold", name: "customer", summary: "The visitor says who books", path: "<visit>",
		body: `{"customer": {"name": "Ada Lovelace", "email": "ada@example.com"}}`},
	{operation: "create-payment", name: "cash", summary: "What is due, which you have received in cash",
		path: "<visit>", result: "cash",
		body: `{"kind": "balance", "offline": {"method": "cash", "note": "Taken by Ann, receipt 4711"}}`},
	{operation: "create-refund", name: "cash", summary: "A part of it, which you have handed back", path: "<cash>",
		body: `{"amount": 500, "offline": {"note": "Handed back by Ann"}}`},
	{operation: "complete-refund", name: "transfer", summary: "An open refund, which you have paid by bank transfer",
		path: "<open>",
		body: `{"method": "transfer", "note": "SEPA 17 of 3 July"}`},
	{operation: "create-refund", name: "part", summary: "A part of it", path: "<payment>", body: `{"amount": 500}`},
	{operation: "preview-email", name: "confirmation", summary: "The email of a confirmation",
		body: `{"template": "booking.confirmed", "subject": "Welcome aboard", "text": "Hello {{customer_name}}"}`},
	{operation: "cancel-booking", name: "ill", summary: "Without a fee, with a reason", path: "<booking>",
		body: `{"reason": "The customer is ill.", "fee": 0}`},
	{operation: "no-show-booking", name: "fee", summary: "Nobody came, and nothing is charged", path: "<stay>",
		body: `{"fee": 0}`},

	// Customers and their credit.
	{operation: "create-customer", name: "customer", summary: "A customer", result: "ada",
		body: `{"name": "Ada King", "email": "king@example.com", "phone": "+49 30 901820", "time_zone": "Europe/London"}`},
	{operation: "create-customer", name: "double", summary: "The same person with another address", result: "double",
		body: `{"name": "Ada King", "email": "ada.king@example.com"}`},
	{operation: "change-customer", name: "birthday", summary: "The birthday, for a greeting", path: "<ada>",
		body: `{"birthday": "1990-12-10"}`},
	{operation: "merge-customer", name: "double", summary: "Two of the same person become one", path: "<double>",
		body: `{"into": "<ada>"}`},
	{operation: "create-wallet", name: "credit", summary: "Credit of a customer", result: "wallet",
		body: `{"customer_id": "<ada>", "currency": "EUR"}`},
	{operation: "create-wallet", name: "gift-card", summary: "A gift card: who has the code can spend it",
		result: "voucher",
		body:   `{"currency": "EUR"}`},
	{operation: "credit-wallet", name: "gift", summary: "50 euros", path: "<voucher>",
		body: `{"amount": 5000, "reason": "Gift card"}`},
	{operation: "look-up-wallet", name: "code", summary: "The wallet of a code", body: `{"code": "<voucher.code>"}`},
	{operation: "transfer", name: "to-customer", summary: "The gift card becomes the customer's credit",
		body: `{"from": "<voucher>", "to": "<wallet>", "amount": 4000}`},
	{operation: "debit-wallet", name: "shop", summary: "Spent in the shop", path: "<wallet>", body: `{"amount": 500,
		"reference": "receipt 4711"}`},
	{operation: "hold-wallet", name: "hold", summary: "Kept for later", path: "<wallet>", body: `{"amount": 1000}`,
		result: "first.entry.hold_id"},
	{operation: "capture-wallet-hold", name: "part", summary: "A part of it is spent",
		path: "<wallet> <first.entry.hold_id>",
		body: `{"amount": 800}`},
	{operation: "hold-wallet", name: "another", summary: "Kept, with a reference", path: "<wallet>",
		body: `{"amount": 1000, "reference": "tab 12"}`, result: "second.entry.hold_id"},
	{operation: "release-wallet-hold", name: "release", summary: "None of it is spent",
		path: "<wallet> <second.entry.hold_id>",
		body: `{"reason": "Nothing was ordered"}`},

	// Events.
	{operation: "create-webhook-endpoint", name: "bookings", summary: "All events of bookings", result: "endpoint",
		body: `{"url": "https://example.com/webhooks", "types": ["booking.*", "payment.succeeded"]}`},
	{operation: "create-operator-webhook-endpoint", name: "payments", summary: "All events of payments, of all tenants",
		result: "hook",
		body:   `{"url": "https://example.com/operator", "types": ["payment.*"]}`},
	{operation: "change-operator-webhook-endpoint", name: "all", summary: "All events", path: "<hook>",
		body: `{"types": ["*"]}`},
	{operation: "replay-operator-webhook-events", name: "a-day", summary: "What occurred in a day", path: "<hook>",
		body: `{"from": "2027-07-01T00:00:00Z", "to": "2027-07-02T00:00:00Z"}`},
	{operation: "change-webhook-endpoint", name: "all", summary: "All events", path: "<endpoint>",
		body: `{"types": ["*"]}`},
	{operation: "replay-webhook-events", name: "a-day", summary: "What occurred in a day", path: "<endpoint>",
		body: `{"from": "2027-07-01T00:00:00Z", "to": "2027-07-02T00:00:00Z"}`},

	// Keys, and what is no longer sold.
	{operation: "create-own-api-key", name: "shop", summary: "A key of a web shop", result: "key",
		body: `{"name": "Shop", "scopes": ["read", "book", "money"]}`},
	{operation: "change-own-api-key", name: "scopes", summary: "It may no longer take money", path: "<key>", body: `{"scopes": ["read",
		"book"]}`},
	{operation: "rotate-own-api-key", name: "overlap", summary: "The old key works for another hour", path: "<key>",
		body: `{"overlap_minutes": 60}`},
	{operation: "invite-user", name: "staff", summary: "Somebody at the desk", result: "user",
		body: `{"email": "grace@harbour-tours.example", "name": "Grace Hopper", "role": "staff"}`},
	{operation: "change-user", name: "role", summary: "Another role", path: "<user>", body: `{"role": "owner"}`},
	{operation: "archive-service", name: "force", summary: "Although there are bookings", path: "<hire>",
		body: `{"force": true}`},
	{operation: "archive-resource", name: "force", summary: "Although there are bookings", path: "<room>",
		body: `{"force": true}`},
	{operation: "create-payment-account", name: "germany", summary: "An account of a business in Germany",
		body: `{"country": "DE"}`},
	{operation: "create-onboarding-link", name: "link", summary: "The business goes there",
		body: `{"return_url": "https://example.com/account", "refresh_url": "https://example.com/account/onboarding"}`},
	{operation: "change-tenant-payment-account", name: "fee", summary: "The platform keeps 1.5 % of each payment",
		path: "<tenant>",
		body: `{"application_fee_basis_points": 150}`},
	{operation: "suspend-tenant", name: "reason", summary: "With a reason for the operator's own list",
		path: "<tenant>",
		body: `{"reason": "Has not paid since May."}`},
}
