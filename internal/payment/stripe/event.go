package stripe

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	api "github.com/stripe/stripe-go/v85"
	"github.com/stripe/stripe-go/v85/webhook"

	"holdfast/internal/payment"
)

// tolerance is how old a webhook's signature may be. Stripe signs each delivery anew, so that a retry isn't old.
const tolerance = webhook.DefaultTolerance

// Event verifies a webhook with Stripe's own library and reads it.
//
// A failed attempt comes as Processing: the intent could be confirmed again until it is cancelled, which FindCharge
// does. The decline then comes as the event of the cancellation.
func (p *Provider) Event(header http.Header, body []byte, now time.Time) (payment.Event, error) {
	e, err := webhook.ConstructEventWithOptions(body, header.Get("Stripe-Signature"), p.webhookSecret,
		webhook.ConstructEventOptions{
			// The library compares with the time that it is; this makes it now.
			Tolerance: tolerance + time.Since(now),
			// Webhooks come in the API version of their endpoint, which the operator chooses. What is read here has been
			// the same in all versions since 2019; a webhook less would be worse than one of another version.
			IgnoreAPIVersionMismatch: true,
		})
	switch {
	case errors.Is(err, webhook.ErrNotSigned), errors.Is(err, webhook.ErrInvalidHeader),
		errors.Is(err, webhook.ErrNoValidSignature), errors.Is(err, webhook.ErrTooOld):
		return payment.Event{}, fmt.Errorf("%w: %w", payment.ErrSignature, err)
	case err != nil:
		return payment.Event{}, fmt.Errorf("%w: %w", payment.ErrIgnored, err)
	case e.ID == "" || e.Data == nil:
		return payment.Event{}, payment.ErrIgnored
	}
	event := payment.Event{ID: e.ID}
	var ours bool
	switch e.Type {
	case api.EventTypePaymentIntentCanceled, api.EventTypePaymentIntentPaymentFailed,
		api.EventTypePaymentIntentProcessing, api.EventTypePaymentIntentSucceeded:
		var pi api.PaymentIntent
		if err = json.Unmarshal(e.Data.Raw, &pi); err == nil {
			event.Reference, ours = reference(pi.Metadata, paymentField)
			event.Outcome, err = chargeOutcome(&pi, nil)
		}
	case api.EventTypeChargeRefundUpdated, api.EventTypeRefundCreated, api.EventTypeRefundFailed,
		api.EventTypeRefundUpdated:
		var r api.Refund
		if err = json.Unmarshal(e.Data.Raw, &r); err == nil {
			event.Refund = true
			event.Reference, ours = reference(r.Metadata, refundField)
			event.Outcome, err = refundOutcome(&r)
		}
	default:
	}
	if !ours || err != nil {
		return payment.Event{}, errors.Join(payment.ErrIgnored, err)
	}
	return event, nil
}
