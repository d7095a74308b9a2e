package payment

import (
	"github.com/google/uuid"

	"holdfast/internal/etag"
	"holdfast/internal/problem"
	"holdfast/internal/store"
)

// Order is a request to pay for a booking.
type Order struct {
	Kind Kind
	// Amount is in minor units of the booking's currency. Only for Kind Amount.
	Amount int64
	// Method is the provider's token of a payment method, empty to pay from the wallet alone.
	Method string
	// WalletID is the wallet that pays, nil for none. With a Method the wallet pays what it can, at most WalletAmount if there is
	// one, and the payment method the rest.
	WalletID     *uuid.UUID
	WalletAmount *int64
	// Allowed are the versions of the booking that may be paid; the empty one allows each.
	Allowed etag.Precondition
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

// divide divides a payment between the wallet and the payment method. available is what the wallet can spend. Errors:
// problem.InsufficientFunds if there is no payment method and the wallet can't pay all.
func (o Order) divide(p store.NewPayment, available int64) (store.NewPayment, error) {
	fromWallet := min(p.Amount, available)
	if o.WalletAmount != nil {
		fromWallet = min(fromWallet, *o.WalletAmount)
	}
	switch {
	case fromWallet == p.Amount:
		p.Provider, p.Method, p.WalletID = walletProvider, "", o.WalletID
	case o.Method == "":
		return p, problem.New(problem.InsufficientFunds, "The wallet has less than that available.")
	case fromWallet > 0:
		p.Amount, p.WalletID, p.WalletAmount = p.Amount-fromWallet, o.WalletID, &fromWallet
	}
	return p, nil
}
