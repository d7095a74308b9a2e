package httpapi_test

import (
	"strings"
)

// plannedReads read what is there, and what is free.
func plannedReads() []planned {
	list := func(name, query string) planned {
		return reads("list-bookings "+name, "list-bookings", func(c crowdTenant) string {
			return "/v1/bookings?" + strings.NewReplacer(
				"{today}", c.today(0).String(), "{later}", c.today(2).String(), "{service}", c.id(aService, 1),
				"{unused}",
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
	payments := func(name, query string) planned {
		return reads("list-all-payments "+name, "list-all-payments", func(c crowdTenant) string {
			return "/v1/payments?" +
				strings.NewReplacer("{booking}", c.id(aBooking, c.bookings/5*5), "{today}", c.today(0).String(),
					"{yesterday}",
					c.today(-1).String()).Replace(query)
		})
	}
	last := func(c crowdTenant) string { return c.id(aBooking, c.bookings) }
	paid := func(c crowdTenant) string { return c.id(aPayment, c.bookings/5*5) }
	return []planned{
		list("all", ""), list("of two days", "from={today}&to={later}"), list("from today", "from={today}"),
		list("completed", "limit=5&status=completed"), list("cancelled", "limit=5&status=cancelled"),
		list("held", "limit=5&status=held"),
		list("expired", "limit=5&status=expired"), list("confirmed", "limit=5&status=confirmed"),
		list("of a service", "limit=5&service_id={service}"),
		list("of an unused service", "limit=5&service_id={unused}"),
		list("of a resource", "limit=5&resource_id={resource}"),
		list("of a customer", "limit=5&customer_id={customer}"), list("of nobody", "limit=5&customer_id={nobody}"),
		list("of a customer from today", "customer_id={customer}&from={today}"),
		list("held from today", "status=held&from={today}"),
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
		reads("list-bookings next page", "list-bookings",
			func(c crowdTenant) string { return "/v1/bookings?limit=20&cursor=" + c.cursor }),
		reads("get-booking-link", "get-booking-link",
			func(c crowdTenant) string { return "/v1/bookings/" + last(c) + "/link" }),
		reads("get-booking", "get-booking", func(c crowdTenant) string { return "/v1/bookings/" + last(c) }),
		reads("list-booking-history", "list-booking-history",
			func(c crowdTenant) string { return "/v1/bookings/" + last(c) + "/history" }),
		reads("list-resource-history", "list-resource-history",
			func(c crowdTenant) string { return "/v1/resources/" + c.id(aResource, 1) + "/history" }),
		reads("list-service-history", "list-service-history",
			func(c crowdTenant) string { return "/v1/services/" + c.id(aService, 1) + "/history" }),
		reads("get-balance", "get-balance",
			func(c crowdTenant) string { return "/v1/bookings/" + last(c) + "/balance" }),
		reads("get-cancellation-quote", "get-cancellation-quote",
			func(c crowdTenant) string { return "/v1/bookings/" + last(c) + "/cancellation-quote" }),
		reads("list-payments", "list-payments",
			func(c crowdTenant) string { return "/v1/bookings/" + last(c) + "/payments" }),
		payments("all", "limit=5"), payments("of two days", "limit=5&from={yesterday}&to={today}"),
		payments("refunds", "kind=refund"),
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
		reads("list-all-payments-csv", "list-all-payments-csv",
			func(crowdTenant) string { return "/v1/payments.csv?limit=5" }),
		reads("get-payment", "get-payment", func(c crowdTenant) string { return "/v1/payments/" + paid(c) }),
		reads("get-receipt", "get-receipt",
			func(c crowdTenant) string { return "/v1/payments/" + paid(c) + "/receipt" }),
		reads("get-receipt-pdf", "get-receipt-pdf",
			func(c crowdTenant) string { return "/v1/payments/" + paid(c) + "/receipt.pdf" }),
		reads("get-customer", "get-customer",
			func(c crowdTenant) string { return "/v1/customers/" + c.id(aCustomer, 7) }),
		reads("list-customers", "list-customers", func(crowdTenant) string { return "/v1/customers?limit=5" }),
		reads("list-customers by email", "list-customers",
			func(crowdTenant) string { return "/v1/customers?email=C7@example.com" }),
		reads("list-customers by text", "list-customers",
			func(crowdTenant) string { return "/v1/customers?limit=5&q=c7@" }),
		reads("list-customer-history", "list-customer-history",
			func(c crowdTenant) string { return "/v1/customers/" + c.id(aCustomer, 7) + "/history" }),
		reads("get-resource", "get-resource",
			func(c crowdTenant) string { return "/v1/resources/" + c.id(aResource, 1) }),
		reads("list-resources", "list-resources", func(crowdTenant) string { return "/v1/resources" }),
		reads("list-resources by name", "list-resources",
			func(crowdTenant) string { return "/v1/resources?name=boat" }),
		reads("list-resources by position", "list-resources",
			func(crowdTenant) string { return "/v1/resources?order=position" }),
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
		reads("list-events of a subject", "list-events",
			func(c crowdTenant) string { return "/v1/events?subject=" + last(c) }),
		reads("list-events at the end", "list-events", func(crowdTenant) string { return "/v1/events?after=latest" }),
		available("of a date service", 2, 6), available("of a slot service", 1, 6),
		available("of a service with a maximum a day", 3, 6),
		available("of a year", 2, 364), available("of stays", 5, 30),
		reads("get-services-availability", "get-services-availability", func(c crowdTenant) string {
			return servicesAvailabilityPath("service_ids="+c.id(aService, 1)+","+c.id(aService, 2)+","+c.id(aService,
				3),
				c.today(0), c.today(6))
		}),
		reads("get-services-availability of a resource", "get-services-availability", func(c crowdTenant) string {
			return servicesAvailabilityPath("resource_id="+c.id(aResource, 1), c.today(0), c.today(6))
		}),
	}
}
