package payment

import (
	"time"

	"holdfast/internal/booking"
	"holdfast/internal/store"
)

// BalanceSummary states what was paid for a booking and what is still due, in minor units of Currency. It is computed from
// the payments on each read.
type BalanceSummary struct {
	// Total and Deposit are the booking's price and deposit, as of when it was made.
	Total, Deposit int64
	// Paid was captured. Refunded was returned to the customer. Returning is the sum of open refunds.
	Paid, Refunded, Returning int64
	// DepositDue and Due are still to be paid, of the deposit and in total. Both are zero for a booking that won't take
	// place. Open refunds don't count until they succeed.
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

// payable returns problem.HoldExpired or problem.InvalidState for a booking that accepts no payments.
func payable(b store.BalanceBooking, now time.Time) error { return bookingState(b).CheckPayable(now) }

func bookingState(b store.BalanceBooking) booking.State {
	return booking.State{Status: booking.Status(b.Status), HoldExpiresAt: b.HoldExpiresAt}
}

// mustRefund reports whether a payment that just succeeded must be refunded: the booking won't take place, or its payments
// exceed its price. summary includes the payment.
func mustRefund(b store.BalanceBooking, summary BalanceSummary, now time.Time) bool {
	return payable(b, now) != nil || summary.Paid-summary.Refunded-summary.Returning > summary.Total
}

// BalanceBody is a BalanceSummary in the API.
type BalanceBody struct {
	Total      int64  `json:"total" example:"10000" doc:"The booking's price. All amounts are minor units of currency."`
	DepositDue int64  `json:"deposit_due" example:"0" doc:"What is still to pay of the deposit."`
	Paid       int64  `json:"paid" example:"10000"`
	Refunded   int64  `json:"refunded" example:"2500"`
	Returning  int64  `json:"returning" example:"0" doc:"Refunds that are on their way."`
	Due        int64  `json:"due" example:"2500" doc:"What is still to pay in all; zero for a booking that won't take place."`
	Currency   string `json:"currency" example:"EUR"`
}

// Body returns the balance as the API shows it.
func (summary BalanceSummary) Body() BalanceBody {
	return BalanceBody{
		Total: summary.Total, DepositDue: summary.DepositDue, Paid: summary.Paid, Refunded: summary.Refunded, Returning: summary.Returning, Due: summary.Due, Currency: summary.Currency,
	}
}
