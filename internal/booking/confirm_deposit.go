package booking

import (
	"errors"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/catalog"
	"holdfast/internal/claim/occupancy"
	"holdfast/internal/datetime"
	"holdfast/internal/db"
	"holdfast/internal/lock"
)

// PaidHold is a hold that the payment of its deposit confirms.
type PaidHold struct {
	// Dates are the date locks of its dates, buffers included.
	Dates   lock.DateKeys
	booking Booking
}

// PaidHoldOf returns the hold that a booking's money confirms at now, and false for a booking that it doesn't confirm: one that is no hold
// or whose hold is over, one whose service doesn't ask for it, one without a customer, and one whose deposit isn't paid. row is the booking
// with its money as it will be. Without a deposit any payment confirms.
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
	tx.AddChange(b.Record(changedEvents[Confirm], resp.Body))
	return nil
}
