package httpapi_test

import (
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db/dbtest"
)

// plannedBookings make, change and end bookings and holds.
func plannedBookings() []planned {
	booking := func(service int, with ...object) func(testingT, crowdTenant) object {
		return func(t testingT, c crowdTenant) object { return c.slot(t, service, with...) }
	}
	return []planned{
		posts("create-booking", "create-booking", "/v1/bookings", booking(1)),
		posts("create-booking of a known customer", "create-booking", "/v1/bookings",
			booking(1, object{"customer": object{"name": "Ada", "email": "c7@example.com"}})),
		posts("create-booking of a service with a maximum a day", "create-booking", "/v1/bookings", booking(3)),
		posts("create-booking of a date", "create-booking", "/v1/bookings", func(t testingT, c crowdTenant) object {
			return bookingOf(planID(aService, 2, c.n), civil.DateOf(c.free(t)).AddDays(60))
		}),
		posts("create-booking of a stay", "create-booking", "/v1/bookings",
			func(_ testingT, c crowdTenant) object { return c.stay() }),
		posts("quote-booking of a stay", "quote-booking", "/v1/quotes", func(_ testingT, c crowdTenant) object {
			return object{"service_id": c.id(aService, 5), "check_in": c.today(1).String(),
				"check_out": c.today(15).String()}
		}),
		{name: "reschedule-booking of a stay", op: "reschedule-booking", send: func(t testingT, c crowdTenant) answer {
			path := "/v1/bookings/" + c.created(t, c.post(t, "/v1/bookings", c.stay())).String() + "/reschedule"
			c.plans.take(t)
			return c.post(t, path, object{"check_in": c.today(2).String()})
		}},
		posts("create-booking with names of its own", "create-booking", "/v1/bookings", func(t testingT,
			c crowdTenant) object {
			c.patch(t, "/v1/tenant", object{"unique_references": true})
			return c.slot(t, 1, object{"id": uuid.NewString(), "reference": uuid.NewString(),
				"external_reference": uuid.NewString()})
		}),
		posts("create-booking held", "create-booking", "/v1/bookings", booking(1, object{"hold_minutes": 10})),
		{name: "create-booking together", op: "create-booking", send: together},
		{name: "create-booking with cold caches", op: "create-booking", cold: true,
			send: posts("", "", "/v1/bookings", booking(1)).send},
		{name: "create-booking replayed", op: "create-booking", send: func(t testingT, c crowdTenant) answer {
			body, key := c.slot(t, 1), uuid.NewString()
			c.post(t, "/v1/bookings", body, "Idempotency-Key", key)
			c.plans.take(t)
			return c.post(t, "/v1/bookings", body, "Idempotency-Key", key)
		}},
		{name: "create-booking of what is taken", op: "create-booking", send: func(t testingT, c crowdTenant) answer {
			taken := c.slot(t, 1, object{"party_size": 10, "resource_id": c.id(aResource, 1)})
			c.created(t, c.post(t, "/v1/bookings", taken))
			c.plans.take(t)
			a := c.post(t, "/v1/bookings", taken)
			require.Equal(t, conflict, a.status, a.body)
			return a
		}},
		posts("quote-booking", "quote-booking", "/v1/quotes", func(t testingT, c crowdTenant) object {
			return object{"service_id": c.id(aService, 1), "starts_at": c.free(t).Format(time.RFC3339)}
		}),
		posts("quote-booking of a service with a maximum a day", "quote-booking", "/v1/quotes", func(t testingT,
			c crowdTenant) object {
			return object{"service_id": c.id(aService, 3), "starts_at": c.free(t).Format(time.RFC3339)}
		}),
		posts("quote-booking of a move", "quote-booking", "/v1/quotes", func(t testingT, c crowdTenant) object {
			return object{"booking_id": c.held(t), "starts_at": c.free(t).Format(time.RFC3339), "price": "quote"}
		}),
		changes("confirm-booking", "/v1/bookings/{id}/confirm", nil,
			func(c crowdTenant, t testingT) string { return c.held(t) }),
		{name: "confirm-booking of a hold that has expired", op: "confirm-booking", send: func(t testingT,
			c crowdTenant) answer {
			id := c.held(t)
			_, err := c.sql.Exec(t.Context(),
				"UPDATE bookings SET hold_expires_at = clock_timestamp() WHERE booking_id = $1", id)
			require.NoError(t, err)
			_, err = c.sql.Exec(t.Context(), dbtest.SyncClaims)
			require.NoError(t, err)
			c.plans.take(t)
			return c.post(t, "/v1/bookings/"+id+"/confirm",
				object{"customer": object{"name": "Ada", "email": "c7@example.com"}, "if_still_free": true})
		}},
		posts("create-hold", "create-hold", "/v1/holds", func(t testingT, c crowdTenant) object {
			return without(c.slot(t, 1, object{"hold_minutes": 10}), []any{"customer"})
		}),
		{name: "create-hold with an email of which so many may be open", op: "create-hold", send: func(t testingT,
			c crowdTenant) answer {
			c.limitVisitors(t, object{"open_holds_per_email": 100}).ok(t)
			website, hold := c.visitor(t), c.slot(t, 1, object{"hold_minutes": 10})
			hold["customer"] = object{"name": "Ada", "email": "c7@example.com"}
			c.plans.take(t)
			return website.post(t, "/v1/holds", hold)
		}},
		{name: "get-hold", op: "get-hold", send: func(t testingT, c crowdTenant) answer {
			path := "/v1/holds/" + c.visit(t)
			c.plans.take(t)
			return c.get(t, path)
		}},
		changes("confirm-hold", "/v1/holds/{id}/confirm",
			object{"customer": object{"name": "Ada", "email": "c7@example.com"}},
			crowdTenant.visit),
		changes("release-hold", "/v1/holds/{id}/release", nil, crowdTenant.visit),
		changes("pay-hold", "/v1/holds/{id}/payments", object{"kind": "balance", "payment_method": "pm_ok"},
			crowdTenant.visit),
		{name: "get-hold-payment", op: "get-hold-payment", send: func(t testingT, c crowdTenant) answer {
			path := "/v1/holds/" + c.visit(t) + "/payments"
			paid := c.post(t, path, object{"kind": "balance", "payment_method": "pm_ok"}).id(t)
			c.plans.take(t)
			return c.get(t, path+"/"+paid.String())
		}},
		changes("cancel-booking", "/v1/bookings/{id}/cancel", nil,
			func(c crowdTenant, t testingT) string { return c.held(t) }),
		{name: "reschedule-booking", op: "reschedule-booking", send: func(t testingT, c crowdTenant) answer {
			path := "/v1/bookings/" + c.held(t) + "/reschedule"
			to := object{"starts_at": c.free(t).Format(time.RFC3339), "price": "quote"}
			c.plans.take(t)
			return c.post(t, path, to)
		}},
		{name: "update-booking", op: "update-booking", send: func(t testingT, c crowdTenant) answer {
			path := "/v1/bookings/" + c.held(t)
			c.plans.take(t)
			return c.patch(t, path,
				object{"metadata": object{"n": 1}, "customer": object{"name": "Ada", "email": "c8@example.com"}})
		}},
		changes("extend-booking", "/v1/bookings/{id}/extend", object{"hold_minutes": 120},
			func(c crowdTenant, t testingT) string { return c.held(t) }),
		changes("complete-booking", "/v1/bookings/{id}/complete", nil, crowdTenant.begun),
		changes("no-show-booking", "/v1/bookings/{id}/no-show", nil, crowdTenant.begun),
		changes("create-payment", "/v1/bookings/{id}/payments", object{"kind": "balance", "payment_method": "pm_ok"},
			func(c crowdTenant, t testingT) string { return c.held(t) }),
		{name: "create-payment that confirms a hold", op: "create-payment", send: func(t testingT,
			c crowdTenant) answer {
			id := c.held(t)
			_, err := c.sql.Exec(t.Context(),
				"UPDATE bookings SET terms = '{\"confirm_on_deposit\": true}' WHERE booking_id = $1", id)
			require.NoError(t, err)
			c.plans.take(t)
			a := c.pay(t, uuid.MustParse(id), object{"kind": "balance", "payment_method": "pm_ok"})
			require.Equal(t, "confirmed", c.get(t, "/v1/bookings/"+id).field(t, "status"))
			return a
		}},
	}
}

// plannedPayments take and return money.
func plannedPayments() []planned {
	return []planned{
		reads("get-payment-options", "get-payment-options", func(crowdTenant) string { return "/v1/payment-options" }),
		reads("get-payment-account", "get-payment-account", func(crowdTenant) string { return "/v1/payment-account" }),
		posts("create-payment-account", "create-payment-account", "/v1/payment-account", func(testingT,
			crowdTenant) object {
			return object{"country": "DE"}
		}),
		posts("create-onboarding-link", "create-onboarding-link", "/v1/payment-account/onboarding-link",
			func(t testingT, c crowdTenant) object {
				c.post(t, "/v1/payment-account", nil)
				c.plans.take(t)
				return object{"return_url": "https://example.com/account", "refresh_url": "https://example.com/again"}
			}),
		{name: "read-tenant-payment-account", op: "read-tenant-payment-account", send: func(t testingT,
			c crowdTenant) answer {
			return c.admin().get(t, "/admin/v1/tenants/"+c.tenant.String()+"/payment-account")
		}},
		{name: "change-tenant-payment-account", op: "change-tenant-payment-account", send: func(t testingT,
			c crowdTenant) answer {
			return c.admin().patch(t, "/admin/v1/tenants/"+c.tenant.String()+"/payment-account",
				object{"account_id": nil, "application_fee_basis_points": 150})
		}},
		changes("create-refund", "/v1/payments/{id}/refunds", object{"amount": 10}, crowdTenant.paid),
		changes("create-payment offline", "/v1/bookings/{id}/payments", object{
			"kind": "amount", "amount": 10, "offline": object{"method": "cash", "note": "Taken by Ann"},
		}, func(c crowdTenant, t testingT) string { return c.held(t) }),
		changes("complete-refund", "/v1/payments/{id}/complete", object{"note": "Handed back by Ann"},
			crowdTenant.openRefund),
		{name: "refund-overpaid", op: "refund-overpaid", send: func(t testingT, c crowdTenant) answer {
			id := c.get(t, "/v1/payments/"+c.paid(t)).text(t, "booking_id")
			_, err := c.sql.Exec(t.Context(), "UPDATE bookings SET price = 1, deposit = 0 WHERE booking_id = $1", id)
			require.NoError(t, err)
			c.plans.take(t)
			return c.post(t, "/v1/bookings/"+id+"/refunds", nil)
		}},
		{name: "cancel-payment", op: "cancel-payment", send: func(t testingT, c crowdTenant) answer {
			open := c.pay(t, uuid.MustParse(c.held(t)),
				object{"kind": "balance", "payment_method": "pm_requires_action"})
			c.plans.take(t)
			return c.cancelPayment(t, open.id(t))
		}},
	}
}
