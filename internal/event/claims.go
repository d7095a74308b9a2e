package event

import (
	"bytes"
	"time"

	"github.com/google/uuid"
)

const (
	// perTenant is how many events of one tenant a fair claim takes.
	perTenant = 5
	// A claim begins at the time up to which events were claimed before, less sinceMargin: an event that was planned to be due at once
	// may commit so much later. Every lookBackEvery, a claim begins with the oldest event. The search for ended leases does the same.
	sinceMargin   = 5 * time.Second
	lookBackEvery = 30 * time.Second
)

// claims says what to claim next of one kind. Only the worker's loop uses it.
type claims interface {
	// markDue notes that more events may be due.
	markDue()
	// ready reports whether claim would claim events.
	ready() bool
	// claim returns what to claim next, and claimed takes what it came to.
	claim(now time.Time) Claim
	claimed(c Claimed)
	// ended takes the end of an attempt, which frees its permit.
	ended(a attempt)
}

// registered is a kind of a worker.
type registered struct {
	kind Kind
	claims
}

func register(k Kind) registered {
	k = k.withDefaults()
	if k.PerEndpoint > 0 {
		return registered{k, newDeliveryClaims(k)}
	}
	return registered{k, &kindClaims{kind: k}}
}

// kindClaims are the claims of every kind but webhook deliveries.
//
// The invariant: every due event is claimed some time, and no tenant's backlog keeps another tenant's events from it. A claim takes the
// oldest due events. It begins at since, up to which all was claimed, so that it doesn't read dead entries of the index; every
// lookBackEvery it begins with the oldest event, for those that were planned late. If a claim was full, more is due than is claimed at
// once: the next claim is fair, and takes a few events of each of some tenants, from those after the tenant after. While due is
// false, nothing is claimed: a notification, a poll or a full claim sets it. last is the claim whose result claimed takes next.
type kindClaims struct {
	kind    Kind
	running int  // events that are being handled
	due     bool // more events may be due
	// fair says that the next claim is fair. After a claim that was full, more is due than is claimed at once: then every second
	// claim is fair.
	fair  bool
	after uuid.UUID // the last tenant of a fair claim
	// since is the due time up to which everything was claimed; it is zero before the first claim, and goes back when a claim that begins
	// with the oldest event finds more than it takes. lookBack is when a claim next begins with the oldest event.
	since    time.Time
	lookBack time.Time
	last     Claim
}

func (k *kindClaims) markDue() { k.due = true }

func (k *kindClaims) ready() bool { return k.limit() > 0 }

func (k *kindClaims) ended(attempt) { k.running-- }

// limit returns how many events to claim: none while nothing is due, or while so few permits are free that it is better to wait for
// more, because a claim costs the same for one event as for many.
func (k *kindClaims) limit() int {
	free := k.kind.Concurrency - k.running
	if !k.due || free < (k.kind.Concurrency+3)/4 {
		return 0
	}
	return free
}

// claim returns what to claim next.
func (k *kindClaims) claim(now time.Time) Claim {
	k.last = Claim{Kind: k.kind.Name, Limit: k.limit()}
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

// claimed takes what a claim came to.
func (k *kindClaims) claimed(c Claimed) {
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
		return // The next claim finds out whether more is due.
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
