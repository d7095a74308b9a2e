package booking

import (
	"context"
	"errors"
	"time"

	"holdfast/internal/catalog"
	"holdfast/internal/datetime"
	"holdfast/internal/db"
	"holdfast/internal/lock"

	"github.com/google/uuid"

	"holdfast/internal/claim/occupancy"
	"holdfast/internal/etag"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

// Confirm confirms a hold under the date locks of its dates, the same that creating one takes: at the moment at which
// the hold expires, its confirmation and a rival's booking exclude each other.
//
// With a.IfStillFree, a hold past its expiry is judged like a new booking of its resource at its time, by the rules as
// they are now: see timetable.Rules.Reclaim. It may get other units of the resource. What was paid is kept, unless its
// refund has begun. What else a changes, changes in the same commit: see Amend. A hold past its expiry can't be moved
// or extended.
//
// Errors: problem.NotFound, also for a customer's id; problem.ValidationFailed for a customer, and without one for a
// hold that has none; problem.VersionMismatch, problem.HoldExpired, problem.InvalidState; with DepositFirst
// problem.DepositDue; with IfStillFree problem.SlotUnavailable; with ExpectPrice problem.PriceChanged; those of
// CustomerRules.CheckDetails, of db.Request.Outcome and of Service.dates. No refusal writes anything.
func (s *Service) Confirm(ctx context.Context, t tenant.Tenant, r idempotency.Request, id uuid.UUID, a AmendRequest,
	allowed etag.Precondition,
) (idempotency.Outcome, error) {
	a.Confirm = true
	return s.amendWithKey(ctx, t, r, id, a, allowed)
}

// confirm confirms a hold, also one that is over: then IfStillFree asked for it. Errors: problem.ValidationFailed and
// problem.NotFound for the customer, problem.SlotUnavailable; also holdsInTheWay that have to be marked as expired
// first.
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
	if b.State().hasExpired(c.st.Now) {
		a, err := c.rules.Reclaim(b.booked(), b.PartySize, c.st.Occupied, c.st.Count, c.st.Now)
		switch {
		case err != nil:
			return err
		case len(a.Expire) > 0:
			return holdsInTheWay(a.Expire)
		}
		c.tx.replaceClaims(takenClaims{BookingID: b.ID, Claims: a.Claims, Session: a.Session})
		QueuePaymentsEnded(c.tx, b.ID)
	} else {
		occupancy.Keep(c.tx.DatesTx, b.ID)
	}
	c.tx.EndEvents(bookingChanged, b.ID, b.Status.endedKinds()...)
	b.Status = Confirmed
	b.reached(Confirmed, c.st.Now)
	c.addEvent(ConfirmedEvent)
	return nil
}

// PaidHold is a hold that the payment of its deposit confirms.
type PaidHold struct {
	// Dates are the date locks of its dates, buffers included.
	Dates   lock.DateKeys
	booking Booking
}

// PaidHoldOf returns the hold that a booking's money confirms at now, and false for a booking that it doesn't
// confirm: one that is no hold or whose hold is over, one whose service doesn't ask for it, one without a customer,
// and one whose deposit isn't paid. row is the booking with its money as it will be. Without a deposit any payment
// confirms.
func PaidHoldOf(tenant uuid.UUID, row *Row, now time.Time) (PaidHold, bool, error) {
	if Status(row.Status) != Held || len(row.Terms) <= len(catalog.NoTerms) {
		return PaidHold{}, false, nil
	}
	b, err := FromRow(row)
	if err != nil {
		return PaidHold{}, false, err
	}
	if !b.ConfirmOnDeposit || b.State().Lapsed(now) || !b.HasCustomer() || b.DepositDue(now) > 0 {
		return PaidHold{}, false, nil
	}
	dates, err := catalog.DateKeys(tenant, datetime.DatesIn(b.busyFrom, b.busyUntil, b.Location))
	return PaidHold{Dates: dates, booking: b}, true, err
}

// ConfirmPaidHold confirms a hold at now, in the transaction that writes its money and holds the date locks of its
// dates. It queues the change after the change that records the payment. It returns an error, which is a defect of the
// caller, if the lock of one of the dates isn't held.
func (s *Service) ConfirmPaidHold(tx *db.DatesTx, h PaidHold, now time.Time) error {
	b := h.booking
	if !tx.Holds(h.Dates) {
		return errors.New("confirm a hold: the lock of one of its dates isn't held")
	}
	queueStatus(tx, b.ID, b.storedVersion, Confirmed)
	occupancy.Keep(tx, b.ID)
	tx.EndEvents(bookingChanged, b.ID, b.Status.endedKinds()...)
	b.become(Confirmed, now)
	resp, err := b.changed()
	if err != nil {
		return err
	}
	tx.AddChange(b.Record(transitionEvents[Confirm], resp.Body))
	return nil
}
