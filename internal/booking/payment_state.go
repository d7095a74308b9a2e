package booking

import (
	"time"

	"holdfast/internal/problem"
)

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
