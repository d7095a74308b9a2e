package httpapi_test

import (
	"strings"

	"github.com/google/uuid"
)

// plannedThings make and archive closures, blocks, customers, resources and services, and look at scheduled events.
func plannedThings() []planned {
	// dates, so long ago that no rules of a service know of the blocks, and between those of the loaded blocks
	blocked := 0
	events := func(name, query string) planned {
		return reads("list-scheduled-events "+name, "list-scheduled-events", func(c crowdTenant) string {
			return "/v1/scheduled-events?" + strings.NewReplacer(
				"{booking}", c.id(aBooking, 7), "{customer}", c.id(aCustomer, 7), "{later}", c.today(2).String(),
			).Replace(query)
		})
	}
	return []planned{
		events("all", ""), events("of a kind", "limit=5&kind=booking.reminder"),
		events("of a status", "limit=5&status=completed"),
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
			return c.created(t, c.post(t, "/v1/customers",
				object{"name": "Ada", "email": uuid.NewString() + "@example.com"})).String()
		}),
		changes("unarchive-customer", "/v1/customers/{id}/unarchive", nil, func(c crowdTenant, t testingT) string {
			id := c.created(t, c.post(t, "/v1/customers",
				object{"name": "Ada", "email": uuid.NewString() + "@example.com"}))
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
	}
}

// plannedChanges change resources, services, blocks, closures and customers.
func plannedChanges() []planned {
	return []planned{
		{name: "set-hours", op: "set-hours", send: func(t testingT, c crowdTenant) answer {
			return c.put(t, "/v1/resources/"+c.id(aResource, 5)+"/hours", object{"always_open": true})
		}},
		changes("erase-customer", "/v1/customers/{id}/erase", nil, func(c crowdTenant, t testingT) string {
			_, id := c.bookFor(t, planID(aService, 2, c.n), 70,
				object{"name": "Ada", "email": uuid.NewString() + "@example.com"})
			return id.String()
		}).reading("the tenant's stored responses"),
		reads("export-customer", "export-customer",
			func(c crowdTenant) string { return "/v1/customers/" + c.id(aCustomer, 7) + "/export" }),
		posts("create-customer", "create-customer", "/v1/customers", func(testingT, crowdTenant) object {
			return object{"name": "Ada", "email": uuid.NewString() + "@example.com", "birthday": "1990-12-10"}
		}),
		{name: "merge-customer", op: "merge-customer", send: func(t testingT, c crowdTenant) answer {
			_, id := c.bookFor(t, planID(aService, 2, c.n), 70,
				object{"name": "Ada", "email": uuid.NewString() + "@example.com"})
			c.plans.take(t)
			return c.post(t, "/v1/customers/"+id.String()+"/merge", object{"into": c.id(aCustomer, 7)})
		}},
		{name: "change-customer", op: "change-customer", send: func(t testingT, c crowdTenant) answer {
			return c.patch(t, "/v1/customers/"+c.id(aCustomer, 7),
				object{"phone": uuid.NewString()[:8], "time_zone": "Europe/Berlin"})
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
		reads("list-tenant-conflicts", "list-tenant-conflicts",
			func(crowdTenant) string { return "/v1/tenant/conflicts" }).
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
	}
}
