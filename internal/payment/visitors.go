package payment

import (
	"context"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/problem"
)

// Options is how customers can pay a tenant now by card or on the provider's page.
type Options struct {
	// Provider is that of new payments, empty if there is none. Account is the tenant's account there, in which the
	// provider's page in the browser must make payment methods; empty for the platform's own.
	Provider, Account string
	// Ready: the provider takes payments for the tenant. Without, whatever has a deposit can't be booked by its
	// customers.
	Ready bool
}

// Options returns how customers can pay a tenant now. An account that can't take payments yet, and of which little is
// known, is looked up at the provider, as Account does. Errors: problem.DatabaseUnavailable.
func (s *Service) Options(ctx context.Context, tenant uuid.UUID) (Options, error) {
	if !s.HasProvider() {
		return Options{}, nil
	}
	a, err := s.Account(ctx, tenant)
	return Options{Provider: a.Provider, Account: a.ID, Ready: err == nil && (a.ID == "" || a.CanCharge)}, err
}

// OptionsBody is how customers can pay, as the API shows it.
type OptionsBody struct {
	Provider string `json:"provider,omitempty" example:"stripe" doc:"Absent if this server takes no payments."`
	Account  string `json:"account,omitempty" example:"acct_1OxYz2" doc:"The tenant's account at the provider: a page makes payment methods in it, with Stripe.js by stripeAccount. Absent if the platform's own takes the payments."`
	Ready    bool   `json:"ready" doc:"false: payments are refused now, with payment_account_not_ready or payments_not_configured, so what has a deposit can't be booked."`
}

// Body returns the options as the API shows them.
func (o Options) Body() OptionsBody { return OptionsBody(o) }

// HoldPayment is a payment for a hold, as a visitor of the tenant's website sees it.
type HoldPayment struct{ Payment }

// HoldPayment returns a payment by card of a visitor's hold. Errors: problem.NotFound, also for a payment of another
// booking, for a refund, for a payment from a wallet and for an offline one; problem.DatabaseUnavailable.
func (s *Service) HoldPayment(ctx context.Context, tenant, hold, id uuid.UUID) (HoldPayment, error) {
	p, err := s.Get(ctx, tenant, id)
	if err == nil && (p.BookingID != hold || p.RefundOf != nil || p.Provider == walletProvider ||
		p.Provider == offlineProvider) {
		err = problem.Missing()
	}
	return HoldPayment{p}, err
}

// HoldPaymentBody is a payment for a hold.
type HoldPaymentBody struct {
	ID           uuid.UUID  `json:"id" format:"uuid"`
	Kind         Kind       `json:"kind" enum:"deposit,balance,amount" example:"deposit"`
	Status       Status     `json:"status" example:"succeeded" doc:"unknown: the provider was asked and has not answered; it is found out without you."`
	Amount       int64      `json:"amount" example:"1000" doc:"Minor units of currency."`
	Currency     string     `json:"currency" example:"EUR"`
	Account      *string    `json:"account,omitempty" example:"acct_1OxYz2" doc:"The tenant's account at the provider, in which it is made; absent if that is the platform's own."`
	DeclineCode  *string    `json:"decline_code,omitempty" example:"insufficient_funds"`
	TryAgain     *bool      `json:"try_again,omitempty" doc:"With a decline: a new payment with the same method may succeed later."`
	ActionURL    *string    `json:"action_url,omitempty" doc:"Where the visitor has to go for the payment to go on: the provider's page of a checkout, or the bank's."`
	ClientSecret *string    `json:"client_secret,omitempty" doc:"For the provider's own widget."`
	CancelAt     *time.Time `json:"cancel_at,omitempty" doc:"With a payment that has no end yet: when it is cancelled if it has none by then."`
	CreatedAt    time.Time  `json:"created_at"`
}

// Body returns the payment as a visitor sees it.
func (p HoldPayment) Body() HoldPaymentBody { return p.Payment.Body().OfHold() }

// OfHold returns the payment as the visitor sees it who pays for a hold.
func (b PaymentBody) OfHold() HoldPaymentBody {
	return HoldPaymentBody{
		ID:           b.ID,
		Kind:         b.Kind,
		Status:       b.Status,
		Amount:       b.Amount,
		Currency:     b.Currency,
		Account:      b.Account,
		DeclineCode:  b.DeclineCode,
		TryAgain:     b.TryAgain,
		ActionURL:    b.ActionURL,
		ClientSecret: b.ClientSecret,
		CancelAt:     b.CancelAt,
		CreatedAt:    b.CreatedAt,
	}
}
