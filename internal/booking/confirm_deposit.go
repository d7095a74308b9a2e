package booking

import (
	"time"

	"github.com/google/uuid"

	"holdfast/internal/lock"
	"holdfast/internal/store"
)

// PaidHold is a hold that the payment of its deposit confirms.
type PaidHold struct{ booking Booking }

// PaidHoldOf returns the hold that a booking's money confirms at now, and false for a booking that it doesn't confirm: one that is no hold
// or whose hold is over, one whose service doesn't ask for it, one without a customer, and one whose deposit isn't paid. row is the booking
// with its money as it will be; returning is what is on its way back of it, in minor units. Without a deposit any payment confirms.
func PaidHoldOf(row *store.Booking, returning int64, now time.Time) (PaidHold, bool, error) {
	if !row.ConfirmOnDeposit || Status(row.Status) != Held {
		return PaidHold{}, false, nil
	}
	b, err := fromRow(row)
	if err != nil {
		return PaidHold{}, false, err
	}
	paid := !b.state().Lapsed(now) && b.HasCustomer() && b.state().Due(b.Deposit, b.Paid, b.refunded+returning, now) == 0
	return PaidHold{b}, paid, nil
}

// Locks names the calendar locks of the hold's dates, buffers included.
func (h PaidHold) Locks(tenant uuid.UUID) (lock.CalendarKeys, error) {
	return calendarKeys(tenant, datesOf(h.booking.busyFrom, h.booking.busyUntil, h.booking.Location))
}

// ConfirmPaidHold confirms a hold at now, in a transaction that holds the calendar locks of its dates and writes its money. It queues what
// people receive of that, the event of the outbox and the entry of the history, all of them after those of the payment.
func (s *Service) ConfirmPaidHold(tx *store.HoldTx, h PaidHold, now time.Time) error {
	own, err := parseReminders(tx.Messages.Reminders)
	if err != nil {
		return err
	}
	messages, err := messagesOf(tx.Messages.Settings, own)
	if err != nil {
		return err
	}
	before, b := h.booking, h.booking
	tx.EndEvents(b.ID, b.Status.endedKinds(Confirmed)...)
	tx.ConfirmHold(b.storedVersion)
	b.become(Confirmed, now)
	planned, err := s.confirmedEvents(b, messages, now)
	if err != nil {
		return err
	}
	tx.PlanEvents(planned...)
	resp, err := b.changed()
	if err != nil {
		return err
	}
	return b.tell(tx, changedEvents[Confirm], &before, resp.Body)
}
