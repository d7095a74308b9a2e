package payment

import (
	"time"

	"holdfast/internal/booking"
)

// BalanceSummary states what was paid for a booking and what is still due, as the API shows it. It is computed from the
// payments on each read. Amounts are minor units of Currency.
type BalanceSummary struct {
	// Deposit is the booking's deposit and Total its price, as of when it was made.
	Deposit int64 `json:"-"`
	Total   int64 `json:"total" example:"10000" doc:"The booking's price. All amounts are minor units of currency."`
	// Of a booking that ended with a cancellation fee, DepositDue and Due are at most what is left of the fee. They are
	// zero for any other booking that won't take place.
	DepositDue int64  `json:"deposit_due" example:"0" doc:"What is still to pay of the deposit."`
	Paid       int64  `json:"paid" example:"10000"`
	Refunded   int64  `json:"refunded" example:"2500"`
	Returning  int64  `json:"returning" example:"0" doc:"Refunds that are on their way. They count as if they had succeeded in what is due and overpaid."`
	Lowered    int64  `json:"lowered" example:"0" doc:"By how much refunds lower what the booking owes. The rest of what was refunded was overpaid, or is owed again."`
	LoweredFee int64  `json:"lowered_fee" example:"0" doc:"How much of lowered lowers the cancellation fee: by refunds that began after the booking had ended with one. The rest lowers the price."`
	Due        int64  `json:"due" example:"2500" doc:"What is still to pay in all: of the price less what refunds lower it by, or of the fee of a booking that ended with a cancellation fee if that is less. Zero for any other booking that won't take place."`
	Overpaid   int64  `json:"overpaid" example:"0" doc:"What is kept beyond what the booking owes. Zero for a booking that was cancelled without a cancellation fee: you decide what is refunded."`
	Currency   string `json:"currency" example:"EUR"`
}

func stateOf(b bookingRow) booking.State { return booking.StateOf(booking.Billing(b)) }

func summarize(b bookingRow, sum sumRow, now time.Time) BalanceSummary {
	state, m := stateOf(b), booking.Balance(sum)
	return BalanceSummary{
		Total:      b.Price,
		Deposit:    b.Deposit,
		Currency:   b.Currency,
		Paid:       m.Paid,
		Refunded:   m.Refunded,
		Returning:  m.Returning,
		Lowered:    m.Lowered,
		LoweredFee: m.LoweredFee,
		Due:        state.Due(b.Price, m, now),
		DepositDue: state.DepositDue(b.Deposit, b.Price, m, now),
		Overpaid:   state.Overpaid(b.Price, m, now),
	}
}

// payable returns problem.HoldExpired or problem.InvalidState for a booking that accepts no payments.
func payable(b bookingRow, now time.Time) error {
	return stateOf(b).CheckPayable(now)
}

// payableStill is payable for an open payment that may be sent again: it must also fit what a booking that ended
// meanwhile owes.
func payableStill(st balanceState, p paymentRow) bool {
	b := *st.Booking
	ended := stateOf(b).Fee != nil
	return payable(b, st.Now) == nil && (!ended || p.Amount <= summarize(b, st.Sum, st.Now).Due)
}
