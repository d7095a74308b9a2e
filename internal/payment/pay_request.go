package payment

import (
	"github.com/google/uuid"

	"holdfast/internal/amount"
	"holdfast/internal/bounds"
	"holdfast/internal/etag"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

// PayRequest asks for a payment.
type PayRequest struct {
	Kind     Kind              `json:"kind" enum:"deposit,balance,amount" doc:"deposit and balance take what is due of them; amount takes the amount." example:"balance"`
	Amount   *int64            `json:"amount,omitempty" minimum:"1" maximum:"9007199254740991" doc:"Minor units of the booking's currency; only with kind amount." example:"2500"`
	Method   string            `json:"payment_method,omitempty" minLength:"1" maxLength:"255" pattern:"^[!-~]+$" doc:"The payment provider's token of a payment method. The sandbox knows pm_ok, pm_declined and others. Required without checkout, wallet_id and offline." example:"pm_ok"`
	Checkout *CheckoutRequest  `json:"checkout,omitempty" doc:"Instead of payment_method: the customer pays on the provider's page."`
	Offline  *OfflinePayment   `json:"offline,omitempty" doc:"Instead of payment_method, checkout and wallet_id: you have received the money, and no provider sees it."`
	WalletID *uuid.UUID        `json:"wallet_id,omitempty" format:"uuid" doc:"A wallet that pays: all, or with a payment_method or a checkout as much as it has; these then pay the rest."`
	Metadata map[string]string `json:"metadata,omitempty" maxProperties:"20" doc:"Texts of your own by name, kept with the payment here and at the provider: at most 20 of at most 500 characters each; names have at most 40 letters, digits, points, hyphens and underscores. tenant_id, payment_id, refund_id, checkout and names that begin with holdfast_ are reserved."`
	// WalletAmount bounds what the wallet pays beside a Method or a Checkout, in minor units.
	WalletAmount *int64 `json:"wallet_amount,omitempty" minimum:"1" maximum:"9007199254740991" doc:"With wallet_id and payment_method or checkout: the wallet pays at most this." example:"1000"`
	// Allowed are the versions of the booking that may be paid; the empty one allows each.
	Allowed etag.Precondition `json:"-"`
}

// HoldPayRequest asks for a payment for a hold. A visitor pays what is due, and from no wallet.
type HoldPayRequest struct {
	Kind     Kind             `json:"kind" enum:"deposit,balance" doc:"deposit takes what is due of the deposit, balance all that is due of the price." example:"deposit"`
	Method   string           `json:"payment_method,omitempty" minLength:"1" maxLength:"255" pattern:"^[!-~]+$" doc:"The payment provider's token of a payment method, such as that of Stripe Elements. The sandbox knows pm_ok, pm_declined and others. Required without checkout." example:"pm_ok"`
	Checkout *CheckoutRequest `json:"checkout,omitempty" doc:"Instead of payment_method: the visitor pays on the provider's page, and comes back to a page of an origin in website.origins."`
}

// PayRequest returns the request of a visitor of t's website. Errors: problem.ValidationFailed, also for a page of an
// origin that the tenant doesn't list.
func (r HoldPayRequest) PayRequest(t tenant.Tenant) (PayRequest, error) {
	switch {
	case r.Checkout == nil && r.Method == "":
		return PayRequest{}, problem.Invalid("payment_method", "required", "Expected payment_method or checkout.")
	case r.Checkout != nil && !t.AllowsOrigin(r.Checkout.Origin()):
		// or anyone could have the provider's page lead customers to a page of their own
		return PayRequest{}, problem.Invalid("checkout.return_url", "invalid",
			"Expected a page of an origin that the tenant lists in website.origins.")
	}
	return PayRequest{Kind: r.Kind, Method: r.Method, Checkout: r.Checkout}, bounds.Check("", r)
}

// check returns problem.ValidationFailed, also for a request that says nothing, or two things, of how it is paid.
func (o PayRequest) check() error {
	if err := bounds.Check("", o); err != nil {
		return err
	}
	switch {
	case (o.Kind == Amount) != (o.Amount != nil):
		return problem.Invalid("amount", "invalid", "Expected with kind amount, and only then.")
	case o.Offline != nil && (o.Method != "" || o.Checkout != nil || o.WalletID != nil || o.WalletAmount != nil):
		return problem.Invalid("offline", "invalid",
			"Expected alone: a payment method, a checkout or a wallet pays in a request of its own.")
	case o.Offline != nil:
		return problem.CheckText("offline.note", o.Offline.Note)
	case o.Method == "" && o.Checkout == nil && o.WalletID == nil:
		return problem.Invalid("payment_method", "required",
			"Expected payment_method, checkout, wallet_id or offline. A wallet may stand "+
				"beside the first two.")
	case o.Method != "" && o.Checkout != nil:
		return problem.Invalid("checkout", "invalid", "Expected payment_method or checkout, not both.")
	case o.WalletAmount != nil && (o.WalletID == nil || o.Method == "" && o.Checkout == nil):
		return problem.Invalid("wallet_amount", "invalid",
			"Expected with wallet_id and payment_method or checkout, and only then.")
	case o.Checkout != nil:
		if err := o.Checkout.check(); err != nil {
			return err
		}
	}
	return checkMetadata(o.Metadata)
}

// amount returns the amount to charge. Errors: problem.Overpayment.
func (o PayRequest) amount(summary BalanceSummary) (int64, error) {
	due, what := summary.Due, "Nothing is due."
	switch o.Kind {
	case Deposit:
		due, what = summary.DepositDue, "No deposit is due."
	case Amount:
		if *o.Amount > due {
			return 0, problem.New(problem.Overpayment, "The amount is more than what is due.")
		}
		return *o.Amount, nil
	case Balance, Refund: // refunds have a RefundRequest
	}
	if due == 0 {
		return 0, problem.New(problem.Overpayment, what)
	}
	return due, nil
}

// divide divides a payment between the wallet and the payment method or page. available is what the wallet can spend.
// Errors: problem.InsufficientFunds if there is neither and the wallet can't pay all.
func (o PayRequest) divide(p newPayment, available int64) (newPayment, error) {
	fromWallet := min(p.Amount, available)
	if o.WalletAmount != nil {
		fromWallet = min(fromWallet, *o.WalletAmount)
	}
	if o.Method != "" || o.Checkout != nil { // these can't pay every amount
		fromWallet = p.Amount - min(amount.Up(p.Amount-fromWallet, p.Currency), p.Amount)
	}
	switch {
	case fromWallet == p.Amount:
		p.Provider, p.Method, p.WalletID = walletProvider, "", o.WalletID
	case o.Method == "" && o.Checkout == nil:
		return p, problem.New(problem.InsufficientFunds, "The wallet has less than that available.")
	case fromWallet > 0:
		p.Amount, p.WalletID, p.WalletAmount = p.Amount-fromWallet, o.WalletID, &fromWallet
	}
	return p, nil
}
