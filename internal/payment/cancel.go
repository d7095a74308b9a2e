package payment

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/store"
)

// Cancel ends a payment that has no end yet, so that its booking is free for another one. It has the three phases of Pay: it
// takes the payment over, cancels it at the provider, and records what came of it. If the customer completes the payment before
// the cancellation reaches the provider, the payment succeeds.
//
// A response with status 202 tells of a payment that could not be ended now: somebody else works on it, or the provider can't
// end it yet or gave no outcome. The resolver cancels it as soon as that is possible. That response is not stored. Errors:
// problem.NotFound; problem.InvalidState for a payment that has another end, and for refunds; problem.OutcomeUnknown where
// the outcome could not be recorded; those of idempotency.Gate.Do and of store.Store.Balance.
func (s *Service) Cancel(ctx context.Context, tenant uuid.UUID, r idempotency.Request, id uuid.UUID) (idempotency.Response, error) {
	return s.gate.Do(ctx, tenant, r, func(ctx context.Context) (idempotency.Response, error) {
		p, err := s.store.Payment(ctx, tenant, id)
		if err != nil {
			return idempotency.Response{}, err
		}
		if p == nil {
			return idempotency.Response{}, idempotency.Early(problem.Missing())
		}
		resp, a, err := s.startCancel(ctx, tenant, r, *p)
		if err != nil || a == nil {
			return resp, err
		}
		// From here on the payment is cancelled, by this request or by the resolver, whether or not the client waits.
		ctx = context.WithoutCancel(ctx)
		resp, err = s.recordCancel(ctx, r, *a, s.cancelCharge(ctx, *a))
		if problem.Is(err, problem.DatabaseUnavailable) || problem.Is(err, problem.LockTimeout) {
			err = problem.Wrap(err, problem.OutcomeUnknown, "The payment is being cancelled, and what came of it could not be recorded. "+
				"Repeat the request with the same Idempotency-Key to learn it.").Retry(time.Second)
		}
		return resp, err
	})
}

// startCancel is the first phase. It returns the answer if there is one, else the payment to cancel. From its commit on the
// payment's time is over, so that the resolver cancels it if this process dies.
func (s *Service) startCancel(ctx context.Context, tenant uuid.UUID, r idempotency.Request, p store.Payment) (resp idempotency.Response, a *attempt, err error) {
	read := store.BalanceRead{Key: r.Key(), Payment: &p.PaymentID}
	err = s.store.Balance(ctx, balanceKey(tenant, p.BookingID), read, func(tx *store.BalanceTx, st store.BalanceState) error {
		resp, a = idempotency.Response{}, nil
		if st.Payment == nil {
			return problem.Missing()
		}
		row := *st.Payment
		if st.Answer != nil || row.RefundOf != nil || fromRow(row).final() {
			resp, err = s.respondToCancel(tx, st, r, fromRow(row))
			return err
		}
		tx.CancelPayment(row.PaymentID)
		if at := s.cancelAt(row); at.After(st.Now) {
			row.CancelAt = &st.Now
		}
		row.UpdatedAt = st.Now
		if row.LeasedUntil.After(st.Now) { // somebody works on it, and the resolver goes on from there
			resp, err = fromRow(row).cancelResponse()
			return err
		}
		row.Fence++
		row.LeasedUntil = st.Now.Add(s.lease())
		tx.TakePayment(row)
		a = &attempt{tenant: tenant, payment: row, cancel: true}
		return nil
	})
	return resp, a, err
}

// recordCancel is the third phase.
func (s *Service) recordCancel(ctx context.Context, r idempotency.Request, a attempt, result callResult) (resp idempotency.Response, err error) {
	automatic, err := uuid.NewV7()
	if err != nil {
		return resp, fmt.Errorf("make a refund's id: %w", err)
	}
	var rec recorded
	var refusal error // it undoes nothing: what the provider said is recorded
	read := store.BalanceRead{Key: r.Key(), Payment: &a.payment.PaymentID}
	err = s.store.Balance(ctx, balanceKey(a.tenant, a.payment.BookingID), read, func(tx *store.BalanceTx, st store.BalanceState) error {
		if st.Payment == nil || st.Booking == nil {
			return fmt.Errorf("payment: %s of tenant %s is gone", a.payment.PaymentID, a.tenant)
		}
		if rec, err = s.applyResult(tx, st, result, automatic); err != nil {
			return err
		}
		resp, refusal = s.respondToCancel(tx, st, r, rec.payment)
		return nil
	})
	if err != nil {
		return idempotency.Response{}, err
	}
	s.report(rec)
	return resp, refusal
}

// respondToCancel returns the answer to a request to cancel p, and queues that it is stored if it is final.
func (s *Service) respondToCancel(tx *store.BalanceTx, st store.BalanceState, r idempotency.Request, p Payment) (idempotency.Response, error) {
	refuse := func(detail string) (idempotency.Response, error) {
		return idempotency.Response{}, problem.New(problem.InvalidState, detail)
	}
	switch {
	case st.Answer != nil:
		return r.Replay(st.Answer)
	case p.RefundOf != nil:
		return refuse("A refund can't be cancelled.")
	case p.Status == StatusSucceeded:
		return refuse("The payment has succeeded. Refund it instead.")
	case p.Status == StatusDeclined && (p.DeclineCode == nil || *p.DeclineCode != Cancelled):
		return refuse("The payment was declined, so there is nothing to cancel.")
	}
	resp, err := p.cancelResponse()
	if err == nil && p.final() {
		tx.PutAnswer(r.Record(resp, st.Now))
	}
	return resp, err
}

// cancelAt is when an open payment is to be cancelled. Payments of earlier versions have no such time.
func (s *Service) cancelAt(p store.Payment) time.Time {
	if p.CancelAt != nil {
		return *p.CancelAt
	}
	return p.CreatedAt.Add(s.cfg.Timeout)
}

// cancelDue reports whether an open payment is to be cancelled at now. Refunds never are.
func (s *Service) cancelDue(p store.Payment, now time.Time) bool {
	return p.RefundOf == nil && !s.cancelAt(p).After(now)
}

// resolveInTime makes the resolver work on an open payment at cancelAt at the latest. If that time is over, the resolver does so at
// once after any other call, and after the usual backoff if this call was a failed cancellation.
func (s *Service) resolveInTime(row *store.Payment, result callResult, now time.Time) {
	if row.ResolveAt == nil || row.RefundOf != nil {
		return
	}
	at := s.cancelAt(*row)
	if !at.After(now) {
		if result.cancel {
			return
		}
		at = now
	}
	if at.Before(*row.ResolveAt) {
		row.ResolveAt = &at
	}
}
