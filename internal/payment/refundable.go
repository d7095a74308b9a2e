package payment

import (
	"holdfast/internal/amount"
	"holdfast/internal/booking"
	"holdfast/internal/problem"
)

// lowersOwed returns by how much a refund lowers what its booking owes: by what isn't overpaid of it. A booking that
// owes nothing stays so.
func lowersOwed(st balanceState, amount int64) int64 {
	state, m := stateOf(*st.Booking), booking.Balance(st.Sum)
	return min(max(amount-state.Overpaid(st.Booking.Price, m, st.Now), 0), state.Owed(st.Booking.Price, m, st.Now))
}

// refundOf returns the refund of p to insert. refunded is the sum of its earlier refunds.
func refundOf(p *paymentRow, refunded int64, amount *int64) (newPayment, error) {
	if p == nil {
		return newPayment{}, problem.Missing()
	}
	if p.RefundOf != nil || p.Status != string(StatusSucceeded) {
		return newPayment{}, problem.New(problem.InvalidState, "Only a payment that succeeded can be refunded.")
	}
	left := p.Amount - refunded
	want := left
	if amount != nil {
		want = *amount
	}
	if left == 0 || want > left {
		return newPayment{}, problem.New(problem.RefundExceedsPayment, "This is more than what is left of the payment.")
	}
	return newRefund(p, want), nil
}

// refundable returns how much of a payment, of which left is left, Holdfast can refund of an amount: what goes back
// through a provider is all that is left, or what the provider can take of the currency.
func refundable(p *paymentRow, left, want int64) int64 {
	if left <= want || p.Provider == walletProvider || p.Provider == offlineProvider {
		return min(left, want)
	}
	return amount.Down(want, p.Currency)
}

// newRefund returns a refund of amount of p, to where the money came from.
func newRefund(p *paymentRow, amount int64) newPayment {
	refund := newPayment{
		RefundOf: &p.PaymentID, Kind: string(Refund), Amount: amount, Currency: p.Currency, Provider: p.Provider,
		Account: p.Account,
	}
	switch p.Provider {
	case walletProvider:
		refund.WalletID = p.WalletID
	case offlineProvider:
		refund.Method = p.Method
	}
	return refund
}
