package payment

import (
	"time"

	"holdfast/internal/booking"
	"holdfast/internal/store"
)

// BalanceSummary is what was paid for a booking and what is still to pay, in minor units of Currency. It is derived from the
// payments each time.
type BalanceSummary struct {
	// Total and Deposit are the booking's price and deposit, as of when it was made.
	Total, Deposit int64
	// Paid is what was captured, Refunded what was returned, Returning what is on its way back.
	Paid, Refunded, Returning int64
	// DepositDue and Due are what is still to pay of the deposit and in all; zero for a booking that won't take place. What
	// is on its way back counts once it is there.
	DepositDue, Due int64
	Currency        string
}

func summarize(b store.BalanceBooking, sum store.BalanceSum, now time.Time) BalanceSummary {
	state := bookingState(b)
	return BalanceSummary{
		Total: b.Price, Deposit: b.Deposit, Currency: b.Currency,
		Paid: sum.Paid, Refunded: sum.Refunded, Returning: sum.Returning,
		Due:        state.Due(b.Price, sum.Paid, sum.Refunded, now),
		DepositDue: state.Due(b.Deposit, sum.Paid, sum.Refunded, now),
	}
}

// payable returns problem.HoldExpired or problem.InvalidState for a booking that takes no money.
func payable(b store.BalanceBooking, now time.Time) error { return bookingState(b).CheckPayable(now) }

func bookingState(b store.BalanceBooking) booking.State {
	return booking.State{Status: booking.Status(b.Status), HoldExpiresAt: b.HoldExpiresAt}
}

// mustRefund reports whether a payment that has just succeeded can't be kept: the booking won't take place, or more was
// paid than it costs. m counts the payment.
func mustRefund(b store.BalanceBooking, summary BalanceSummary, now time.Time) bool {
	return payable(b, now) != nil || summary.Paid-summary.Refunded-summary.Returning > summary.Total
}
