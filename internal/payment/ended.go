package payment

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/store"
)

// The pause before an ended booking's payments are judged again, while one of them is still open: the booking's age, within
// these bounds. A bank debit can take days to end.
const (
	minEndedPause = 5 * time.Second
	maxEndedPause = 10 * time.Minute
)

// ProcessEndedBookings works on the payments of bookings that ended before they took place, at most 20 bookings, and returns how
// many there were. Open payments are cancelled. Where the booking was a hold, captured payments are refunded, each once, when
// none of its payments is open any more. Errors of one booking go to the log, and a worker tries that booking again later.
//
// It takes the lock `{tenant}:balance:{booking}` of each booking. Errors: problem.DatabaseUnavailable, problem.OutcomeUnknown.
func (s *Service) ProcessEndedBookings(ctx context.Context) (int, error) {
	batch, err := s.store.ClaimEndedBookings(ctx, claimLimit, s.lease())
	if err != nil {
		return 0, fmt.Errorf("claim ended bookings: %w", err)
	}
	inParallel(batch, func(ended store.EndedBooking) {
		// A claimed booking is finished: giving it up in the middle would only make it wait for its lease.
		if err := s.endBookingPayments(context.WithoutCancel(ctx), ended); err != nil {
			s.log.Error("end the payments of an ended booking", "tenant", ended.TenantID, "booking", ended.BookingID, "error", err)
		}
	})
	return len(batch), nil
}

// endBookingPayments queues, under the booking's balance lock, what its payments still need. The resolver carries it out.
func (s *Service) endBookingPayments(ctx context.Context, ended store.EndedBooking) error {
	read := store.BalanceRead{Payments: true}
	return s.store.Balance(ctx, balanceKey(ended.TenantID, ended.BookingID), read, func(tx *store.BalanceTx, st store.BalanceState) error {
		work := planEnded(st.Payments, ended.Refund, st.Now)
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
		if work.wait {
			age := st.Now.Sub(ended.CreatedAt)
			tx.DelayEndedBooking(st.Now.Add(min(max(age, minEndedPause), maxEndedPause)))
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
	// wait says that a payment, or a refund that a client asked for, has no end yet: what is refunded isn't known before.
	wait bool
}

// planEnded judges the payments of an ended booking. Each captured payment is refunded once: its amount less its earlier refunds.
// A declined automatic refund is logged elsewhere and not repeated. Without refund, only open payments are cancelled: the
// tenant decides about captured ones, and the resolver refunds what is captured from now on.
func planEnded(payments []store.Payment, refund bool, now time.Time) (w endedWork) {
	refunded, automatic := map[uuid.UUID]int64{}, map[uuid.UUID]bool{}
	for _, p := range payments {
		open := !fromRow(p).final()
		switch {
		case p.RefundOf == nil && open:
			if p.CancelAt == nil || p.CancelAt.After(now) { // else the resolver is cancelling it
				w.cancel = append(w.cancel, p.PaymentID)
			}
		case p.RefundOf != nil && p.Automatic:
			automatic[*p.RefundOf] = true
			continue
		case p.RefundOf != nil:
			refunded[*p.RefundOf] += p.Amount
		}
		w.wait = w.wait || open
	}
	if !refund {
		w.wait = false
		return w
	}
	if w.wait {
		return w
	}
	for _, p := range payments {
		left := p.Amount - refunded[p.PaymentID]
		if p.RefundOf == nil && left > 0 && !automatic[p.PaymentID] {
			w.refund = append(w.refund, store.NewPayment{
				RefundOf: &p.PaymentID, Kind: string(Refund), Amount: left, Currency: p.Currency, Provider: p.Provider, Automatic: true,
			})
		}
	}
	return w
}
