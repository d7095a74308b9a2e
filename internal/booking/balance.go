package booking

import (
	"time"

	"holdfast/internal/problem"
)

// Balance is what moved for a booking, in minor units of its currency. A refund that is on its way counts as if it had
// succeeded, until it is declined.
type Balance struct {
	// Paid is what was captured, Refunded what was returned of it, and Returning what is on its way back.
	Paid, Refunded, Returning int64
	// Lowered is by how much the refunds lower what the booking owes, and LoweredFee how much of that lowers its
	// cancellation fee: by refunds that began when it had ended with one. The rest lowers its price.
	Lowered, LoweredFee int64
}

// Kept is what was captured and neither returned nor is on its way back.
func (m Balance) Kept() int64 { return m.Paid - m.Refunded - m.Returning }

// Owed returns what a booking of a price owes at now: its price less what refunds lower it by, or nothing if the
// booking takes no money. Of a booking that ended with a cancellation fee it is the fee less what refunds lower that
// by, if this is less. Every other rule of a booking's money follows from it.
func (s State) Owed(price int64, m Balance, now time.Time) int64 {
	if s.CheckPayable(now) != nil {
		return 0
	}
	if s.Fee == nil {
		return max(price-m.Lowered, 0)
	}
	return max(min(*s.Fee, price-m.Lowered+m.LoweredFee)-m.LoweredFee, 0)
}

// Due returns what is still to pay at now of a booking's price, in minor units.
func (s State) Due(price int64, m Balance, now time.Time) int64 {
	return max(s.Owed(price, m, now)-m.Kept(), 0)
}

// DepositDue returns what is still to pay at now of a booking's deposit, in minor units. A refund lowers the price and
// not the deposit, but the deposit is never more than what the booking owes.
func (s State) DepositDue(deposit, price int64, m Balance, now time.Time) int64 {
	return max(min(deposit, s.Owed(price, m, now))-m.Kept(), 0)
}

// Overpaid returns what is kept at now beyond what the booking owes of its price, in minor units. It is zero for a
// booking that was cancelled without a fee: there the tenant decides what is refunded.
func (s State) Overpaid(price int64, m Balance, now time.Time) int64 {
	if s.Status == Cancelled && s.Fee == nil {
		return 0
	}
	return max(m.Kept()-s.Owed(price, m, now), 0)
}

// PaymentState says how much of what a booking costs was paid: of its price, less what refunds lower it by. It follows
// from the booking's money.
type PaymentState string

// The payment states. Each booking has one of them.
const (
	// Refunded: something was captured, and all of it was returned or is on its way back.
	Refunded PaymentState = "refunded"
	// Paid: what was captured and not returned is the price or more. A booking that costs nothing is paid.
	Paid PaymentState = "paid"
	// DepositPaid: it is less than the price, and the deposit or more.
	DepositPaid PaymentState = "deposit_paid"
	// PartlyPaid: it is something, but less than the deposit, or there is no deposit.
	PartlyPaid PaymentState = "partly_paid"
	// Unpaid: nothing was captured.
	Unpaid PaymentState = "unpaid"
)

// paymentState returns the state of a price and a deposit, in minor units of the currency of m.
func paymentState(price, deposit int64, m Balance) PaymentState {
	switch kept := m.Kept(); {
	case m.Paid > 0 && kept <= 0:
		return Refunded
	case kept >= price-m.Lowered:
		return Paid
	case deposit > 0 && kept >= deposit:
		return DepositPaid
	case kept > 0:
		return PartlyPaid
	}
	return Unpaid
}

// PaymentState returns the booking's payment state.
func (b Booking) PaymentState() PaymentState {
	return paymentState(b.Price, b.Deposit, b.Balance)
}

// PaymentInProgress returns problem.PaymentInProgress, which names the open payment or refund of a booking. reason is a
// sentence on why a request can't be carried out now.
func PaymentInProgress(open *OpenPayment, reason string) error {
	id := open.PaymentID.String()
	detail := "The payment " + id + " of this booking is in progress: " + reason +
		" Wait for its end, or end it with POST /v1/payments/" + id + "/cancel."
	if open.RefundOf != nil {
		detail = "The refund " + id + " of this booking is in progress: " + reason + " Wait for its end."
	}
	return problem.New(problem.PaymentInProgress, detail).About(id).Retry(time.Second)
}
