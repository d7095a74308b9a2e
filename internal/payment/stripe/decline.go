package stripe

import (
	"cmp"
	"slices"

	api "github.com/stripe/stripe-go/v85"

	"holdfast/internal/payment"
)

// retryableDeclines has the reasons that Stripe documents as worth another try with the same card: the issuer couldn't be asked,
// asks for another try, or the limit or balance may be another one later. docs/stripe.md lists them.
var retryableDeclines = []string{
	"approve_with_id",
	"authentication_required",
	"card_decline_rate_limit_exceeded",
	"insufficient_funds",
	"issuer_not_available",
	"processing_error",
	"reenter_transaction",
	"try_again_later",
}

// declinedOutcome is the outcome of an intent that is cancelled. cause is the error of its last attempt, if it is known: a
// cancelled intent may have lost it.
func declinedOutcome(pi *api.PaymentIntent, cause *api.Error) payment.Outcome {
	if cause == nil {
		cause = pi.LastPaymentError
	}
	if cause == nil {
		cause = &api.Error{}
	}
	// Stripe gives the charge in full where we ask for it, and in webhooks its id.
	charge := cmp.Or(pi.LatestCharge, &api.Charge{})
	outcome := cmp.Or(charge.Outcome, &api.ChargeOutcome{})
	code := cmp.Or(string(methodError(cause)), string(cause.DeclineCode), string(cause.Code), outcome.Reason, charge.FailureCode)
	o := payment.Outcome{Result: payment.Declined, ProviderID: pi.ID, DeclineCode: cmp.Or(code, cancelCode(pi))}
	switch outcome.AdviceCode {
	case api.ChargeOutcomeAdviceCodeTryAgainLater:
		o.TryAgain = true
	case api.ChargeOutcomeAdviceCodeDoNotTryAgain, api.ChargeOutcomeAdviceCodeConfirmCardData:
	default:
		// Without a code and a charge nobody refused: it was cancelled.
		o.TryAgain = slices.Contains(retryableDeclines, code) || code == "" && pi.LatestCharge == nil
	}
	return o
}

// cancelCode is the decline code of an intent that nobody refused. Abandoned is the reason that the adapter gives; others were
// given by somebody else.
func cancelCode(pi *api.PaymentIntent) string {
	if pi.CancellationReason == "" || pi.CancellationReason == api.PaymentIntentCancellationReasonAbandoned {
		return payment.Cancelled
	}
	return string(pi.CancellationReason)
}
