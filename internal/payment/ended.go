package payment

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/lock"
	"holdfast/internal/store"
)

// The pause before an ended booking is checked again while one of its payments is open. It equals the time since the
// booking ended, within these bounds: a bank debit can take days.
const (
	minEndedPause = 5 * time.Second
	maxEndedPause = 10 * time.Minute
)

// ProcessEndedBookings ends the payments of bookings that ended before they took place, at most 20 bookings, and returns
// how many there were. Open payments are cancelled. If the booking was a hold, captured payments are refunded, each once,
// as soon as all of its payments are complete. Errors of single bookings are logged, and these bookings are retried later.
//
// It takes the lock `{tenant}:balance:{booking}` of each booking. Errors: problem.DatabaseUnavailable,
// problem.OutcomeUnknown.
func (s *Service) ProcessEndedBookings(ctx context.Context) (int, error) {
	batch, err := s.store.ClaimEndedBookings(ctx, claimLimit, s.lease())
	if err != nil {
		return 0, fmt.Errorf("claim ended bookings: %w", err)
	}
	inParallel(batch, func(ended store.EndedBooking) {
		// A claimed booking is completed even if ctx ends. Otherwise it would wait until its lease expires.
		if err := s.endBookingPayments(context.WithoutCancel(ctx), ended); err != nil {
			s.log.Error("end the payments of an ended booking", "tenant", ended.TenantID, "booking", ended.BookingID, "error", err)
		}
	})
	return len(batch), nil
}

// endBookingPayments queues cancellations and refunds under the booking's balance lock. The resolver carries them out.
func (s *Service) endBookingPayments(ctx context.Context, ended store.EndedBooking) error {
	read := store.BalanceRead{Payments: true}
	return s.store.Balance(ctx, lock.Balance(ended.TenantID, ended.BookingID), read, func(tx *store.BalanceTx, st store.BalanceState) error {
		work := planEnded(st.Payments, ended.Refund, st.Now)
		for _, id := range work.cancel {
			tx.CancelPayment(id)
		}
		for _, r := range work.refund {
			r.PaymentID, r.LeasedUntil = uuid.Must(uuid.NewV7()), st.Now // sent by the resolver
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

// endedWork lists the actions that the payments of an ended booking need.
type endedWork struct {
	cancel []uuid.UUID
	refund []store.NewPayment
	// wait: a payment or a requested refund is still open, so the amounts to refund aren't known yet.
	wait bool
}

// planEnded plans the work on an ended booking's payments. Each captured payment is refunded once, less its earlier
// refunds. A declined automatic refund is not repeated; recording it logs an error. Without refund, only open payments are
// cancelled: the tenant decides about captured ones, and payments captured later are refunded automatically.
func planEnded(payments []store.Payment, refund bool, now time.Time) (w endedWork) {
	refunded, automatic := map[uuid.UUID]int64{}, map[uuid.UUID]bool{}
	for _, p := range payments {
		open := !fromRow(p).final()
		switch {
		case p.RefundOf == nil && open:
			if p.CancelAt == nil || p.CancelAt.After(now) { // otherwise the resolver cancels it already
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
