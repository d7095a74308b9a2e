package payment

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/idempotency"
	"holdfast/internal/lock"
	"holdfast/internal/problem"
	"holdfast/internal/store"
)

// Cancel cancels an open payment, so that the booking can be paid another way. It has the three phases of Pay: it takes the
// payment over, cancels it at the provider, and records the outcome. If the customer completes the payment first, the
// payment succeeds.
//
// A response with status 202 means that the payment isn't cancelled yet: another process works on it, or the provider can't
// cancel it now or gave no outcome. The resolver cancels it as soon as possible. Such a response is not stored. Errors:
// problem.NotFound; problem.InvalidState for refunds and for payments that succeeded or were declined;
// problem.OutcomeUnknown if the outcome could not be recorded; the errors of idempotency.Guard.Begin and store.Store.Balance.
func (s *Service) Cancel(ctx context.Context, tenant uuid.UUID, r idempotency.Request, id uuid.UUID,
) (resp idempotency.Response, err error) {
	turn, resp, err := s.guard.Begin(ctx, tenant, r)
	if turn == nil {
		return resp, err
	}
	defer turn.End(&resp, &err)
	p, err := s.store.Payment(ctx, tenant, id)
	if err != nil {
		return turn.Refuse(ctx, err)
	}
	resp, a, err := s.startCancel(ctx, tenant, r, p)
	if err != nil || a == nil {
		return resp, err
	}
	// From here on the payment is cancelled, by this request or by the resolver, even if the client disconnects.
	ctx = context.WithoutCancel(ctx)
	resp, err = s.recordCancel(ctx, r, *a, s.cancelCharge(ctx, *a))
	return resp, notRecorded(err, "The payment is being cancelled")
}

// startCancel runs the first phase. It returns a response if the request is complete, else the payment to cancel. It sets
// the payment's cancel time to now, so that the resolver cancels it if this process dies.
func (s *Service) startCancel(ctx context.Context, tenant uuid.UUID, r idempotency.Request, p store.Payment) (resp idempotency.Response, a *attempt, err error) {
	read := store.BalanceRead{Key: r.Key(), Payment: &p.PaymentID}
	err = s.store.Balance(ctx, lock.Balance(tenant, p.BookingID), read, func(tx *store.BalanceTx, st store.BalanceState) error {
		resp, a = idempotency.Response{}, nil
		if st.Payment == nil {
			return problem.Missing()
		}
		row := *st.Payment
		if st.StoredResponse != nil || row.RefundOf != nil || fromRow(row).final() {
			resp, err = s.respondToCancel(tx, st, r, fromRow(row))
			return err
		}
		cancelPayment(tx, row.PaymentID, st.Now)
		if row.CancelAt.After(st.Now) {
			row.CancelAt = &st.Now
		}
		row.UpdatedAt = st.Now
		if row.LeasedUntil.After(st.Now) { // leased to another process: the resolver cancels it later
			resp, err = fromRow(row).cancelResponse()
			return err
		}
		row.Fence++
		row.LeasedUntil = st.Now.Add(s.lease())
		takePayment(tx, row, st.Payment.Fence)
		a = &attempt{tenant: tenant, payment: row, cancel: true}
		return nil
	})
	return resp, a, err
}

// recordCancel runs the third phase. A refusal is returned after the commit: the provider's outcome stays recorded.
func (s *Service) recordCancel(ctx context.Context, r idempotency.Request, a attempt, result callResult) (resp idempotency.Response, refusal error) {
	_, err := s.record(ctx, a.tenant, a.payment, r.Key(), result, func(tx *store.BalanceTx, st store.BalanceState, p Payment) {
		resp, refusal = s.respondToCancel(tx, st, r, p)
	})
	if err != nil {
		return idempotency.Response{}, err
	}
	return resp, refusal
}

// respondToCancel returns the response to a request to cancel p, and queues storing it if it is final.
func (s *Service) respondToCancel(tx *store.BalanceTx, st store.BalanceState, r idempotency.Request, p Payment) (idempotency.Response, error) {
	refuse := func(detail string) (idempotency.Response, error) {
		return idempotency.Response{}, problem.New(problem.InvalidState, detail)
	}
	switch {
	case st.StoredResponse != nil:
		return r.Replay(st.StoredResponse)
	case p.RefundOf != nil:
		return refuse("A refund can't be cancelled.")
	case p.Status == StatusSucceeded:
		return refuse("The payment has succeeded. Refund it instead.")
	case p.Status == StatusDeclined && (p.DeclineCode == nil || *p.DeclineCode != Cancelled):
		return refuse("The payment was declined, so there is nothing to cancel.")
	}
	resp, err := p.cancelResponse()
	if err == nil && p.final() {
		tx.StoreResponse(r.Record(resp, st.Now))
	}
	return resp, err
}
