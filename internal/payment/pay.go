package payment

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/store"
)

// Pay charges a booking's deposit, its balance, or an amount. It has three phases. The first, under the balance lock,
// claims the key, checks the order and inserts the attempt. The second calls the provider, with no lock and no transaction.
// The third, under the lock again, records the outcome and stores the response if it is final. A repeated request continues
// where the first one stopped.
//
// A response with status 202 means that the outcome isn't known yet. It is not stored; repeating the request returns the
// current state. Errors: problem.NotFound, problem.HoldExpired, problem.InvalidState, problem.PaymentInProgress,
// problem.PaymentsNotConfigured, problem.ProviderUnavailable; problem.OutcomeUnknown if the outcome could not be recorded;
// the errors of idempotency.Guard.Begin and store.Store.Balance.
func (s *Service) Pay(ctx context.Context, tenant uuid.UUID, r idempotency.Request, booking uuid.UUID, o Order) (idempotency.Response, error) {
	turn, resp, err := s.guard.Begin(ctx, tenant, r)
	if turn == nil {
		return resp, err
	}
	defer turn.End()
	if s.cfg.Provider == nil {
		return turn.Refuse(ctx, problem.New(problem.PaymentsNotConfigured, ""))
	}
	return s.transfer(ctx, tenant, r, booking, nil, func(st store.BalanceState) (store.NewPayment, error) {
		if err := payable(*st.Booking, st.Now); err != nil {
			return store.NewPayment{}, err
		}
		summary := summarize(*st.Booking, st.Sum, st.Now)
		amount, err := o.amount(summary)
		return store.NewPayment{Kind: string(o.Kind), Amount: amount, Currency: summary.Currency, Method: o.Method, Provider: s.cfg.Provider.Name()}, err
	})
}

// Refund refunds amount of a payment, in minor units of its currency; nil refunds the rest. Phases and errors are those of
// Pay, and also problem.InvalidState unless the payment succeeded, and problem.RefundExceedsPayment.
func (s *Service) Refund(ctx context.Context, tenant uuid.UUID, r idempotency.Request, payment uuid.UUID, amount *int64) (idempotency.Response, error) {
	turn, resp, err := s.guard.Begin(ctx, tenant, r)
	if turn == nil {
		return resp, err
	}
	defer turn.End()
	paid, err := s.store.Payment(ctx, tenant, payment)
	if err != nil {
		return turn.Refuse(ctx, err)
	}
	return s.transfer(ctx, tenant, r, paid.BookingID, &payment, func(st store.BalanceState) (store.NewPayment, error) {
		return refundOf(st.Payment, st.Refunded, amount)
	})
}

// refundOf returns the refund of p to insert. refunded is the sum of its earlier refunds.
func refundOf(p *store.Payment, refunded int64, amount *int64) (store.NewPayment, error) {
	if p == nil {
		return store.NewPayment{}, problem.Missing()
	}
	if p.RefundOf != nil || p.Status != string(StatusSucceeded) {
		return store.NewPayment{}, problem.New(problem.InvalidState, "Only a payment that succeeded can be refunded.")
	}
	left := p.Amount - refunded
	want := left
	if amount != nil {
		want = *amount
	}
	if left == 0 || want > left {
		return store.NewPayment{}, problem.New(problem.RefundExceedsPayment, "This is more than what is left of the payment.")
	}
	return store.NewPayment{RefundOf: &p.PaymentID, Kind: string(Refund), Amount: want, Currency: p.Currency, Provider: p.Provider}, nil
}
