package stripe

import (
	"cmp"
	"slices"

	api "github.com/stripe/stripe-go/v85"

	"holdfast/internal/payment"
)

// retryableDeclines are the decline codes for which Stripe recommends another try with the same card: the issuer was
// unavailable or asks for another try, or the limit or balance may change. docs/stripe.md lists them.
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

// declinedOutcome returns the outcome of a cancelled intent. cause is the error of its last attempt, if known: a
// cancelled intent may have lost it.
func declinedOutcome(pi *api.PaymentIntent, cause *api.Error) payment.Outcome {
	if cause == nil {
		cause = pi.LastPaymentError
	}
	if cause == nil {
		cause = &api.Error{}
	}
	// Stripe returns the full charge when asked for it, and only its id in webhooks.
	charge := cmp.Or(pi.LatestCharge, &api.Charge{})
	outcome := cmp.Or(charge.Outcome, &api.ChargeOutcome{})
	code := cmp.Or(string(methodError(cause)), string(cause.DeclineCode), string(cause.Code), outcome.Reason,
		charge.FailureCode)
	declined := payment.Outcome{Result: payment.Declined, ProviderID: pi.ID, DeclineCode: cmp.Or(code, cancelCode(pi))}
	switch outcome.AdviceCode {
	case api.ChargeOutcomeAdviceCodeTryAgainLater:
		declined.TryAgain = true
	case api.ChargeOutcomeAdviceCodeDoNotTryAgain, api.ChargeOutcomeAdviceCodeConfirmCardData:
	default:
		// Without a code and a charge the intent was cancelled, not declined.
		declined.TryAgain = slices.Contains(retryableDeclines, code) || code == "" && pi.LatestCharge == nil
	}
	return declined
}

// cancelCode returns the decline code of an intent that was cancelled without a decline. This adapter cancels with the
// reason "abandoned"; other reasons are from other users of the account.
func cancelCode(pi *api.PaymentIntent) string {
	if pi.CancellationReason == "" || pi.CancellationReason == api.PaymentIntentCancellationReasonAbandoned {
		return payment.Cancelled
	}
	return string(pi.CancellationReason)
}
