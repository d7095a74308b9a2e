package httpapi_test

import (
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/testtime"
)

// fixture is a tenant with one of everything.
type fixture struct {
	client
	resource, slots, dates, closure       uuid.UUID
	block                                 uuid.UUID
	booking, hold, customer, apiKey, user uuid.UUID
	other                                 uuid.UUID // another customer
	payment                               uuid.UUID // of the hold
	scheduled                             uuid.UUID // a dead event
	endpoint, delivery                    uuid.UUID
	// operatorEndpoint and operatorDelivery are the operator's webhook, of all tenants.
	operatorEndpoint, operatorDelivery uuid.UUID
	// wallet is the customer's and card has a code; both have credit. hold is of card.
	wallet, card, walletHold uuid.UUID
	code                     string
	neighbour                uuid.UUID // another tenant
	seller                   client    // a third one, without an account at the payment provider
	// visit is a visitor's hold, and visitPayment its payment.
	visit, visitPayment uuid.UUID
}

func newFixture(t testingT, c client) fixture {
	t.Helper()
	f := fixture{client: c}
	f.resource = c.newResource(t, 5)
	f.slots = c.newService(t, "slot", object{"price": 4500, "deposit": 1000}, f.resource)
	f.dates = c.newService(t, "date", nil, f.resource)
	f.closure = c.newClosure(t, nil, future(200), future(201))
	f.block = c.newBlock(t, f.resource, future(210), future(211))
	made := c.book(t, f.slots, at(future(0), 10, 0))
	f.booking = made.id(t)
	f.customer = uuid.MustParse(made.field(t, "customer").(object)["id"].(string))
	f.hold = c.book(t, f.slots, at(future(0), 12, 0), object{"hold_minutes": 10080}).id(t)
	f.other = c.created(t,
		c.post(t, "/v1/customers", object{"name": "Grace Hopper", "email": uuid.NewString() + "@example.com"}))
	f.payment = c.created(t, c.pay(t, f.hold, object{"kind": "deposit", "payment_method": "pm_ok"}))
	f.scheduled = c.schedule(t, scheduledEvent{status: "dead", due: testtime.Now()})
	f.endpoint, f.delivery = c.newWebhook(t)
	f.operatorEndpoint, f.operatorDelivery = c.admin().newWebhookAt(t, operatorHooks)
	f.wallet = c.created(t, c.post(t, "/v1/wallets", object{"customer_id": f.customer.String(), "currency": "EUR"}))
	card := c.post(t, "/v1/wallets", object{"currency": "EUR"})
	f.card, f.code = c.created(t, card), card.text(t, "code")
	for _, id := range []uuid.UUID{f.wallet, f.card} {
		require.Equal(t, http.StatusCreated, c.post(t, walletPath(id)+"/credits", object{"amount": 5000}).status)
	}
	held := c.post(t, walletPath(f.card)+"/holds", object{"amount": 1000})
	f.walletHold = uuid.MustParse(held.field(t, "entry").(object)["hold_id"].(string))
	f.apiKey = c.admin().post(t, "/admin/v1/tenants/"+c.tenant.String()+"/api-keys", nil).id(t)
	f.user = c.created(t,
		c.post(t, "/v1/users", object{"email": "ada@harbour.example", "name": "Ada", "role": "owner"}))
	f.neighbour = c.newTenant(t, "UTC").tenant
	f.seller = c.newTenant(t, "UTC")
	f.visit = c.created(t, c.post(t, "/v1/holds", object{
		"service_id": f.slots.String(), "starts_at": at(future(0), 16, 0).Format(time.RFC3339),
	}))
	f.visitPayment = c.created(t,
		c.post(t, f.visitPath()+"/payments", object{"kind": "deposit", "payment_method": "pm_ok"}))
	return f
}

// sample is a request that succeeds.
type sample struct {
	client       client
	method, path string
	body         object // nil for an operation without a body
}

// samples returns a request for every operation that changes something, with every field set, by operation id.
// It fails if there is an operation without one.
func (f fixture) samples(t testingT) map[string]sample {
	t.Helper()
	admin, tenant := f.admin(), "/admin/v1/tenants"
	hours := object{
		"weekly": []any{
			object{"weekday": "monday", "opens": "09:00", "closes": "12:00"},
			object{"weekday": "monday", "opens": "13:00", "closes": "24:00"},
		},
		"seasons": []any{object{"from": "06-01", "to": "08-31", "weekly": []any{
			object{"weekday": "monday", "opens": "08:00", "closes": "20:00"},
		}}},
		"overrides": []any{
			object{"date": future(300).String(), "closed": true},
			object{"date": future(301).String(), "closed": false, "opens": "10:00", "closes": "14:00"},
		},
	}
	booking := bookingOf(f.slots, at(future(1), 10, 0), object{
		"id": uuid.NewString(), "reference": "Wedding", "external_reference": "shop-4711",
		"resource_id": f.resource.String(), "party_size": 2, "hold_minutes": 30,
		"metadata": object{"table": 7, "tags": []any{"a"}},
		"customer": object{
			"name": "Ada Lovelace", "email": "ada@example.com", "phone": "+49 30 901820", "time_zone": "Europe/London",
			"birthday": "1990-12-10",
		},
	})
	policy := object{
		"steps":   []any{object{"from_minutes": 2880, "percent": 50}, object{"from_minutes": 1440, "amount": 2000}},
		"no_show": object{"percent": 100},
	}
	all := map[string]sample{
		"create-tenant": {admin, http.MethodPost, tenant, object{
			"slug": "t-" + uuid.NewString(), "name": "Harbour", "time_zone": "Europe/Berlin", "currency": "EUR",
		}},
		"create-api-key": {admin, http.MethodPost, tenant + "/" + f.tenant.String() + "/api-keys", object{
			"name": "Till", "scopes": []any{"read", "book"},
		}},
		"correct-tenant": {admin, http.MethodPatch, tenant + "/" + f.tenant.String(), object{
			"slug": "t-" + uuid.NewString(), "name": "Harbour", "time_zone": "Europe/Berlin", "currency": "EUR",
		}},
		"suspend-tenant": {admin, http.MethodPost, tenant + "/" + f.neighbour.String() + "/suspend",
			object{"reason": "Unpaid."}},
		"resume-tenant": {admin, http.MethodPost, tenant + "/" + f.neighbour.String() + "/resume", nil},
		"delete-tenant": {admin, http.MethodDelete,
			tenant + "/" + f.neighbour.String() + "?export_id=" + uuid.NewString(), nil},
		"invite-user": {f.client, http.MethodPost, "/v1/users", object{
			"email": uuid.NewString() + "@example.com", "name": "Grace", "role": "staff",
		}},
		"change-user": {f.client, http.MethodPatch, "/v1/users/" + f.user.String(),
			object{"name": "Ada", "role": "owner", "email": "ada@harbour.example"}},
		"remove-user": {f.client, http.MethodDelete, "/v1/users/" + f.user.String(), nil},
		"create-own-api-key": {f.client, http.MethodPost, "/v1/api-keys",
			object{"name": "Till", "scopes": []any{"read", "book"}}},
		"change-own-api-key": {f.client, http.MethodPatch, f.keyPath(),
			object{"name": "Till", "scopes": []any{"read", "book"}}},
		"rotate-own-api-key": {f.client, http.MethodPost, f.keyPath() + "/rotate", object{"overlap_minutes": 60}},
		"revoke-own-api-key": {f.client, http.MethodDelete, f.keyPath(), nil},
		"revoke-api-key": {admin, http.MethodDelete,
			tenant + "/" + f.tenant.String() + "/api-keys/" + f.apiKey.String(), nil},
		"create-resource": {f.client, http.MethodPost, "/v1/resources",
			object{"name": "Boat", "capacity": 3, "position": 1}},
		"set-hours":        {f.client, http.MethodPut, "/v1/resources/" + f.resource.String() + "/hours", hours},
		"set-tenant-hours": {f.client, http.MethodPut, "/v1/tenant/hours", hours},
		"change-resource": {f.client, http.MethodPatch, "/v1/resources/" + f.resource.String(),
			object{"name": "Boat", "capacity": 4, "position": 3, "force": true}},
		"archive-resource": {f.client, http.MethodPost, "/v1/resources/" + f.resource.String() + "/archive",
			object{"force": true}},
		"unarchive-resource": {f.client, http.MethodPost, "/v1/resources/" + f.resource.String() + "/unarchive", nil},
		"change-closure": {f.client, http.MethodPatch, "/v1/closures/" + f.closure.String(), object{
			"resource_id": f.resource.String(), "from": future(201).String(), "to": future(202).String(),
			"starts": "12:00",
			"ends":   "14:30", "yearly": true, "reason": "Winter",
		}},
		"change-service": {f.client, http.MethodPatch, "/v1/services/" + f.slots.String(), object{
			"name": "Tour", "resource_ids": []any{f.resource.String()}, "duration_minutes": 60,
			"slot_interval_minutes": 30, "buffer_before_minutes": 5, "buffer_after_minutes": 5, "min_lead_minutes": 10,
			"booking_window_days": 90, "max_per_day": 10, "price": 4500, "deposit": 1000,
			"metadata":  object{"a": object{"b": 1}},
			"reminders": []any{object{"before_minutes": 120}, object{"days_before": 1, "at": "18:00"}},
			"price_per": "booking", "deposit_percent": 0, "confirm_on_deposit": true, "cancellation_policy": policy,
			"unit_types": []any{},
			"rates": []any{object{"weekdays": []any{"monday"}, "from": "2027-06-01", "to": "2027-08-31", "price": 6000,
				"deposit": 1500}},
		}},
		"change-customer": {f.client, http.MethodPatch, "/v1/customers/" + f.customer.String(), object{
			"name": "Ada King", "email": "king@example.com", "phone": "+49 30 901820", "time_zone": "Europe/London",
			"birthday": "1990-12-10",
		}},
		"create-customer": {f.client, http.MethodPost, "/v1/customers", object{
			"name": "Ada King", "email": "other@example.com", "phone": "+49 30 901820", "time_zone": "Europe/London",
			"birthday": "1990-12-10",
		}},
		"merge-customer": {f.client, http.MethodPost, "/v1/customers/" + f.customer.String() + "/merge",
			object{"into": f.other.String()}},
		"erase-customer": {f.client, http.MethodPost, "/v1/customers/" + f.customer.String() + "/erase", nil},
		"archive-service": {f.client, http.MethodPost, "/v1/services/" + f.slots.String() + "/archive",
			object{"force": true}},
		"unarchive-service": {f.client, http.MethodPost, "/v1/services/" + f.slots.String() + "/unarchive", nil},
		"create-closure": {f.client, http.MethodPost, "/v1/closures", object{
			"resource_id": f.resource.String(), "from": future(100).String(), "to": future(101).String(),
			"starts": "12:00",
			"ends":   "14:30", "yearly": true, "reason": "Winter",
		}},
		"create-block": {f.client, http.MethodPost, "/v1/blocks", object{
			"resource_id": f.resource.String(), "starts_at": at(future(110), 9, 0).Format(time.RFC3339),
			"ends_at": at(future(110), 12, 0).Format(time.RFC3339), "rrule": "FREQ=WEEKLY;COUNT=2", "reason": "Paint",
			"force": true,
		}},
		"change-block": {f.client, http.MethodPatch, "/v1/blocks/" + f.block.String(), object{
			"resource_id": f.resource.String(), "from": future(211).String(), "to": future(212).String(),
			"rrule":  "FREQ=WEEKLY;COUNT=2",
			"reason": "Paint", "force": true,
		}},
		"archive-block": {f.client, http.MethodPost, "/v1/blocks/" + f.block.String() + "/archive", nil},
		"unarchive-block": {f.client, http.MethodPost, "/v1/blocks/" + f.block.String() + "/unarchive",
			object{"force": true}},
		"archive-closure":    {f.client, http.MethodPost, "/v1/closures/" + f.closure.String() + "/archive", nil},
		"unarchive-closure":  {f.client, http.MethodPost, "/v1/closures/" + f.closure.String() + "/unarchive", nil},
		"archive-customer":   {f.client, http.MethodPost, "/v1/customers/" + f.customer.String() + "/archive", nil},
		"unarchive-customer": {f.client, http.MethodPost, "/v1/customers/" + f.customer.String() + "/unarchive", nil},
		"create-service": {f.client, http.MethodPost, "/v1/services", object{
			"name": "Tour", "kind": "slot", "resource_ids": []any{f.resource.String()}, "duration_minutes": 60,
			"slot_interval_minutes": 30, "buffer_before_minutes": 5, "buffer_after_minutes": 5, "min_lead_minutes": 10,
			"booking_window_days": 90, "max_per_day": 10, "price": 4500, "deposit": 1000,
			"metadata":  object{"a": object{"b": 1}},
			"reminders": []any{object{"before_minutes": 120}, object{"days_before": 1, "at": "18:00"}},
			"price_per": "booking", "deposit_percent": 0, "confirm_on_deposit": true, "cancellation_policy": policy,
			"unit_types": []any{object{"key": "adult", "name": "Adult", "price": 2500, "counts": true}},
			"rates": []any{object{
				"weekdays": []any{"monday"}, "from": "2027-06-01", "to": "2027-08-31", "price": 6000, "deposit": 1500,
				"unit_prices": object{"adult": 3000},
			}},
		}},
		"set-logo":    {f.client, http.MethodPut, logoPath, object{"data": onePixel}},
		"remove-logo": {f.client, http.MethodDelete, logoPath, nil},
		"change-tenant": {f.client, http.MethodPatch, "/v1/tenant", object{
			"name": "Harbour", "reminders": []any{object{"before_minutes": 120},
				object{"days_before": 1, "at": "18:00"}},
			"balance_due": object{"days_before": 3, "at": "09:00"}, "follow_up_minutes": 60,
			"greetings":      object{"birthday": true, "anniversary": true},
			"payment_emails": object{"succeeded": true, "declined": true, "refunded": true},
			"owner_emails": []any{object{"email": "office@harbour.example",
				"types": []any{"booking.confirmed", "payment.declined"}}},
			"unique_references": false, "website": object{"origins": []any{"https://www.harbour.example"}},
			"email": object{
				"from": object{"name": "Harbour", "email": "booking@harbour.example"},
				"templates": []any{object{"template": "booking.confirmed", "subject": "Welcome",
					"text": "Hello {{customer_name}}",
					"html": "<p>Hello</p>"}},
			},
		}},
		"preview-email": {f.client, http.MethodPost, "/v1/tenant/email-preview", object{
			"template": "booking.confirmed", "subject": "Welcome", "text": "Hello {{customer_name}}",
			"html":       "<p>Hello</p>",
			"booking_id": f.booking.String(),
		}},
		"create-hold": {f.client, http.MethodPost, "/v1/holds", object{
			"service_id": f.slots.String(), "resource_id": f.resource.String(),
			"starts_at":  at(future(2), 10, 0).Format(time.RFC3339),
			"party_size": 2, "hold_minutes": 60, "customer": without(booking["customer"].(object), []any{"birthday"}),
		}},
		"confirm-hold": {f.client, http.MethodPost, f.visitPath() + "/confirm",
			object{"customer": without(booking["customer"].(object), []any{"birthday"})}},
		"release-hold": {f.client, http.MethodPost, f.visitPath() + "/release", nil},
		"pay-hold": {f.client, http.MethodPost, f.visitPath() + "/payments", object{
			"kind": "balance", "payment_method": "pm_ok",
		}},
		"create-booking": {f.client, http.MethodPost, "/v1/bookings", booking},
		"confirm-booking": {f.client, http.MethodPost, "/v1/bookings/" + f.hold.String() + "/confirm",
			object{"customer": booking["customer"], "if_still_free": true}},
		"cancel-booking": {f.client, http.MethodPost, "/v1/bookings/" + f.hold.String() + "/cancel",
			object{"reason": "The customer is ill.", "fee": 0}},
		"reschedule-booking": {f.client, http.MethodPost, "/v1/bookings/" + f.hold.String() + "/reschedule", object{
			"service_id": f.slots.String(), "resource_id": f.resource.String(), "any_resource": false,
			"starts_at":  at(future(1), 14, 0).Format(time.RFC3339),
			"party_size": 2, "price": "quote",
		}},
		"quote-booking": {f.client, http.MethodPost, "/v1/quotes", object{
			"booking_id": f.hold.String(), "service_id": f.slots.String(), "resource_id": f.resource.String(),
			"any_resource": false,
			"starts_at":    at(future(1), 14, 0).Format(time.RFC3339),
			"party_size":   2, "price": "quote",
		}},
		"update-booking": {f.client, http.MethodPatch, "/v1/bookings/" + f.hold.String(), object{
			"metadata": object{"table": 7, "tags": []any{"a"}}, "customer": booking["customer"], "reference": "Table 7",
			"external_reference": "shop-4711",
		}},
		"extend-booking": {f.client, http.MethodPost, "/v1/bookings/" + f.hold.String() + "/extend",
			object{"hold_minutes": 30}},
		"complete-booking": {f.client, http.MethodPost, "/v1/bookings/" + f.hold.String() + "/complete", nil},
		"no-show-booking": {f.client, http.MethodPost, "/v1/bookings/" + f.hold.String() + "/no-show",
			object{"fee": 0}},
		"create-payment": {f.client, http.MethodPost, "/v1/bookings/" + f.hold.String() + "/payments", object{
			"kind": "amount", "amount": 7, "payment_method": "pm_ok", "metadata": object{"order": "4711"},
		}},
		"create-payment-account": {f.seller, http.MethodPost, "/v1/payment-account", object{"country": "DE"}},
		"create-onboarding-link": {f.seller, http.MethodPost, "/v1/payment-account/onboarding-link", object{
			"return_url": "https://example.com/account", "refresh_url": "https://example.com/account/onboarding",
		}},
		"change-tenant-payment-account": {admin, http.MethodPatch,
			tenant + "/" + f.neighbour.String() + "/payment-account", object{
				"application_fee_basis_points": 150,
			}},
		"cancel-payment": {f.client, http.MethodPost, "/v1/payments/" + f.payment.String() + "/cancel", nil},
		"create-refund": {f.client, http.MethodPost, "/v1/payments/" + f.payment.String() + "/refunds",
			object{"amount": 7, "owed_again": true}},
		"complete-refund": {f.client, http.MethodPost, "/v1/payments/" + f.payment.String() + "/complete", object{
			"method": "cash", "note": "Handed back by Ann", "returned_at": "2026-07-01T10:00:00Z",
		}},
		"refund-overpaid": {f.client, http.MethodPost, "/v1/bookings/" + f.hold.String() + "/refunds", nil},
		"cancel-scheduled-event": {f.client, http.MethodPost,
			"/v1/scheduled-events/" + f.scheduled.String() + "/cancel", nil},
		"replay-scheduled-event": {f.client, http.MethodPost,
			"/v1/scheduled-events/" + f.scheduled.String() + "/replay", nil},
		"create-webhook-endpoint": {f.client, http.MethodPost, "/v1/webhook-endpoints", object{
			"url": "https://example.com/other", "types": []any{"payment.*"}, "description": "Other",
		}},
		"change-webhook-endpoint": {f.client, http.MethodPatch, f.webhookPath(), object{
			"url": "https://example.com/hooks", "types": []any{"*"}, "description": "Changed", "enabled": true,
		}},
		"delete-webhook-endpoint": {f.client, http.MethodDelete, f.webhookPath(), nil},
		"rotate-webhook-secret":   {f.client, http.MethodPost, f.webhookPath() + "/rotate-secret", nil},
		"ping-webhook-endpoint":   {f.client, http.MethodPost, f.webhookPath() + "/ping", nil},
		"replay-webhook-events": {f.client, http.MethodPost, f.webhookPath() + "/replay", object{
			"after": f.get(t, "/v1/events?after=latest").text(t, "next_cursor"), "from": "2026-07-01T00:00:00Z",
			"to": "2027-07-01T00:00:00Z",
		}},
		"create-operator-webhook-endpoint": {admin, http.MethodPost, operatorHooks, object{
			"url": "https://example.com/other", "types": []any{"payment.*"}, "description": "Other",
		}},
		"change-operator-webhook-endpoint": {admin, http.MethodPatch, f.operatorWebhookPath(), object{
			"url": "https://example.com/hooks", "types": []any{"*"}, "description": "Changed", "enabled": true,
		}},
		"delete-operator-webhook-endpoint": {admin, http.MethodDelete, f.operatorWebhookPath(), nil},
		"rotate-operator-webhook-secret":   {admin, http.MethodPost, f.operatorWebhookPath() + "/rotate-secret", nil},
		"ping-operator-webhook-endpoint":   {admin, http.MethodPost, f.operatorWebhookPath() + "/ping", nil},
		"replay-operator-webhook-events": {admin, http.MethodPost, f.operatorWebhookPath() + "/replay", object{
			"after": admin.get(t, "/admin/v1/events?after=latest").text(t, "next_cursor"),
			"from":  "2026-07-01T00:00:00Z",
			"to":    "2027-07-01T00:00:00Z",
		}},
		"create-wallet": {f.client, http.MethodPost, "/v1/wallets",
			object{"customer_id": f.customer.String(), "currency": "USD"}},
		"rotate-wallet-code": {f.client, http.MethodPost, walletPath(f.card) + "/rotate-code", nil},
		"look-up-wallet":     {f.client, http.MethodPost, "/v1/wallets/lookup", object{"code": f.code}},
		"credit-wallet": {f.client, http.MethodPost, walletPath(f.card) + "/credits", object{
			"amount": 7, "reason": "Goodwill", "reference": "ticket 4711", "expires_at": "2100-12-31T23:00:00Z",
		}},
		"debit-wallet": {f.client, http.MethodPost, walletPath(f.card) + "/debits",
			object{"amount": 7, "reason": "Coffee", "reference": "receipt 1"}},
		"hold-wallet": {f.client, http.MethodPost, walletPath(f.card) + "/holds",
			object{"amount": 7, "reason": "Coffee", "reference": "receipt 1"}},
		"capture-wallet-hold": {f.client, http.MethodPost, f.walletHoldPath() + "/capture",
			object{"amount": 7, "reason": "Coffee", "reference": "receipt 1"}},
		"release-wallet-hold": {f.client, http.MethodPost, f.walletHoldPath() + "/release",
			object{"reason": "Coffee", "reference": "receipt 1"}},
		"transfer": {f.client, http.MethodPost, "/v1/transfers", object{
			"from": f.card.String(), "to": f.wallet.String(), "amount": 7, "reason": "Move", "reference": "receipt 1",
		}},
		"replay-delivery": {f.client, http.MethodPost, "/v1/deliveries/" + f.delivery.String() + "/replay",
			nil},
		"replay-operator-delivery": {admin, http.MethodPost,
			operatorDeliveries + f.operatorDelivery.String() + "/replay", nil},
	}
	for _, op := range f.operations(t) {
		if op.method != http.MethodGet {
			require.Contains(t, all, op.id, "an operation without a sample request; add one")
			require.Equal(t, op.hasBody, all[op.id].body != nil, op.id)
		}
	}
	return all
}

// keyPath is where the tenant has its second API key.
func (f fixture) keyPath() string { return "/v1/api-keys/" + f.apiKey.String() }

// visitPath is where a visitor has the hold.
func (f fixture) visitPath() string { return "/v1/holds/" + f.visit.String() }

func walletPath(id uuid.UUID) string { return "/v1/wallets/" + id.String() }

func (f fixture) walletHoldPath() string {
	return walletPath(f.card) + "/holds/" + f.walletHold.String()
}
