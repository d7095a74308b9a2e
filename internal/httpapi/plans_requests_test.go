package httpapi_test

import (
	"context"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/civil"
	"github.com/stretchr/testify/require"

	"holdfast/internal/lock"
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
	require.Eventually(t, func() bool { return c.metrics(t)["holdfast_group_requests"] == hours }, soon,
		time.Millisecond)
	require.NoError(t, tx.Rollback(t.Context()))
	for range hours {
		last = <-answers
		c.created(t, last)
	}
	return last
}

// plannedRequests are every operation, in all forms that read differently.
func plannedRequests() []planned {
	return slices.Concat(plannedReads(), plannedBookings(), plannedPayments(), plannedThings(), plannedWebhooks(),
		plannedWallets(), plannedChanges(), plannedAdministration())
}

// notPlanned are operations that nobody waits for, with the reason.
var notPlanned = map[string]string{
	"delete-tenant": "it only begins the deletion of a tenant that is suspended and exported",
	"export-tenant": "it reads all that a tenant has, a page at a time",
	"list-locks":    "it searches all tenants and many bookings for the names of locks, for an operator, on a connection of its own",
}
