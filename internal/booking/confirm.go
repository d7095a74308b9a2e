package booking

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/catalog"
	"holdfast/internal/claim"
	"holdfast/internal/etag"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/store"
	"holdfast/internal/tenant"
	"holdfast/internal/timetable"
)

// Confirm confirms a hold under the date locks of its dates, the same that creating one takes: at the moment at which
// the hold expires, its confirmation and a rival's booking exclude each other.
//
// With a.IfStillFree, a hold past its expiry is judged like a new booking of its resource at its time, by the rules as
// they are now: see rules.reclaim. It may get other units of the resource. What was paid is kept, unless its refund has
// begun. What else a changes, changes in the same commit: see Amend. A hold past its expiry can't be moved or extended.
//
// Errors: problem.NotFound, also for a customer's id; problem.ValidationFailed for a customer, and without one for a
// hold that has none; problem.VersionMismatch, problem.HoldExpired, problem.InvalidState; with DepositFirst
// problem.DepositDue; with IfStillFree problem.SlotUnavailable; those of CustomerRules.CheckDetails, of
// store.Request.Response and of store.Store.Dates. No refusal writes anything.
func (s *Service) Confirm(ctx context.Context, t tenant.Tenant, r idempotency.Request, id uuid.UUID, a Amendment,
	allowed etag.Precondition,
) (idempotency.Response, error) {
	a.Confirm = true
	return s.amendOnce(ctx, t, r, id, a, allowed)
}

// confirm confirms a hold, also one that is over: then IfStillFree asked for it. Errors: problem.ValidationFailed and problem.NotFound for
// the customer, problem.SlotUnavailable; also holdsInTheWay that have to be marked as expired first.
func (c *amending) confirm() error {
	if !c.Confirm {
		return nil
	}
	if err := c.setCustomer(); err != nil {
		return err
	}
	b := &c.after
	if !b.HasCustomer() {
		return customerRequired()
	}
	if c.DepositFirst && b.DepositDue(c.st.Now) > 0 {
		return problem.New(problem.DepositDue, "The deposit is due. Pay it first; then the hold can be confirmed.")
	}
	if b.State().over(c.st.Now) {
		a, err := c.rules.reclaim(*b, c.st.Occupied, c.st.Count, c.st.Now)
		switch {
		case err != nil:
			return err
		case len(a.expire) > 0:
			return holdsInTheWay(a.expire)
		}
		c.tx.ReplaceClaims(store.BookingClaims{BookingID: b.ID, Claims: a.claims, Session: a.session})
		c.tx.KeepPayments(b.ID)
	} else {
		c.tx.KeepClaim(b.ID)
	}
	c.tx.EndEvents(bookingChanged, b.ID, b.Status.endedKinds()...)
	b.Status = Confirmed
	b.reached(Confirmed, c.st.Now)
	c.addEvent(ConfirmedEvent)
	return nil
}

// reclaim finds units for a booking whose hold is over, on its resource at its time with the buffers that it was made with. occupied and
// bookings (of the service on the date) were read under the dates' locks; now is the database's clock. What counts is what is so now: that
// the time isn't over, that service and resource take bookings, hours and closures, the maximum per day, capacity and units. The lead time,
// the booking window and the starts of slots don't count: they were kept when the hold was made.
//
// Errors: problem.SlotUnavailable.
func (r *rules) reclaim(b Booking, occupied []claim.Claim, bookings int, now time.Time) (allocation, error) {
	refuse := func(detail string) (allocation, error) {
		return allocation{}, problem.New(problem.SlotUnavailable, detail)
	}
	groups, err := r.candidates(b.ResourceIDs())
	switch {
	case !now.Before(b.EndsAt):
		return refuse("The hold has expired, and its time is over.")
	case err != nil:
		return refuse("The hold has expired, and its service or resource takes no new bookings.")
	case !groups[0].asked || groups[0].resources[0].ID != b.ResourceID:
		return refuse("The hold has expired, and its service needs other resources now.")
	}
	res := groups[0].resources[0]
	switch {
	case !r.kind().isOpen(r, &res, b.time()):
		return refuse("The hold has expired, and the resource is closed at its time.")
	case (b.sessionID != nil) != (r.service.Occupies == timetable.OccupiesSession):
		return refuse("The hold has expired, and its service takes other bookings now.")
	}
	at := b.time()
	at.busyFrom, at.busyUntil = b.busyFrom, b.busyUntil
	remaining, lapsed := without(b, occupied, now)
	p := allocator{
		rules: r, groups: groups, starting: []catalog.Resource{res}, party: b.PartySize, occupied: r.inTheWay(remaining),
		full: r.service.MaxPerDay != nil && bookings >= *r.service.MaxPerDay, now: now,
	}
	a, found := p.find(at, func(*catalog.Resource, bookingTime) bookingTime { return at })
	switch {
	case found && !slices.Equal(a.furtherIDs, b.furtherIDs):
		return refuse("The hold has expired, and its service needs other resources now.")
	case found:
		a.expire = append(a.expire, lapsed...)
		return a, nil
	case p.furtherClosed:
		return refuse("The hold has expired, and the resource is closed at its time.")
	case p.full:
		return refuse("The hold has expired, and the service takes no more bookings on this date.")
	}
	return refuse("The hold has expired, and its time is taken.")
}
