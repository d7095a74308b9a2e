package httpapi_test

import (
	"context"
	"net/http"
	"strings"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/lock"
	"holdfast/internal/store/storetest"
	"holdfast/internal/testtime"
)

// planned is a request whose plans are checked. It is sent twice for each of some tenants, and the second time counts:
// caches are warm then. Where cold is set the first time counts.
type planned struct {
	name string
	op   string // of the OpenAPI document
	cold bool
	// reads says what the request reads all of, and so costs more the more there is. Empty for all but rare requests.
	reads string
	send  func(t testingT, c crowdTenant) answer
}

// reads is a request that only reads a path.
func reads(name, op string, path func(c crowdTenant) string) planned {
	return planned{name: name, op: op, send: func(t testingT, c crowdTenant) answer {
		t.Helper()
		return c.get(t, path(c))
	}}
}

// changes is a POST about a thing that thing makes.
func changes(op, path string, body object, thing func(c crowdTenant, t testingT) string) planned {
	return planned{name: op, op: op, send: func(t testingT, c crowdTenant) answer {
		t.Helper()
		path := strings.Replace(path, "{id}", thing(c, t), 1)
		c.plans.take(t)
		if body == nil {
			return c.post(t, path, nil)
		}
		return c.post(t, path, body)
	}}
}

// reading says what the request reads all of.
func (p planned) reading(all string) planned {
	p.reads = all
	return p
}

// posts is a POST that makes something.
func posts(name, op, path string, body func(t testingT, c crowdTenant) object) planned {
	return planned{name: name, op: op, send: func(t testingT, c crowdTenant) answer {
		t.Helper()
		b := body(t, c)
		c.plans.take(t)
		return c.post(t, path, b)
	}}
}

// fiveMinutes is a range of events that ended an hour ago.
func fiveMinutes() object {
	end := testtime.Now().Add(-time.Hour)
	return object{"from": end.Add(-5 * time.Minute), "to": end}
}

// operator is a request about a webhook endpoint of the operator, which is new.
func operator(method, op, path string, body any) planned {
	return planned{name: op, op: op, send: func(t testingT, c crowdTenant) answer {
		t.Helper()
		endpoint, delivery := c.admin().newWebhookAt(t, operatorHooks)
		c.plans.take(t)
		names := strings.NewReplacer("{endpoints}", operatorHooks,
			"{endpoint}", operatorHooks+"/"+endpoint.String(), "{delivery}", operatorDeliveries+delivery.String())
		return c.admin().send(t, method, names.Replace(path), body)
	}}
}

// together books eight hours of a date while somebody else holds its lock, so that they share a transaction.
func together(t testingT, c crowdTenant) (last answer) {
	t.Helper()
	const hours = 8
	day := civil.DateOf(c.free(t)).AddDays(90)
	for c.count(t, "SELECT count(*) FROM bookings WHERE tenant_id = $1 AND date = $2", c.tenant, day.String()) > 0 {
		day = day.AddDays(1)
	}
	keys, err := lock.Dates(c.tenant, lock.Date(day))
	require.NoError(t, err)
	tx, err := c.sql.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }()
	_, err = tx.Exec(t.Context(), "SELECT pg_advisory_xact_lock($1)", keys.Keys()[0].ID())
	require.NoError(t, err)
	c.plans.take(t)
	answers := make(chan answer, hours)
	for hour := range hours {
		body := bookingOf(planID(aService, 1, c.n), day.In(time.UTC).Add(time.Duration(hour)*time.Hour))
		go func() { answers <- c.post(t, "/v1/bookings", body) }()
	}
	require.Eventually(t, func() bool { return c.metrics(t)["holdfast_group_requests"] == hours }, soon, time.Millisecond)
	require.NoError(t, tx.Rollback(t.Context()))
	for range hours {
		last = <-answers
		c.created(t, last)
	}
	return last
}

// plannedRequests are every operation, in all forms that read differently.
func plannedRequests() []planned {
	blocked := 0 // dates, so long ago that no rules of a service know of the blocks, and between those of the loaded blocks
	booking := func(service int, with ...object) func(testingT, crowdTenant) object {
		return func(t testingT, c crowdTenant) object { return c.slot(t, service, with...) }
	}
	list := func(name, query string) planned {
		return reads("list-bookings "+name, "list-bookings", func(c crowdTenant) string {
			return "/v1/bookings?" + strings.NewReplacer(
				"{today}", c.today(0).String(), "{later}", c.today(2).String(), "{service}", c.id(aService, 1), "{unused}",
				c.id(aService, 2),
				"{resource}", c.id(aResource, 1), "{customer}", c.id(aCustomer, 7), "{nobody}", c.id(aCustomer, 1<<30),
			).Replace(query)
		})
	}
	available := func(name string, service, days int) planned {
		return reads("get-availability "+name, "get-availability", func(c crowdTenant) string {
			return availabilityPath(planID(aService, service, c.n), c.today(0), c.today(days))
		})
	}
	events := func(name, query string) planned {
		return reads("list-scheduled-events "+name, "list-scheduled-events", func(c crowdTenant) string {
			return "/v1/scheduled-events?" + strings.NewReplacer(
				"{booking}", c.id(aBooking, 7), "{customer}", c.id(aCustomer, 7), "{later}", c.today(2).String(),
			).Replace(query)
		})
	}
	payments := func(name, query string) planned {
		return reads("list-all-payments "+name, "list-all-payments", func(c crowdTenant) string {
			return "/v1/payments?" +
				strings.NewReplacer("{booking}", c.id(aBooking, c.bookings/5*5), "{today}", c.today(0).String(), "{yesterday}",
					c.today(-1).String()).Replace(query)
		})
	}
	last := func(c crowdTenant) string { return c.id(aBooking, c.bookings) }
	paid := func(c crowdTenant) string { return c.id(aPayment, c.bookings/5*5) }
	requests := []planned{
		list("all", ""), list("of two days", "from={today}&to={later}"), list("from today", "from={today}"),
		list("completed", "limit=5&status=completed"), list("cancelled", "limit=5&status=cancelled"), list("held", "limit=5&status=held"),
		list("expired", "limit=5&status=expired"), list("confirmed", "limit=5&status=confirmed"),
		list("of a service", "limit=5&service_id={service}"), list("of an unused service", "limit=5&service_id={unused}"),
		list("of a resource", "limit=5&resource_id={resource}"),
		list("of a customer", "limit=5&customer_id={customer}"), list("of nobody", "limit=5&customer_id={nobody}"),
		list("of a customer from today", "customer_id={customer}&from={today}"), list("held from today", "status=held&from={today}"),
		list("held of a service", "limit=5&status=held&service_id={service}"),
		list("held of a resource", "limit=5&status=held&resource_id={resource}"),
		list("of a service from today", "service_id={service}&from={today}"),
		list("of a service and a resource", "limit=5&service_id={service}&resource_id={resource}"),
		list("of an email", "limit=5&email=c7@example.com"), list("of nobody's email", "email=nobody@example.com"),
		list("of a reference", "reference=r7"), list("of a common reference", "limit=5&reference=common"),
		list("of no reference", "reference=none"),
		list("of an external reference", "external_reference=x7"), list("of a code", "code=bbbb-bbbb"),
		list("of no code", "code=cccc-cccc"),
		list("with a deposit paid", "limit=5&payment_state=deposit_paid&to={today}"),
		reads("list-bookings next page", "list-bookings", func(c crowdTenant) string { return "/v1/bookings?limit=20&cursor=" + c.cursor }),
		reads("get-booking-link", "get-booking-link", func(c crowdTenant) string { return "/v1/bookings/" + last(c) + "/link" }),
		reads("get-booking", "get-booking", func(c crowdTenant) string { return "/v1/bookings/" + last(c) }),
		reads("list-booking-history", "list-booking-history", func(c crowdTenant) string { return "/v1/bookings/" + last(c) + "/history" }),
		reads("list-resource-history", "list-resource-history",
			func(c crowdTenant) string { return "/v1/resources/" + c.id(aResource, 1) + "/history" }),
		reads("list-service-history", "list-service-history",
			func(c crowdTenant) string { return "/v1/services/" + c.id(aService, 1) + "/history" }),
		reads("get-balance", "get-balance", func(c crowdTenant) string { return "/v1/bookings/" + last(c) + "/balance" }),
		reads("get-cancellation-quote", "get-cancellation-quote",
			func(c crowdTenant) string { return "/v1/bookings/" + last(c) + "/cancellation-quote" }),
		reads("list-payments", "list-payments", func(c crowdTenant) string { return "/v1/bookings/" + last(c) + "/payments" }),
		payments("all", "limit=5"), payments("of two days", "limit=5&from={yesterday}&to={today}"), payments("refunds", "kind=refund"),
		payments("deposits", "limit=5&kind=deposit"),
		payments("declined", "status=declined"), payments("of a booking", "booking_id={booking}"),
		payments("in cash", "limit=5&method=cash"),
		reads("sum-offline-payments", "sum-offline-payments", func(crowdTenant) string {
			return "/v1/payments/offline?from=2026-01-01&to=2026-01-31"
		}),
		planned{name: "reconcile", op: "reconcile", send: func(t testingT, c crowdTenant) answer {
			return c.get(t, "/v1/reconciliation?from="+c.today(0).String()+"&to="+c.today(0).String())
		}}.reading("the tenant's payments of the dates"),
		payments("deposits that succeeded", "limit=5&kind=deposit&status=succeeded"),
		reads("list-all-payments-csv", "list-all-payments-csv", func(crowdTenant) string { return "/v1/payments.csv?limit=5" }),
		reads("get-payment", "get-payment", func(c crowdTenant) string { return "/v1/payments/" + paid(c) }),
		reads("get-receipt", "get-receipt", func(c crowdTenant) string { return "/v1/payments/" + paid(c) + "/receipt" }),
		reads("get-receipt-pdf", "get-receipt-pdf", func(c crowdTenant) string { return "/v1/payments/" + paid(c) + "/receipt.pdf" }),
		reads("get-customer", "get-customer", func(c crowdTenant) string { return "/v1/customers/" + c.id(aCustomer, 7) }),
		reads("list-customers", "list-customers", func(crowdTenant) string { return "/v1/customers?limit=5" }),
		reads("list-customers by email", "list-customers", func(crowdTenant) string { return "/v1/customers?email=C7@example.com" }),
		reads("list-customers by text", "list-customers", func(crowdTenant) string { return "/v1/customers?limit=5&q=c7@" }),
		reads("list-customer-history", "list-customer-history",
			func(c crowdTenant) string { return "/v1/customers/" + c.id(aCustomer, 7) + "/history" }),
		reads("get-resource", "get-resource", func(c crowdTenant) string { return "/v1/resources/" + c.id(aResource, 1) }),
		reads("list-resources", "list-resources", func(crowdTenant) string { return "/v1/resources" }),
		reads("list-resources by name", "list-resources", func(crowdTenant) string { return "/v1/resources?name=boat" }),
		reads("list-resources by position", "list-resources", func(crowdTenant) string { return "/v1/resources?order=position" }),
		reads("get-service", "get-service", func(c crowdTenant) string { return "/v1/services/" + c.id(aService, 1) }),
		reads("list-services", "list-services", func(crowdTenant) string { return "/v1/services" }),
		reads("list-services by name", "list-services", func(crowdTenant) string { return "/v1/services?name=tour" }),
		reads("get-closure", "get-closure", func(c crowdTenant) string { return "/v1/closures/" + c.id(aClosure, 1) }),
		reads("list-closures", "list-closures", func(crowdTenant) string { return "/v1/closures?limit=1" }),
		reads("get-block", "get-block", func(c crowdTenant) string { return "/v1/blocks/" + c.id(aBlock, 1) }),
		reads("list-blocks", "list-blocks", func(crowdTenant) string { return "/v1/blocks?limit=1" }),
		reads("list-blocks of a resource", "list-blocks", func(c crowdTenant) string {
			return "/v1/blocks?limit=1&resource_id=" + c.id(aResource, 1)
		}),
		reads("list-blocks of a month", "list-blocks", func(c crowdTenant) string {
			return "/v1/blocks?from=" + c.today(0).String() + "&to=" + c.today(31).String()
		}),
		reads("list-blocks of the month before", "list-blocks", func(c crowdTenant) string {
			return "/v1/blocks?from=" + c.today(-31).String() + "&to=" + c.today(0).String()
		}),
		reads("list-events", "list-events", func(crowdTenant) string { return "/v1/events" }),
		reads("list-events of some types", "list-events",
			func(crowdTenant) string { return "/v1/events?limit=5&types=payment.*,booking.created" }),
		reads("list-events of a subject", "list-events", func(c crowdTenant) string { return "/v1/events?subject=" + last(c) }),
		reads("list-events at the end", "list-events", func(crowdTenant) string { return "/v1/events?after=latest" }),
		available("of a date service", 2, 6), available("of a slot service", 1, 6), available("of a service with a maximum a day", 3, 6),
		available("of a year", 2, 364), available("of stays", 5, 30),
		reads("get-services-availability", "get-services-availability", func(c crowdTenant) string {
			return servicesAvailabilityPath("service_ids="+c.id(aService, 1)+","+c.id(aService, 2)+","+c.id(aService, 3),
				c.today(0), c.today(6))
		}),
		reads("get-services-availability of a resource", "get-services-availability", func(c crowdTenant) string {
			return servicesAvailabilityPath("resource_id="+c.id(aResource, 1), c.today(0), c.today(6))
		}),
		posts("create-booking", "create-booking", "/v1/bookings", booking(1)),
		posts("create-booking of a known customer", "create-booking", "/v1/bookings",
			booking(1, object{"customer": object{"name": "Ada", "email": "c7@example.com"}})),
		posts("create-booking of a service with a maximum a day", "create-booking", "/v1/bookings", booking(3)),
		posts("create-booking of a date", "create-booking", "/v1/bookings", func(t testingT, c crowdTenant) object {
			return bookingOf(planID(aService, 2, c.n), civil.DateOf(c.free(t)).AddDays(60))
		}),
		posts("create-booking of a stay", "create-booking", "/v1/bookings", func(_ testingT, c crowdTenant) object { return c.stay() }),
		posts("quote-booking of a stay", "quote-booking", "/v1/quotes", func(_ testingT, c crowdTenant) object {
			return object{"service_id": c.id(aService, 5), "check_in": c.today(1).String(), "check_out": c.today(15).String()}
		}),
		{name: "reschedule-booking of a stay", op: "reschedule-booking", send: func(t testingT, c crowdTenant) answer {
			path := "/v1/bookings/" + c.created(t, c.post(t, "/v1/bookings", c.stay())).String() + "/reschedule"
			c.plans.take(t)
			return c.post(t, path, object{"check_in": c.today(2).String()})
		}},
		posts("create-booking with names of its own", "create-booking", "/v1/bookings", func(t testingT, c crowdTenant) object {
			c.patch(t, "/v1/tenant", object{"unique_references": true})
			return c.slot(t, 1, object{"id": uuid.NewString(), "reference": uuid.NewString(), "external_reference": uuid.NewString()})
		}),
		posts("create-booking held", "create-booking", "/v1/bookings", booking(1, object{"hold_minutes": 10})),
		{name: "create-booking together", op: "create-booking", send: together},
		{name: "create-booking with cold caches", op: "create-booking", cold: true, send: posts("", "", "/v1/bookings", booking(1)).send},
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
		posts("quote-booking of a service with a maximum a day", "quote-booking", "/v1/quotes", func(t testingT, c crowdTenant) object {
			return object{"service_id": c.id(aService, 3), "starts_at": c.free(t).Format(time.RFC3339)}
		}),
		posts("quote-booking of a move", "quote-booking", "/v1/quotes", func(t testingT, c crowdTenant) object {
			return object{"booking_id": c.held(t), "starts_at": c.free(t).Format(time.RFC3339), "price": "quote"}
		}),
		changes("confirm-booking", "/v1/bookings/{id}/confirm", nil, func(c crowdTenant, t testingT) string { return c.held(t) }),
		{name: "confirm-booking of a hold that has expired", op: "confirm-booking", send: func(t testingT, c crowdTenant) answer {
			id := c.held(t)
			_, err := c.sql.Exec(t.Context(), "UPDATE bookings SET hold_expires_at = clock_timestamp() WHERE booking_id = $1", id)
			require.NoError(t, err)
			_, err = c.sql.Exec(t.Context(), storetest.SyncClaims)
			require.NoError(t, err)
			c.plans.take(t)
			return c.post(t, "/v1/bookings/"+id+"/confirm",
				object{"customer": object{"name": "Ada", "email": "c7@example.com"}, "if_still_free": true})
		}},
		posts("create-hold", "create-hold", "/v1/holds", func(t testingT, c crowdTenant) object {
			return without(c.slot(t, 1, object{"hold_minutes": 10}), []any{"customer"})
		}),
		{name: "create-hold with an email of which so many may be open", op: "create-hold", send: func(t testingT, c crowdTenant) answer {
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
		changes("confirm-hold", "/v1/holds/{id}/confirm", object{"customer": object{"name": "Ada", "email": "c7@example.com"}},
			crowdTenant.visit),
		changes("release-hold", "/v1/holds/{id}/release", nil, crowdTenant.visit),
		changes("pay-hold", "/v1/holds/{id}/payments", object{"kind": "balance", "payment_method": "pm_ok"}, crowdTenant.visit),
		{name: "get-hold-payment", op: "get-hold-payment", send: func(t testingT, c crowdTenant) answer {
			path := "/v1/holds/" + c.visit(t) + "/payments"
			paid := c.post(t, path, object{"kind": "balance", "payment_method": "pm_ok"}).id(t)
			c.plans.take(t)
			return c.get(t, path+"/"+paid.String())
		}},
		changes("cancel-booking", "/v1/bookings/{id}/cancel", nil, func(c crowdTenant, t testingT) string { return c.held(t) }),
		{name: "reschedule-booking", op: "reschedule-booking", send: func(t testingT, c crowdTenant) answer {
			path := "/v1/bookings/" + c.held(t) + "/reschedule"
			to := object{"starts_at": c.free(t).Format(time.RFC3339), "price": "quote"}
			c.plans.take(t)
			return c.post(t, path, to)
		}},
		{name: "update-booking", op: "update-booking", send: func(t testingT, c crowdTenant) answer {
			path := "/v1/bookings/" + c.held(t)
			c.plans.take(t)
			return c.patch(t, path, object{"metadata": object{"n": 1}, "customer": object{"name": "Ada", "email": "c8@example.com"}})
		}},
		changes("extend-booking", "/v1/bookings/{id}/extend", object{"hold_minutes": 120},
			func(c crowdTenant, t testingT) string { return c.held(t) }),
		changes("complete-booking", "/v1/bookings/{id}/complete", nil, crowdTenant.begun),
		changes("no-show-booking", "/v1/bookings/{id}/no-show", nil, crowdTenant.begun),
		changes("create-payment", "/v1/bookings/{id}/payments", object{"kind": "balance", "payment_method": "pm_ok"},
			func(c crowdTenant, t testingT) string { return c.held(t) }),
		{name: "create-payment that confirms a hold", op: "create-payment", send: func(t testingT, c crowdTenant) answer {
			id := c.held(t)
			_, err := c.sql.Exec(t.Context(), "UPDATE bookings SET terms = '{\"confirm_on_deposit\": true}' WHERE booking_id = $1", id)
			require.NoError(t, err)
			c.plans.take(t)
			a := c.pay(t, uuid.MustParse(id), object{"kind": "balance", "payment_method": "pm_ok"})
			require.Equal(t, "confirmed", c.get(t, "/v1/bookings/"+id).field(t, "status"))
			return a
		}},
		reads("get-payment-options", "get-payment-options", func(crowdTenant) string { return "/v1/payment-options" }),
		reads("get-payment-account", "get-payment-account", func(crowdTenant) string { return "/v1/payment-account" }),
		posts("create-payment-account", "create-payment-account", "/v1/payment-account", func(testingT, crowdTenant) object {
			return object{"country": "DE"}
		}),
		posts("create-onboarding-link", "create-onboarding-link", "/v1/payment-account/onboarding-link",
			func(t testingT, c crowdTenant) object {
				c.post(t, "/v1/payment-account", nil)
				c.plans.take(t)
				return object{"return_url": "https://example.com/account", "refresh_url": "https://example.com/again"}
			}),
		{name: "read-tenant-payment-account", op: "read-tenant-payment-account", send: func(t testingT, c crowdTenant) answer {
			return c.admin().get(t, "/admin/v1/tenants/"+c.tenant.String()+"/payment-account")
		}},
		{name: "change-tenant-payment-account", op: "change-tenant-payment-account", send: func(t testingT, c crowdTenant) answer {
			return c.admin().patch(t, "/admin/v1/tenants/"+c.tenant.String()+"/payment-account",
				object{"account_id": nil, "application_fee_basis_points": 150})
		}},
		changes("create-refund", "/v1/payments/{id}/refunds", object{"amount": 10}, crowdTenant.paid),
		changes("create-payment offline", "/v1/bookings/{id}/payments", object{
			"kind": "amount", "amount": 10, "offline": object{"method": "cash", "note": "Taken by Ann"},
		}, func(c crowdTenant, t testingT) string { return c.held(t) }),
		changes("complete-refund", "/v1/payments/{id}/complete", object{"note": "Handed back by Ann"}, crowdTenant.openRefund),
		{name: "refund-overpaid", op: "refund-overpaid", send: func(t testingT, c crowdTenant) answer {
			id := c.get(t, "/v1/payments/"+c.paid(t)).text(t, "booking_id")
			_, err := c.sql.Exec(t.Context(), "UPDATE bookings SET price = 1, deposit = 0 WHERE booking_id = $1", id)
			require.NoError(t, err)
			c.plans.take(t)
			return c.post(t, "/v1/bookings/"+id+"/refunds", nil)
		}},
		{name: "cancel-payment", op: "cancel-payment", send: func(t testingT, c crowdTenant) answer {
			open := c.pay(t, uuid.MustParse(c.held(t)), object{"kind": "balance", "payment_method": "pm_requires_action"})
			c.plans.take(t)
			return c.cancelPayment(t, open.id(t))
		}},
		events("all", ""), events("of a kind", "limit=5&kind=booking.reminder"), events("of a status", "limit=5&status=completed"),
		events("of a rare status", "limit=1&status=dead"), events("of a subject", "subject={booking}"),
		events("of a customer", "subject={customer}"),
		events("of a subject and a kind", "subject={booking}&kind=booking.reminder"),
		events("due before a time", "limit=5&due_before={later}T00:00:00Z"),
		reads("get-scheduled-event", "get-scheduled-event",
			func(c crowdTenant) string { return "/v1/scheduled-events/" + c.id(anEvent, 99) }),
		changes("cancel-scheduled-event", "/v1/scheduled-events/{id}/cancel", nil, crowdTenant.deadEvent),
		changes("replay-scheduled-event", "/v1/scheduled-events/{id}/replay", nil, crowdTenant.deadEvent),
		posts("create-closure", "create-closure", "/v1/closures", func(_ testingT, c crowdTenant) object {
			return object{"from": c.today(300).String(), "to": c.today(301).String(), "resource_id": c.id(aResource, 1)}
		}),
		changes("archive-closure", "/v1/closures/{id}/archive", nil, func(c crowdTenant, t testingT) string {
			return c.newClosure(t, nil, c.today(310), c.today(310)).String()
		}),
		changes("unarchive-closure", "/v1/closures/{id}/unarchive", nil, func(c crowdTenant, t testingT) string {
			id := c.newClosure(t, nil, c.today(311), c.today(311)).String()
			c.post(t, "/v1/closures/"+id+"/archive", nil).ok(t)
			return id
		}),
		posts("create-block", "create-block", "/v1/blocks", func(_ testingT, c crowdTenant) object {
			blocked++
			d := c.today(-3 - 5*blocked).String()
			return object{"from": d, "to": d, "resource_id": c.id(aResource, 2), "force": true}
		}),
		changes("archive-block", "/v1/blocks/{id}/archive", nil, func(c crowdTenant, t testingT) string {
			return c.newBlock(t, c.newResource(t, 1), c.today(310), c.today(310)).String()
		}),
		changes("unarchive-block", "/v1/blocks/{id}/unarchive", nil, func(c crowdTenant, t testingT) string {
			id := c.newBlock(t, c.newResource(t, 1), c.today(312), c.today(312)).String()
			c.post(t, "/v1/blocks/"+id+"/archive", nil).ok(t)
			return id
		}),
		reads("list-block-history", "list-block-history",
			func(c crowdTenant) string { return "/v1/blocks/" + c.id(aBlock, 1) + "/history" }),
		reads("list-closure-history", "list-closure-history",
			func(c crowdTenant) string { return "/v1/closures/" + c.id(aClosure, 1) + "/history" }),
		changes("archive-customer", "/v1/customers/{id}/archive", nil, func(c crowdTenant, t testingT) string {
			return c.created(t, c.post(t, "/v1/customers", object{"name": "Ada", "email": uuid.NewString() + "@example.com"})).String()
		}),
		changes("unarchive-customer", "/v1/customers/{id}/unarchive", nil, func(c crowdTenant, t testingT) string {
			id := c.created(t, c.post(t, "/v1/customers", object{"name": "Ada", "email": uuid.NewString() + "@example.com"}))
			c.post(t, customerPath(id)+"/archive", nil).ok(t)
			return id.String()
		}),
		reads("list-customers that are archived", "list-customers",
			func(crowdTenant) string { return "/v1/customers?archived=true&limit=5" }),
		posts("create-resource", "create-resource", "/v1/resources",
			func(testingT, crowdTenant) object { return object{"name": "Boat", "capacity": 1} }),
		posts("create-service", "create-service", "/v1/services", func(_ testingT, c crowdTenant) object {
			return object{"name": "Tour", "kind": "date", "resource_ids": []any{c.id(aResource, 1)}, "price": 0}
		}),
		reads("list-webhook-endpoints", "list-webhook-endpoints", func(crowdTenant) string { return "/v1/webhook-endpoints" }),
		reads("get-webhook-endpoint", "get-webhook-endpoint",
			func(c crowdTenant) string { return "/v1/webhook-endpoints/" + c.id(anEndpoint, 1) }),
		reads("list-deliveries", "list-deliveries",
			func(c crowdTenant) string { return "/v1/webhook-endpoints/" + c.id(anEndpoint, 1) + "/deliveries" }),
		reads("list-booking-deliveries", "list-booking-deliveries",
			func(c crowdTenant) string { return "/v1/bookings/" + c.id(aBooking, 7) + "/deliveries" }),
		reads("get-delivery", "get-delivery", func(c crowdTenant) string { return "/v1/deliveries/" + c.id(aDelivery, 7) }),
		posts("create-webhook-endpoint", "create-webhook-endpoint", "/v1/webhook-endpoints", func(testingT, crowdTenant) object {
			return object{"url": "https://example.com/", "types": []any{"*"}}
		}),
		{name: "change-webhook-endpoint", op: "change-webhook-endpoint", send: func(t testingT, c crowdTenant) answer {
			return c.send(t, http.MethodPatch, "/v1/webhook-endpoints/"+c.id(anEndpoint, 1), object{"description": "Changed"})
		}},
		{name: "delete-webhook-endpoint", op: "delete-webhook-endpoint", send: func(t testingT, c crowdTenant) answer {
			id := c.created(t, c.post(t, "/v1/webhook-endpoints", object{"url": "https://example.com/", "types": []any{"*"}}))
			c.plans.take(t)
			return c.delete(t, "/v1/webhook-endpoints/"+id.String())
		}},
		changes("rotate-webhook-secret", "/v1/webhook-endpoints/{id}/rotate-secret", nil, theEndpoint),
		changes("ping-webhook-endpoint", "/v1/webhook-endpoints/{id}/ping", nil, theEndpoint),
		{name: "replay-webhook-events of five minutes", op: "replay-webhook-events", send: func(t testingT, c crowdTenant) answer {
			return c.post(t, "/v1/webhook-endpoints/"+c.id(anEndpoint, 1)+"/replay", fiveMinutes())
		}},
		changes("replay-delivery", "/v1/deliveries/{id}/replay", nil, func(c crowdTenant, _ testingT) string { return c.id(aDelivery, 9) }),
		reads("list-wallets", "list-wallets", func(crowdTenant) string { return "/v1/wallets?limit=5" }),
		reads("list-wallets of a customer", "list-wallets",
			func(c crowdTenant) string { return "/v1/wallets?customer_id=" + c.id(aCustomer, 7) }),
		reads("get-wallet", "get-wallet", func(c crowdTenant) string { return "/v1/wallets/" + c.id(aWallet, 1) }),
		reads("get-wallet as of a time", "get-wallet", func(c crowdTenant) string {
			// As many entries after the last snapshot, however many there are.
			at := testtime.Now().Add(-time.Duration(c.bookings-c.bookings/256*256-min(c.bookings%256, 50)) * time.Minute).UTC()
			return "/v1/wallets/" + c.id(aWallet, 1) + "?as_of=" + at.Format(time.RFC3339)
		}),
		reads("list-wallet-entries", "list-wallet-entries",
			func(c crowdTenant) string { return "/v1/wallets/" + c.id(aWallet, 1) + "/entries?limit=5" }),
		reads("list-wallet-entries-csv", "list-wallet-entries-csv",
			func(c crowdTenant) string { return "/v1/wallets/" + c.id(aWallet, 1) + "/entries.csv?limit=5" }),
		posts("create-wallet", "create-wallet", "/v1/wallets", func(testingT, crowdTenant) object { return object{"currency": "EUR"} }),
		changes("rotate-wallet-code", "/v1/wallets/{id}/rotate-code", nil, crowdTenant.card),
		posts("look-up-wallet", "look-up-wallet", "/v1/wallets/lookup", func(t testingT, c crowdTenant) object {
			return object{"code": c.post(t, "/v1/wallets", object{"currency": "EUR"}).text(t, "code")}
		}),
		changes("credit-wallet", "/v1/wallets/{id}/credits", object{"amount": 10, "expires_at": "2100-01-01T00:00:00Z"}, theWallet),
		changes("debit-wallet", "/v1/wallets/{id}/debits", object{"amount": 1}, theWallet),
		changes("hold-wallet", "/v1/wallets/{id}/holds", object{"amount": 1}, theWallet),
		changes("capture-wallet-hold", "/v1/wallets/{id}/capture", object{}, crowdTenant.walletHold),
		changes("release-wallet-hold", "/v1/wallets/{id}/release", object{}, crowdTenant.walletHold),
		posts("transfer", "transfer", "/v1/transfers", func(_ testingT, c crowdTenant) object {
			return object{"from": c.id(aWallet, 1), "to": c.id(aWallet, 2), "amount": 1}
		}),
		{name: "set-hours", op: "set-hours", send: func(t testingT, c crowdTenant) answer {
			return c.put(t, "/v1/resources/"+c.id(aResource, 5)+"/hours", object{"always_open": true})
		}},
		changes("erase-customer", "/v1/customers/{id}/erase", nil, func(c crowdTenant, t testingT) string {
			_, id := c.bookFor(t, planID(aService, 2, c.n), 70, object{"name": "Ada", "email": uuid.NewString() + "@example.com"})
			return id.String()
		}).reading("the tenant's stored responses"),
		reads("export-customer", "export-customer",
			func(c crowdTenant) string { return "/v1/customers/" + c.id(aCustomer, 7) + "/export" }),
		posts("create-customer", "create-customer", "/v1/customers", func(testingT, crowdTenant) object {
			return object{"name": "Ada", "email": uuid.NewString() + "@example.com", "birthday": "1990-12-10"}
		}),
		{name: "merge-customer", op: "merge-customer", send: func(t testingT, c crowdTenant) answer {
			_, id := c.bookFor(t, planID(aService, 2, c.n), 70, object{"name": "Ada", "email": uuid.NewString() + "@example.com"})
			c.plans.take(t)
			return c.post(t, "/v1/customers/"+id.String()+"/merge", object{"into": c.id(aCustomer, 7)})
		}},
		{name: "change-customer", op: "change-customer", send: func(t testingT, c crowdTenant) answer {
			return c.patch(t, "/v1/customers/"+c.id(aCustomer, 7), object{"phone": uuid.NewString()[:8], "time_zone": "Europe/Berlin"})
		}},
		{name: "change-resource", op: "change-resource", send: func(t testingT, c crowdTenant) answer {
			return c.patch(t, "/v1/resources/"+c.id(aResource, 5), object{"name": uuid.NewString()})
		}},
		{name: "change-service", op: "change-service", send: func(t testingT, c crowdTenant) answer {
			return c.patch(t, "/v1/services/"+c.id(aService, 1),
				object{"name": uuid.NewString(), "resource_ids": []any{c.id(aResource, 1)}})
		}},
		{name: "change-block", op: "change-block", send: func(t testingT, c crowdTenant) answer {
			id := c.newBlock(t, c.newResource(t, 1), c.today(320), c.today(320))
			c.plans.take(t)
			return c.patch(t, "/v1/blocks/"+id.String(), object{"to": c.today(321).String()})
		}},
		{name: "change-closure", op: "change-closure", send: func(t testingT, c crowdTenant) answer {
			id := c.newClosure(t, nil, c.today(310), c.today(310))
			c.plans.take(t)
			return c.patch(t, "/v1/closures/"+id.String(), object{"to": c.today(311).String()})
		}},
		reads("get-tenant-hours", "get-tenant-hours", func(crowdTenant) string { return "/v1/tenant/hours" }),
		{name: "set-tenant-hours", op: "set-tenant-hours", send: func(t testingT, c crowdTenant) answer {
			c.put(t, "/v1/tenant/hours", object{"weekly": []any{}})
			c.plans.take(t)
			return c.put(t, "/v1/tenant/hours", object{"always_open": true})
		}},
		reads("list-tenant-conflicts", "list-tenant-conflicts", func(crowdTenant) string { return "/v1/tenant/conflicts" }).
			reading("up to 1,000 bookings"),
		changes("archive-resource", "/v1/resources/{id}/archive", object{},
			func(c crowdTenant, t testingT) string { return c.newResource(t, 1).String() }),
		changes("unarchive-resource", "/v1/resources/{id}/unarchive", nil,
			func(c crowdTenant, _ testingT) string { return c.id(aResource, 5) }),
		changes("archive-service", "/v1/services/{id}/archive", object{"force": true},
			func(c crowdTenant, t testingT) string { return c.rareService(t) }),
		changes("unarchive-service", "/v1/services/{id}/unarchive", nil,
			func(c crowdTenant, _ testingT) string { return c.id(aService, 1) }),
		{name: "list-service-conflicts", op: "list-service-conflicts", send: func(t testingT, c crowdTenant) answer {
			id := c.rareService(t)
			c.plans.take(t)
			return c.get(t, "/v1/services/"+id+"/conflicts")
		}},
		{name: "list-resource-conflicts", op: "list-resource-conflicts", send: func(t testingT, c crowdTenant) answer {
			rare := c.get(t, "/v1/services/"+c.rareService(t)).field(t, "resource_ids").([]any)
			c.plans.take(t)
			return c.get(t, "/v1/resources/"+rare[0].(string)+"/conflicts")
		}},
		reads("get-tenant", "get-tenant", func(crowdTenant) string { return "/v1/tenant" }),
		{name: "set-logo", op: "set-logo", send: func(t testingT, c crowdTenant) answer {
			c.delete(t, logoPath)
			c.plans.take(t)
			return c.put(t, logoPath, object{"data": onePixel})
		}},
		{name: "remove-logo", op: "remove-logo", send: func(t testingT, c crowdTenant) answer {
			c.put(t, logoPath, object{"data": onePixel})
			c.plans.take(t)
			return c.delete(t, logoPath)
		}},
		{name: "change-tenant", op: "change-tenant", send: func(t testingT, c crowdTenant) answer {
			return c.patch(t, "/v1/tenant", object{"follow_up_minutes": 60})
		}},
		posts("preview-email", "preview-email", "/v1/tenant/email-preview", func(t testingT, c crowdTenant) object {
			return object{"template": "booking.confirmed", "booking_id": c.held(t)}
		}),
		{name: "create-tenant", op: "create-tenant", send: func(t testingT, c crowdTenant) answer {
			return c.admin().post(t, "/admin/v1/tenants",
				object{"slug": "t-" + uuid.NewString(), "name": "T", "time_zone": "UTC", "currency": "EUR"})
		}},
		{name: "create-api-key", op: "create-api-key", send: func(t testingT, c crowdTenant) answer {
			return c.admin().post(t, "/admin/v1/tenants/"+c.tenant.String()+"/api-keys", nil)
		}},
		{name: "list-tenants", op: "list-tenants",
			send: func(t testingT, c crowdTenant) answer { return c.admin().get(t, "/admin/v1/tenants") }},
		{name: "list-tenants with a slug", op: "list-tenants", send: func(t testingT, c crowdTenant) answer {
			return c.admin().get(t, "/admin/v1/tenants?slug=nobody")
		}},
		{name: "read-tenant", op: "read-tenant", send: func(t testingT, c crowdTenant) answer {
			return c.admin().get(t, "/admin/v1/tenants/"+c.tenant.String())
		}},
		{name: "correct-tenant", op: "correct-tenant", send: func(t testingT, c crowdTenant) answer {
			return c.admin().send(t, http.MethodPatch, c.path(), object{"name": uuid.NewString()})
		}},
		{name: "suspend-tenant", op: "suspend-tenant", send: func(t testingT, c crowdTenant) answer {
			require.Equal(t, http.StatusOK, c.admin().post(t, c.path()+"/resume", nil).status)
			c.plans.take(t)
			return c.admin().post(t, c.path()+"/suspend", nil)
		}},
		{name: "resume-tenant", op: "resume-tenant", send: func(t testingT, c crowdTenant) answer {
			require.Equal(t, http.StatusOK, c.admin().post(t, c.path()+"/suspend", nil).status)
			c.plans.take(t)
			return c.admin().post(t, c.path()+"/resume", nil)
		}},
		{name: "list-events-of-all-tenants", op: "list-events-of-all-tenants", send: func(t testingT, c crowdTenant) answer {
			return c.admin().get(t, "/admin/v1/events")
		}},
		{name: "list-payments-of-all-tenants", op: "list-payments-of-all-tenants", send: func(t testingT, c crowdTenant) answer {
			return c.admin().get(t, "/admin/v1/payments")
		}},
		{name: "list-payments-of-all-tenants with a tenant", op: "list-payments-of-all-tenants", send: func(t testingT,
			c crowdTenant) answer {
			return c.admin().get(t, "/admin/v1/payments?limit=10&tenant_id="+c.tenant.String())
		}},
		{name: "list-payments-of-all-tenants with a status", op: "list-payments-of-all-tenants", send: func(t testingT,
			c crowdTenant) answer {
			return c.admin().get(t, "/admin/v1/payments?status=unknown")
		}},
		{name: "list-payments-of-all-tenants with the provider's id", op: "list-payments-of-all-tenants",
			send: func(t testingT, c crowdTenant) answer {
				return c.admin().get(t, "/admin/v1/payments?provider_id=nobody")
			}},
		planned{name: "reconcile-tenant", op: "reconcile-tenant", send: func(t testingT, c crowdTenant) answer {
			return c.reconcile(t, c.today(0), c.today(0))
		}}.reading("the tenant's payments of the dates"),
		operator(http.MethodGet, "list-operator-webhook-endpoints", "{endpoints}", nil),
		operator(http.MethodGet, "get-operator-webhook-endpoint", "{endpoint}", nil),
		operator(http.MethodGet, "list-operator-deliveries", "{endpoint}/deliveries", nil),
		operator(http.MethodGet, "get-operator-delivery", "{delivery}", nil),
		operator(http.MethodPost, "create-operator-webhook-endpoint", "{endpoints}",
			object{"url": "https://example.com/", "types": []any{"*"}}),
		operator(http.MethodPatch, "change-operator-webhook-endpoint", "{endpoint}", object{"description": "Changed"}),
		operator(http.MethodDelete, "delete-operator-webhook-endpoint", "{endpoint}", nil),
		operator(http.MethodPost, "rotate-operator-webhook-secret", "{endpoint}/rotate-secret", nil),
		operator(http.MethodPost, "ping-operator-webhook-endpoint", "{endpoint}/ping", nil),
		operator(http.MethodPost, "replay-operator-webhook-events", "{endpoint}/replay", fiveMinutes()),
		operator(http.MethodPost, "replay-operator-delivery", "{delivery}/replay", nil),
		{name: "list-api-keys", op: "list-api-keys", send: func(t testingT, c crowdTenant) answer {
			return c.admin().get(t, "/admin/v1/tenants/"+c.tenant.String()+"/api-keys")
		}},
		reads("list-users", "list-users", func(crowdTenant) string { return "/v1/users" }),
		posts("invite-user", "invite-user", "/v1/users", func(testingT, crowdTenant) object {
			return object{"email": uuid.NewString() + "@example.com", "name": "Grace", "role": "staff"}
		}),
		{name: "get-user", op: "get-user", send: func(t testingT, c crowdTenant) answer {
			id := c.newUser(t)
			c.plans.take(t)
			return c.get(t, "/v1/users/"+id)
		}},
		{name: "change-user", op: "change-user", send: func(t testingT, c crowdTenant) answer {
			id := c.newUser(t)
			c.plans.take(t)
			return c.patch(t, "/v1/users/"+id, object{"role": "read"})
		}},
		{name: "remove-user", op: "remove-user", send: func(t testingT, c crowdTenant) answer {
			id := c.newUser(t)
			c.plans.take(t)
			return c.delete(t, "/v1/users/"+id)
		}},
		reads("list-own-api-keys", "list-own-api-keys", func(crowdTenant) string { return "/v1/api-keys" }),
		{name: "get-own-api-key", op: "get-own-api-key", send: func(t testingT, c crowdTenant) answer {
			id := c.ownKey(t)
			c.plans.take(t)
			return c.get(t, "/v1/api-keys/"+id)
		}},
		posts("create-own-api-key", "create-own-api-key", "/v1/api-keys", func(testingT, crowdTenant) object {
			return object{"name": "Till", "scopes": []any{"read"}}
		}),
		{name: "change-own-api-key", op: "change-own-api-key", send: func(t testingT, c crowdTenant) answer {
			id := c.ownKey(t)
			c.plans.take(t)
			return c.patch(t, "/v1/api-keys/"+id, object{"name": "Other"})
		}},
		changes("rotate-own-api-key", "/v1/api-keys/{id}/rotate", nil, crowdTenant.ownKey),
		{name: "revoke-own-api-key", op: "revoke-own-api-key", send: func(t testingT, c crowdTenant) answer {
			id := c.ownKey(t)
			c.plans.take(t)
			return c.delete(t, "/v1/api-keys/"+id)
		}},
		{name: "revoke-api-key", op: "revoke-api-key", send: func(t testingT, c crowdTenant) answer {
			keys := "/admin/v1/tenants/" + c.tenant.String() + "/api-keys"
			id := c.admin().post(t, keys, nil).id(t)
			c.plans.take(t)
			return c.admin().delete(t, keys+"/"+id.String())
		}},
	}
	return requests
}

// notPlanned are operations that nobody waits for, with the reason.
var notPlanned = map[string]string{
	"delete-tenant": "it only begins the deletion of a tenant that is suspended and exported",
	"export-tenant": "it reads all that a tenant has, a page at a time",
	"list-locks":    "it searches all tenants and many bookings for the names of locks, for an operator, on a connection of its own",
}
