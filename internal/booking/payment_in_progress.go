package booking

import (
	"time"

	"holdfast/internal/problem"
	"holdfast/internal/store"
)

// PaymentInProgress returns problem.PaymentInProgress, which names the open payment or refund of a booking. what says what it keeps from being done.
func PaymentInProgress(open *store.OpenPayment, what string) error {
	id := open.PaymentID.String()
	detail := "The payment " + id + " of this booking is in progress: " + what + " Wait for its end, or end it with POST /v1/payments/" + id + "/cancel."
	if open.RefundOf != nil {
		detail = "The refund " + id + " of this booking is in progress: " + what + " Wait for its end."
	}
	return problem.New(problem.PaymentInProgress, detail).About(id).Retry(time.Second)
}
