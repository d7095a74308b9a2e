package payment

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/store"
)

// Pay takes a booking's deposit, balance, or an amount. It has three phases: under the balance lock it claims the key,
// judges the order and writes the attempt; with no lock and no transaction it calls the provider; under the lock again it
// records the outcome and, if that is final, the answer. A request that is repeated goes on where the first one was left.
//
// A response with status 202 tells of a payment whose end isn't known yet; it is not stored, and repeating the request
// tells more. Errors: problem.NotFound, problem.HoldExpired, problem.InvalidState, problem.PaymentInProgress,
// problem.PaymentsNotConfigured, problem.ProviderUnavailable; problem.OutcomeUnknown where the outcome could not be recorded; those of idempotency.Gate.Do and
// of store.Store.Balance.
func (s *Service) Pay(ctx context.Context, tenant uuid.UUID, r idempotency.Request, booking uuid.UUID, o Order) (idempotency.Response, error) {
	return s.gate.Do(ctx, tenant, r, func(ctx context.Context) (idempotency.Response, error) {
		if s.cfg.Provider == nil {
			return idempotency.Response{}, idempotency.Early(problem.New(problem.PaymentsNotConfigured, ""))
		}
		return s.transfer(ctx, tenant, r, booking, nil, func(st store.BalanceState) (store.NewPayment, error) {
			if err := payable(*st.Booking, st.Now); err != nil {
				return store.NewPayment{}, err
			}
			summary := summarize(*st.Booking, st.Sum, st.Now)
			amount, err := o.amount(summary)
			return store.NewPayment{Kind: string(o.Kind), Amount: amount, Currency: summary.Currency, Method: o.Method, Provider: s.cfg.Provider.Name()}, err
		})
	})
}

// Refund returns a payment, or amount of it in minor units of its currency; nil returns what is left. See Pay. Errors
// besides: problem.InvalidState for what isn't a payment that succeeded; problem.RefundExceedsPayment.
func (s *Service) Refund(ctx context.Context, tenant uuid.UUID, r idempotency.Request, payment uuid.UUID, amount *int64) (idempotency.Response, error) {
	return s.gate.Do(ctx, tenant, r, func(ctx context.Context) (idempotency.Response, error) {
		paid, err := s.store.Payment(ctx, tenant, payment)
		if err != nil {
			return idempotency.Response{}, err
		}
		if paid == nil {
			return idempotency.Response{}, idempotency.Early(problem.Missing())
		}
		return s.transfer(ctx, tenant, r, paid.BookingID, &payment, func(st store.BalanceState) (store.NewPayment, error) {
			return refundOf(st.Payment, st.Refunded, amount)
		})
	})
}

// refundOf judges the refund of a payment of which refunded was returned already.
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
