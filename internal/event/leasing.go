package event

import (
	"bytes"
	"time"

	"github.com/google/uuid"
)

const (
	// perTenant is how many events of one tenant a fair query takes.
	perTenant = 5
	// A query begins at the time up to which events were leased before, less sinceMargin: an event that was planned to
	// be due at once may commit so much later. Every lookBackEvery, a query begins with the oldest event. The search
	// for ended leases does the same.
	sinceMargin   = 5 * time.Second
	lookBackEvery = 30 * time.Second
)

// leaser says what to lease next of one kind. Only the worker's loop uses it.
type leaser interface {
	// markDue notes that more events may be due.
	markDue()
	// ready reports whether query would ask for events.
	ready() bool
	// query returns what to lease next, and leased takes what it came to.
	query(now time.Time) LeaseQuery
	leased(c Leased)
	// ended takes the end of an attempt, which frees its permit.
	ended(a attempt)
}

// registered is a kind of a worker.
type registered struct {
	kind Kind
	leaser
}

func register(k Kind) registered {
	k = k.withDefaults()
	if k.PerEndpoint > 0 {
		return registered{k, newDeliveryLeaser(k)}
	}
	return registered{k, &kindLeaser{kind: k}}
}

// kindLeaser says what to lease next of any kind but webhook deliveries.
//
// The invariant: every due event is leased some time, and no tenant's backlog keeps another tenant's events from it. A
// query takes the oldest due events. It begins at since, up to which all was leased, so that it doesn't read dead
// entries of the index; every lookBackEvery it begins with the oldest event, for those that were planned late. If a
// query was full, more is due than is leased at once: the next query is fair, and takes a few events of each of some
// tenants, from those after the tenant after. While due is false, nothing is leased: a notification, a poll or a full
// query sets it. last is the query whose result leased takes next.
type kindLeaser struct {
	kind    Kind
	running int  // events that are being handled
	due     bool // more events may be due
	// fair says that the next query is fair. After a query that was full, more is due than is leased at once: then
	// every second query is fair.
	fair  bool
	after uuid.UUID // the last tenant of a fair query
	// since is the due time up to which everything was leased; it is zero before the first query, and goes back when a
	// query that begins with the oldest event finds more than it takes. lookBack is when a query next begins with the
	// oldest event.
	since    time.Time
	lookBack time.Time
	last     LeaseQuery
}

func (k *kindLeaser) markDue() { k.due = true }

func (k *kindLeaser) ready() bool { return k.limit() > 0 }

func (k *kindLeaser) ended(attempt) { k.running-- }

// limit returns how many events to lease: none while nothing is due, or while so few permits are free that it is better
// to wait for more, because a query costs the same for one event as for many.
func (k *kindLeaser) limit() int {
	free := k.kind.Concurrency - k.running
	if !k.due || free < (k.kind.Concurrency+3)/4 {
		return 0
	}
	return free
}

// query returns what to lease next.
func (k *kindLeaser) query(now time.Time) LeaseQuery {
	k.last = LeaseQuery{Kind: k.kind.Name, Limit: k.limit()}
	lookBack := !k.fair && !now.Before(k.lookBack)
	if lookBack {
		k.lookBack = now.Add(lookBackEvery)
	}
	if !lookBack && !k.since.IsZero() {
		k.last.Since = k.since.Add(-sinceMargin)
	}
	if k.fair {
		k.last.Fairly, k.last.After, k.last.PerTenant = true, k.after, perTenant
	}
	return k.last
}

// leased takes what a query came to.
func (k *kindLeaser) leased(c Leased) {
	k.running += len(c.Events)
	full := len(c.Events) == k.last.Limit
	if k.last.Fairly {
		k.fair = false
		k.after = c.LastTenant
		for _, e := range c.Events {
			if full && bytes.Compare(e.TenantID[:], k.after[:]) > 0 {
				k.after = e.TenantID
			}
		}
		return // The next query finds out whether more is due.
	}
	k.due, k.fair = full, full
	if full && k.last.Since.IsZero() {
		k.since = time.Time{} // more events may be due from before since: go on from the last of these
	}
	for _, e := range c.Events {
		if e.DueAt.After(k.since) {
			k.since = e.DueAt
		}
	}
}
