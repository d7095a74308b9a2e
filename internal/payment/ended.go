package payment

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/store"
)

// endedBookingPause is how long the worker waits for the end of a payment that is still open.
const endedBookingPause = 5 * time.Second

// EndBookingsOnce works on the payments of bookings that ended before they took place, at most 20 bookings, and returns how
// many there were. Open payments are cancelled; where the booking was a hold, captured payments are refunded, each once. A booking is
// looked at again until none of its payments is open. What fails goes to the log and is tried again later.
//
// Errors: problem.DatabaseUnavailable, problem.OutcomeUnknown.
func (s *Service) EndBookingsOnce(ctx context.Context) (int, error) {
	batch, err := s.store.ClaimEndedBookings(ctx, claimed, s.lease())
	if err != nil {
		return 0, fmt.Errorf("claim ended bookings: %w", err)
	}
	for _, ended := range batch {
		if err := s.endPayments(ctx, ended); err != nil {
			s.log.Error("end the payments of an ended booking", "tenant", ended.TenantID, "booking", ended.BookingID, "error", err)
		}
	}
	return len(batch), nil
}

// endPayments queues, under the booking's balance lock, what its payments still need. The resolver carries it out.
func (s *Service) endPayments(ctx context.Context, ended store.EndedBooking) error {
	read := store.BalanceRead{Payments: true}
	return s.store.Balance(ctx, balanceKey(ended.TenantID, ended.BookingID), read, func(tx *store.BalanceTx, st store.BalanceState) error {
		work := endOf(st.Payments, ended.Refund, st.Now)
		for _, id := range work.cancel {
			tx.CancelPayment(id)
		}
		for _, r := range work.refund {
			id, err := uuid.NewV7()
			if err != nil {
				return fmt.Errorf("make a refund's id: %w", err)
			}
			r.PaymentID, r.LeasedUntil = id, st.Now // the resolver sends it
			tx.InsertPayment(r)
		}
		if work.open {
			tx.DelayEndedBooking(st.Now.Add(endedBookingPause))
			return nil
		}
		tx.DeleteEndedBooking()
		return nil
	})
}

// endedWork is what the payments of an ended booking still need.
type endedWork struct {
	cancel []uuid.UUID
	refund []store.NewPayment
	// open says that a payment or refund has no end yet, so that the booking is looked at again.
	open bool
}

// endOf judges the payments of an ended booking. A payment is refunded once, by what is left of it when no refund is open;
// whether that refund succeeds doesn't matter here: the log tells of one that is declined.
func endOf(payments []store.Payment, refund bool, now time.Time) (w endedWork) {
	refunded, automatic := map[uuid.UUID]int64{}, map[uuid.UUID]bool{}
	for _, p := range payments {
		open := !fromRow(p).final()
		switch {
		case p.RefundOf == nil && open:
			if p.CancelAt == nil || p.CancelAt.After(now) { // else the resolver is at it
				w.cancel = append(w.cancel, p.PaymentID)
			}
		case p.RefundOf != nil && p.Automatic:
			automatic[*p.RefundOf] = true
			continue
		case p.RefundOf != nil:
			refunded[*p.RefundOf] += p.Amount
		}
		w.open = w.open || open
	}
	if !refund || w.open {
		return w
	}
	for _, p := range payments {
		left := p.Amount - refunded[p.PaymentID]
		if p.RefundOf == nil && left > 0 && !automatic[p.PaymentID] {
			w.refund = append(w.refund, store.NewPayment{
				RefundOf: &p.PaymentID, Kind: string(Return), Amount: left, Currency: p.Currency, Provider: p.Provider, Automatic: true,
			})
		}
	}
	return w
}
