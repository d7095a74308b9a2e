package payment

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
)

// Pay charges a booking's deposit, its balance, or an amount, to a payment method, on the provider's page, to a wallet,
// or to a wallet and one of the others. It has three phases. The first, under the balance lock, begins the key, checks
// the order and inserts the attempt. The second calls the provider, with no lock and no transaction. The third, under
// the lock again, records the outcome and stores the response if it is final. A repeated request continues where the
// first one stopped.
//
// A payment that completes the deposit of a hold confirms the hold in the commit that records it, if its service says
// so: see booking.PaidHoldOf.
//
// A payment that the wallet pays alone is complete in the first phase. Otherwise the wallet holds its part from the
// first phase to the third, which captures or releases it.
//
// A payment on the provider's page is begun with status 202, and its body has the page as action_url. The page ends
// when the hold does, and after LongestCheckout at the latest; the payment is then declined with Cancelled.
//
// An offline payment is complete in the first phase: a person says that the money was received.
//
// A response with status 202 means that the outcome isn't known yet. It is not stored; repeating the request returns
// the current state. Errors: problem.NotFound, problem.HoldExpired, problem.InvalidState, problem.PaymentInProgress,
// problem.PaymentsNotConfigured, problem.PaymentAccountNotReady, problem.ProviderUnavailable; problem.OutcomeUnknown if
// the outcome could not be recorded; problem.VersionMismatch; problem.ValidationFailed for a wallet of another
// currency, a payment method that is missing or can't be used, a return URL that isn't valid, or an offline payment
// with an unreadable note or at a time out of bounds; the errors of db.Request.Outcome and db.DB.Balance.
func (s *Service) Pay(ctx context.Context, tenant uuid.UUID, r idempotency.Request, booking uuid.UUID, order PayRequest,
) (idempotency.Outcome, error) {
	request := r.DBRequest(tenant)
	err := order.check()
	switch {
	case err != nil:
		return idempotency.Outcome{}, err
	case s.cfg.Provider == nil && order.WalletID == nil && order.Offline == nil:
		return idempotency.Outcome{}, problem.New(problem.PaymentsNotConfigured, "")
	}
	return request.Outcome(s.pay(ctx, tenant, request, booking, order))
}

func (s *Service) pay(ctx context.Context, tenant uuid.UUID, request *db.Request, booking uuid.UUID,
	order PayRequest,
) error {
	err := s.payOnce(ctx, tenant, request, booking, order)
	// The provider may have found the account ready since it was asked.
	if problem.Is(err, problem.PaymentAccountNotReady) {
		if a, _ := s.Account(ctx, tenant); a.CanCharge {
			return s.payOnce(ctx, tenant, request, booking, order)
		}
	}
	return err
}

func (s *Service) payOnce(ctx context.Context, tenant uuid.UUID, request *db.Request, booking uuid.UUID,
	order PayRequest,
) error {
	metadata, err := encodeMetadata(order.Metadata)
	if err != nil {
		return err
	}
	about := subject{booking: booking, wallet: order.WalletID, atOnce: order.Offline != nil, allowed: order.Allowed}
	if s.cfg.Provider != nil {
		about.accountAt = s.cfg.Provider.Name()
	}
	return s.transfer(ctx, tenant, request, about, func(st balanceState, w *lockedWallet) (newPayment, error) {
		if w != nil && w.wallet.Currency != st.Booking.Currency {
			return newPayment{},
				problem.Invalid("wallet_id", "other_currency", "Expected a wallet of the booking's currency.")
		}
		if err := payable(*st.Booking, st.Now); err != nil {
			return newPayment{}, err
		}
		summary := summarize(*st.Booking, st.Sum, st.Now)
		amount, err := order.amount(summary)
		n := newPayment{
			Kind: string(order.Kind), Amount: amount, Currency: summary.Currency, Method: order.Method,
			Metadata: metadata,
		}
		if order.Checkout != nil {
			n.ReturnURL = &order.Checkout.ReturnURL
		}
		if err == nil && w != nil {
			n, err = order.divide(n, w.wallet.Current(st.Now).Available())
		}
		if err == nil && order.Offline != nil {
			n, err = order.Offline.received(n, st.Now)
		}
		switch {
		case err != nil || completesAtOnce(n):
			return n, err
		case s.cfg.Provider == nil:
			return n, problem.New(problem.PaymentsNotConfigured, "")
		}
		n.Provider = s.cfg.Provider.Name()
		if order.Checkout != nil {
			n.CancelAt = new(checkoutEnd(*st.Booking, order.Checkout.HoldUntil, st.Now))
		}
		return chargeTo(n, st.Account)
	})
}
