package payment

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/db"
	"holdfast/internal/event"
)

// The pause before an ended booking is checked again while one of its payments is open. It equals the time since the
// booking ended, within these bounds: a bank debit can take days.
const (
	minEndedPause = 5 * time.Second
	maxEndedPause = 10 * time.Minute
)

// EndedBooking returns the kind of event that ends the payments of a booking that ended before it took place. Open
// payments are cancelled. If the booking was a hold, or ended by its cancellation policy, what was paid beyond what it
// owes is refunded, once, as soon as all of its payments are complete. The event never dies.
func (s *Service) EndedBooking() event.Kind {
	return event.Kind{Name: event.KindEndedBooking, Handle: func(ctx context.Context, e event.Event) (event.Result,
		error) {
		return s.endPayments(ctx, e.TenantID, e.Subject.ID)
	}}
}

// endPayments queues cancellations and refunds under the lock `{tenant}:balance:{booking}`. The resolver carries them
// out.
func (s *Service) endPayments(ctx context.Context, tenant, id uuid.UUID) (result event.Result, err error) {
	read := balanceRead{Payments: true, Ended: true, Change: true}
	err = s.ofBalance(ctx, nil, tenant, id, read, func(tx *db.BalanceTx, st balanceState) error {
		result = event.Done()
		if st.Ended == nil {
			return nil
		}
		owed := stateOf(*st.Booking).Owed(st.Booking.Price, booking.Balance(st.Sum), st.Now)
		work := planEnded(st.Payments, *st.Ended, owed, st.Now)
		for _, open := range work.cancel {
			cancelPayment(tx, open, st.Now)
		}
		for _, r := range work.refund {
			r.PaymentID, r.LeasedUntil = uuid.Must(uuid.NewV7()), st.Now // sent by the resolver
			started := insertPayment(tx, id, r, st.Now)
			if err := recordMoney(tx, st, Payment{}, fromRow(started), 0); err != nil {
				return err
			}
		}
		if work.wait {
			next := st.Now.Add(min(max(st.Now.Sub(st.Ended.CreatedAt), minEndedPause), maxEndedPause))
			result = event.Again(next)
			return nil
		}
		booking.QueuePaymentsEnded(tx, tx.Booking())
		return nil
	})
	return result, err
}

// endedWork lists the actions that the payments of an ended booking need.
type endedWork struct {
	cancel []uuid.UUID
	refund []newPayment
	// wait: a payment or a requested refund is still open, so the amounts to refund aren't known yet.
	wait bool
}

// planEnded plans the work on an ended booking's payments. What was paid beyond owed is refunded, from the latest
// payment on, each to where it came from and less its earlier refunds. A declined automatic refund is not repeated, nor
// made up for by another payment; recording it logs an error. Without ended.Refund, only open payments are cancelled:
// the tenant decides about captured ones, and payments captured later are refunded automatically.
func planEnded(payments []paymentRow, ended endedRow, owed int64, now time.Time) (w endedWork) {
	var kept int64
	left, automatic := map[uuid.UUID]int64{}, map[uuid.UUID]bool{}
	for _, p := range payments {
		open := !fromRow(p).final()
		switch {
		case p.RefundOf != nil:
			kept -= p.Amount
			left[*p.RefundOf] -= p.Amount
			automatic[*p.RefundOf] = automatic[*p.RefundOf] || p.Automatic
			w.wait = w.wait || open && !p.Automatic
		case open:
			paysFee := owed > 0 && !p.CreatedAt.Before(ended.CreatedAt)
			if !paysFee && (p.CancelAt == nil || p.CancelAt.After(now)) { // otherwise the resolver cancels it already
				w.cancel = append(w.cancel, p.PaymentID)
			}
			w.wait = true
		default:
			kept += p.Amount
			left[p.PaymentID] += p.Amount
		}
	}
	if !ended.Refund {
		w.wait = false
		return w
	}
	if w.wait {
		return w
	}
	for _, p := range slices.Backward(payments) {
		back := refundable(&p, left[p.PaymentID], kept-owed)
		if p.RefundOf == nil && back > 0 && !automatic[p.PaymentID] {
			refund := newRefund(&p, back)
			refund.Automatic = true
			w.refund = append(w.refund, refund)
			kept -= back
		}
	}
	return w
}
