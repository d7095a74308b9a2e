package event

import (
	"time"
)

const (
	// firstPermits is how many deliveries a worker makes to an endpoint at a time before it knows how fast the endpoint
	// answers, and to a slow one.
	firstPermits = 8
	// An attempt that succeeds within quickAttempt gives its endpoint one permit more, and one that took longer than
	// slowAttempt takes one away.
	quickAttempt = time.Second
	slowAttempt  = 2 * time.Second
	// forgetAfter is how long the permits of an endpoint without deliveries are remembered.
	forgetAfter = time.Minute
)

// deliveryLeaser says how many deliveries to lease next of which endpoints. Only the worker's loop uses it.
//
// The invariant: what is leased is begun at once, every due delivery is leased some time, and an endpoint takes no more
// permits than it is given. A fast endpoint is given more permits, and a slow one so few that many slow ones leave
// permits for others.
//
// After a notification or a poll, all endpoints are searched. A query that took as many deliveries as its endpoint had
// permits leaves a backlog. Once a quarter of the permits is free again, a query takes more of that endpoint alone. As
// in kindLeaser, a query begins at since, up to which all was leased of endpoints without a backlog; an endpoint with
// one has a since of its own.
type deliveryLeaser struct {
	kind      Kind
	running   int
	due       bool // more deliveries may be due anywhere
	endpoints map[EndpointKey]*endpointLeases
	since     time.Time
	lookBack  time.Time // when a query next begins with the oldest delivery
	// A search of all endpoints may take several queries: after is the last endpoint that was searched, fromOldest says
	// that the search begins with the oldest deliveries, and found is the newest due time of the query that began with
	// the first endpoint.
	searching  bool
	after      EndpointKey
	fromOldest bool
	found      time.Time
	last       LeaseQuery
}

// endpointLeases is what a worker knows of an endpoint.
type endpointLeases struct {
	permits, running int
	backlog          bool      // more of its deliveries may be due
	since            time.Time // with a backlog: up to which all was leased
	ended            time.Time // the last attempt
}

func newDeliveryLeaser(k Kind) *deliveryLeaser {
	return &deliveryLeaser{kind: k, endpoints: make(map[EndpointKey]*endpointLeases)}
}

func (c *deliveryLeaser) markDue() { c.due = true }

// ready reports whether query would ask for deliveries: a query costs the same for one delivery as for many.
func (c *deliveryLeaser) ready() bool {
	if !enoughFree(c.kind.Concurrency-c.running, c.kind.Concurrency) {
		return false
	}
	if c.due {
		return true
	}
	for _, e := range c.endpoints {
		if e.backlog && enoughFree(e.free(), e.permits) {
			return true
		}
	}
	return false
}

func enoughFree(free, permits int) bool { return free >= (permits+3)/4 }

// free returns how many permits are free. Permits that were taken away may still be in use.
func (e *endpointLeases) free() int { return max(e.permits-e.running, 0) }

func (c *deliveryLeaser) query(now time.Time) LeaseQuery {
	d := &DeliveryLeaseQuery{Everywhere: c.due, After: c.after, PerEndpoint: c.firstPermits()}
	c.last = LeaseQuery{
		Kind: c.kind.Name, Limit: c.kind.Concurrency - c.running, Deliveries: d,
	}
	if c.due && !c.searching {
		c.searching = true
		if c.fromOldest = !now.Before(c.lookBack); c.fromOldest {
			c.lookBack = now.Add(lookBackEvery)
			c.forget(now)
		}
	}
	from := func(since time.Time) time.Time {
		if c.due && c.fromOldest || since.IsZero() {
			return time.Time{}
		}
		return since.Add(-sinceMargin)
	}
	c.last.Since = from(c.since)
	for key, e := range c.endpoints {
		known := KnownEndpoint{EndpointKey: key, Permits: e.free(), Since: c.last.Since}
		if e.backlog {
			known.Since = from(e.since)
		}
		if c.due && (e.backlog || e.running > 0) || e.backlog && enoughFree(e.free(), e.permits) {
			d.Known = append(d.Known, known)
		}
	}
	return c.last
}

// forget forgets endpoints that have had no delivery for some time.
func (c *deliveryLeaser) forget(now time.Time) {
	for key, e := range c.endpoints {
		if e.running == 0 && !e.backlog && now.Sub(e.ended) >= forgetAfter {
			delete(c.endpoints, key)
		}
	}
}

func (c *deliveryLeaser) firstPermits() int { return min(firstPermits, c.kind.PerEndpoint) }

func (c *deliveryLeaser) leased(got Leased) {
	asked := make(map[EndpointKey]int, len(c.last.Deliveries.Known))
	for _, k := range c.last.Deliveries.Known {
		asked[k.EndpointKey] = k.Permits
	}
	newest := make(map[EndpointKey]time.Time)
	counts := make(map[EndpointKey]int)
	var newestOfAll time.Time
	for _, e := range got.Events {
		key := EndpointKey{Tenant: e.TenantID, Endpoint: e.SubjectID}
		newest[key] = later(newest[key], e.DueAt)
		newestOfAll = later(newestOfAll, e.DueAt)
		counts[key]++
	}
	c.running += len(got.Events)
	cutOff := len(got.Events) == c.last.Limit // endpoints are left that weren't searched
	for key, n := range counts {
		e := c.endpoints[key]
		if e == nil {
			e = &endpointLeases{permits: c.firstPermits()}
			c.endpoints[key] = e
		}
		e.running += n
		if _, known := asked[key]; !known {
			asked[key] = c.firstPermits()
		}
	}
	for key, permits := range asked {
		e := c.endpoints[key]
		switch n := counts[key]; {
		case permits == 0 || n < permits && cutOff:
			// It may have more than was searched. What it has is due after what was leased before.
			if !e.backlog {
				e.backlog, e.since = true, c.since
			}
		case n == permits:
			e.backlog, e.since = true, newest[key]
		default:
			e.backlog = false
		}
	}
	if !c.last.Deliveries.Everywhere || cutOff {
		return
	}
	if c.after == (EndpointKey{}) {
		c.found = newestOfAll
	}
	if c.after = got.LastEndpoint; c.after == (EndpointKey{}) {
		c.due, c.searching, c.since = false, false, later(c.since, c.found)
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func (c *deliveryLeaser) ended(a attempt) {
	c.running--
	e := c.endpoints[keyOf(a)]
	e.running--
	e.ended = time.Now()
	switch {
	case a.took > slowAttempt:
		e.permits = max(e.permits-1, c.firstPermits())
	case a.took <= quickAttempt && a.err == nil && a.result.status == Completed:
		e.permits = min(e.permits+1, c.kind.PerEndpoint)
	}
}

// followed takes an endpoint of which deliveries may have waited for one that this worker made.
func (c *deliveryLeaser) followed(f Follower) {
	e := c.endpoints[EndpointKey{Tenant: f.TenantID, Endpoint: f.SubjectID}]
	switch {
	case e == nil: // forgotten
		c.due = true
	case !e.backlog:
		e.backlog, e.since = true, f.DueAt
	default:
		e.since = earlier(e.since, f.DueAt)
	}
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func keyOf(a attempt) EndpointKey {
	return EndpointKey{Tenant: a.event.TenantID, Endpoint: a.event.Subject.ID}
}
