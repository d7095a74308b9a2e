package event

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/google/uuid"
)

// leaseTime is how long a lease lasts that isn't renewed, and so how long the events of a worker that died wait. The
// worker looks twice as often as renewals are due: see renewAfter. A process that stands still for a second and a half
// loses none of its events.
const leaseTime = 3 * time.Second

// renewAfter returns how long after it was last written a lease is renewed. Most attempts have ended by then.
func renewAfter(lease time.Duration) time.Duration { return lease / 3 }

// heldEvents are the events whose leases a worker renews: those that it leased, until their results are recorded, or
// for as long as their kind's events may be held.
type heldEvents struct {
	mu     sync.Mutex
	events map[heldKey]heldEvent
	begun  chan struct{} // has an element once there are events
}

// heldKey names a lease of an event: a worker that lost an event may lease it again.
type heldKey struct {
	tenant, event uuid.UUID
	version       int64
}

// heldEvent is what a worker knows of a lease. Both times are by this process's clock: leased is before the lease was
// sent, and written before the lease was last written, so that a slow database makes no lease look newer than it is.
type heldEvent struct {
	renewable

	leased, written time.Time
	longest         time.Duration
}

func newHeldEvents() *heldEvents {
	return &heldEvents{events: make(map[heldKey]heldEvent), begun: make(chan struct{}, 1)}
}

func heldKeyOf(c LeasedEvent) heldKey { return heldKey{c.TenantID, c.EventID, c.Version} }

// add adds events of one kind that were leased by a statement sent at leased.
func (h *heldEvents) add(leases []LeasedEvent, leased time.Time, longest time.Duration) {
	if len(leases) == 0 {
		return
	}
	h.mu.Lock()
	for _, c := range leases {
		h.events[heldKeyOf(c)] = heldEvent{
			renewable: renewable{
				TenantID: c.TenantID, EventID: c.EventID, Lease: *c.Lease, Version: c.Version,
				Until: c.LeasedAt.Add(longest),
			},
			leased: leased, written: leased, longest: longest,
		}
	}
	h.mu.Unlock()
	select {
	case h.begun <- struct{}{}:
	default:
	}
}

// remove ends the renewal of an event's lease.
func (h *heldEvents) remove(leases ...LeasedEvent) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range leases {
		delete(h.events, heldKeyOf(c))
	}
}

func (h *heldEvents) any() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.events) > 0
}

// due returns the events whose leases were last written so long ago, and forgets those that may not be held any longer.
func (h *heldEvents) due(now time.Time, age time.Duration) (due []renewable) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for key, e := range h.events {
		switch {
		case now.Sub(e.leased) >= e.longest:
			delete(h.events, key)
		case now.Sub(e.written) >= age:
			due = append(due, e.renewable)
		}
	}
	return due
}

// renewed records that a statement sent at a time has renewed leases.
func (h *heldEvents) renewed(events []renewable, at time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, r := range events {
		key := heldKey{r.TenantID, r.EventID, r.Version}
		if e, ok := h.events[key]; ok {
			e.written = at
			h.events[key] = e
		}
	}
}

// renewLeases renews the leases of the events that the worker holds until ctx ends. It sleeps while the worker holds
// none.
func (w *Worker) renewLeases(ctx context.Context) {
	for ctx.Err() == nil {
		select {
		case <-w.held.begun:
		case <-ctx.Done():
		}
		for w.held.any() && ctx.Err() == nil {
			select {
			case <-time.After(renewAfter(w.cfg.lease) / 2):
				w.renew(ctx, time.Now())
			case <-ctx.Done():
			}
		}
	}
}

// renew renews the leases that are due at now, all in one statement. Without a database they end, unless it is back in
// time or nobody takes the events: see contact.
func (w *Worker) renew(ctx context.Context, now time.Time) {
	due := w.held.due(now, renewAfter(w.cfg.lease))
	if len(due) == 0 {
		return
	}
	if _, err := renew(ctx, w.db, w.cfg.lease, due); err != nil {
		if ctx.Err() == nil {
			w.log.Warn("renew the leases of scheduled events", "events", len(due), "error", err)
		}
		return
	}
	w.held.renewed(due, now)
}

// contact is whether the worker has been in touch with its database. Where it hasn't, other workers may not have been
// either: the leases of workers that are alive have ended, and they renew them as soon as the database is back. So a
// worker that has lost contact, or that stood still itself, leaves them the time of one lease before it takes events
// back.
type contact struct {
	longest time.Duration // between two answers of the database

	mu   sync.Mutex
	last time.Time // when the database last answered; zero before the first time
	lost bool
}

func newContact(poll, lease time.Duration) *contact {
	return &contact{longest: max(3*poll, lease)} // a poll in lookBackEvery doesn't ask the database
}

// made records that the database has answered.
func (c *contact) made(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lost, c.last = c.isLost(now), now
}

// failed records that it has not.
func (c *contact) failed() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lost = true
}

// wasLost reports whether there was a time without contact, since the last call of regained.
func (c *contact) wasLost(now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.isLost(now)
}

func (c *contact) isLost(now time.Time) bool {
	return c.lost || now.Sub(cmp.Or(c.last, now)) > c.longest
}

// regained records that other workers had time to renew their leases.
func (c *contact) regained(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lost, c.last = false, now
}

// letOthersRenew returns once other workers had time to renew their leases: at once, unless contact was lost.
func (w *Worker) letOthersRenew(ctx context.Context) error {
	if !w.contact.wasLost(time.Now()) {
		return nil
	}
	if _, err := pollWork(ctx, w.db, sinceMargin, w.order); err != nil {
		return err
	}
	select {
	case <-time.After(w.cfg.lease):
		w.contact.regained(time.Now())
	case <-ctx.Done():
	}
	return ctx.Err()
}
