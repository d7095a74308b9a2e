package payment

import (
	"time"

	"holdfast/internal/booking"
	"holdfast/internal/problem"
	"holdfast/internal/store"
)

// Money is what was paid for a booking and what is still to pay, in minor units of Currency. It is derived from the
// payments each time.
type Money struct {
	// Total and Deposit are the booking's price and deposit, as of when it was made.
	Total, Deposit int64
	// Paid is what was captured, Refunded what was returned, Returning what is on its way back.
	Paid, Refunded, Returning int64
	// DepositDue and Due are what is still to pay of the deposit and in all; zero for a booking that won't take place. What
	// is on its way back counts once it is there.
	DepositDue, Due int64
	Currency        string
}

func moneyOf(b store.BalanceBooking, sum store.BalanceSum, now time.Time) Money {
	state := stateOf(b)
	return Money{
		Total: b.Price, Deposit: b.Deposit, Currency: b.Currency,
		Paid: sum.Paid, Refunded: sum.Refunded, Returning: sum.Returning,
		Due:        state.Due(b.Price, sum.Paid, sum.Refunded, now),
		DepositDue: state.Due(b.Deposit, sum.Paid, sum.Refunded, now),
	}
}

// payable returns problem.HoldExpired or problem.InvalidState for a booking that takes no money.
func payable(b store.BalanceBooking, now time.Time) error { return stateOf(b).CheckPayable(now) }

func stateOf(b store.BalanceBooking) booking.State {
	return booking.State{Status: booking.Status(b.Status), HoldExpiresAt: b.HoldExpiresAt}
}

// Order is what a payment is asked for.
type Order struct {
	Kind Kind
	// Amount is in minor units of the booking's currency. Only for Kind Amount.
	Amount int64
	// Method is the provider's token of a payment method.
	Method string
}

// amount returns what the order is worth. Errors: problem.Overpayment.
func (o Order) amount(m Money) (int64, error) {
	due, what := m.Due, "Nothing is due."
	switch o.Kind {
	case Deposit:
		due, what = m.DepositDue, "No deposit is due."
	case Amount:
		if o.Amount > due {
			return 0, problem.New(problem.Overpayment, "The amount is more than what is due.")
		}
		return o.Amount, nil
	case Balance, Return: // nobody orders a refund by this
	}
	if due == 0 {
		return 0, problem.New(problem.Overpayment, what)
	}
	return due, nil
}

// unwanted reports whether a payment that has just succeeded can't be kept: the booking won't take place, or more was
// paid than it costs. m counts the payment.
func unwanted(b store.BalanceBooking, m Money, now time.Time) bool {
	return payable(b, now) != nil || m.Paid-m.Refunded-m.Returning > m.Total
}
