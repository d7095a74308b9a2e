package booking

import (
	"time"

	"holdfast/internal/db/store"
	"holdfast/internal/problem"
)

// PaymentInProgress returns problem.PaymentInProgress, which names the open payment or refund of a booking. reason is a sentence on why a
// request can't be carried out now.
func PaymentInProgress(open *store.OpenPayment, reason string) error {
	id := open.PaymentID.String()
	detail := "The payment " + id + " of this booking is in progress: " + reason + " Wait for its end, or end it with POST /v1/payments/" +
		id + "/cancel."
	if open.RefundOf != nil {
		detail = "The refund " + id + " of this booking is in progress: " + reason + " Wait for its end."
	}
	return problem.New(problem.PaymentInProgress, detail).About(id).Retry(time.Second)
}
