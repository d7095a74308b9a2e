package payment

import (
	"github.com/google/uuid"

	"holdfast/internal/amount"
	"holdfast/internal/etag"
	"holdfast/internal/problem"
)

// Order is a request to pay for a booking.
type Order struct {
	Kind Kind
	// Amount is in minor units of the booking's currency. Only for Kind Amount.
	Amount int64
	// Method is the provider's token of a payment method, empty to pay on the provider's page or from the wallet alone.
	Method string
	// Checkout has the customer pay on the provider's page, instead of with a Method; nil for none.
	Checkout *OrderCheckout
	// Offline is money that was received already, instead of by a Method, a Checkout or a wallet; nil for none.
	Offline *Offline
	// WalletID is the wallet that pays, nil for none. With a Method or a Checkout the wallet pays what it can, at most WalletAmount if
	// there is one, and the payment method or the customer the rest.
	WalletID     *uuid.UUID
	WalletAmount *int64
	// Metadata are the tenant's own texts by name, kept with the payment and at the provider: at most 20, see checkMetadata.
	Metadata map[string]string
	// Allowed are the versions of the booking that may be paid; the empty one allows each.
	Allowed etag.Precondition
}

// check returns problem.ValidationFailed for an order that says nothing, or two things, of how it is paid.
func (o Order) check() error {
	switch {
	case o.Offline != nil && (o.Method != "" || o.Checkout != nil || o.WalletID != nil || o.WalletAmount != nil):
		return problem.Invalid("offline", "invalid",
			"Expected alone: a payment method, a checkout or a wallet pays in a request of its own.")
	case o.Offline != nil:
		return problem.CheckText("offline.note", o.Offline.Note)
	case o.Method == "" && o.Checkout == nil && o.WalletID == nil:
		return problem.Invalid("payment_method", "required", "Expected payment_method, checkout, wallet_id or offline. A wallet may stand "+
			"beside the first two.")
	case o.Method != "" && o.Checkout != nil:
		return problem.Invalid("checkout", "invalid", "Expected payment_method or checkout, not both.")
	case o.WalletAmount != nil && (o.WalletID == nil || o.Method == "" && o.Checkout == nil):
		return problem.Invalid("wallet_amount", "invalid", "Expected with wallet_id and payment_method or checkout, and only then.")
	case o.Checkout != nil:
		if err := o.Checkout.check(); err != nil {
			return err
		}
	}
	return checkMetadata(o.Metadata)
}

// amount returns the amount to charge. Errors: problem.Overpayment.
func (o Order) amount(summary BalanceSummary) (int64, error) {
	due, what := summary.Due, "Nothing is due."
	switch o.Kind {
	case Deposit:
		due, what = summary.DepositDue, "No deposit is due."
	case Amount:
		if o.Amount > due {
			return 0, problem.New(problem.Overpayment, "The amount is more than what is due.")
		}
		return o.Amount, nil
	case Balance, Refund: // refunds have no Order
	}
	if due == 0 {
		return 0, problem.New(problem.Overpayment, what)
	}
	return due, nil
}

// divide divides a payment between the wallet and the payment method or page. available is what the wallet can spend. Errors:
// problem.InsufficientFunds if there is neither and the wallet can't pay all.
func (o Order) divide(p newPayment, available int64) (newPayment, error) {
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
