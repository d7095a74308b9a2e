package payment

import "holdfast/internal/problem"

// Order is a request to pay for a booking.
type Order struct {
	Kind Kind
	// Amount is in minor units of the booking's currency. Only for Kind Amount.
	Amount int64
	// Method is the provider's token of a payment method.
	Method string
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
