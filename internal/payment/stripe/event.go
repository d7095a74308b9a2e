package stripe

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"
	api "github.com/stripe/stripe-go/v85"
	"github.com/stripe/stripe-go/v85/webhook"

	"holdfast/internal/payment"
)

// tolerance is the largest age of a webhook's signature. Stripe signs each delivery anew, so a retry isn't old.
const tolerance = webhook.DefaultTolerance

// construct verifies and reads an event.
func construct(header http.Header, body []byte, secret string, now time.Time) (api.Event, error) {
	return webhook.ConstructEventWithOptions(body, header.Get("Stripe-Signature"), secret,
		webhook.ConstructEventOptions{
			// The library compares with the current time; this makes it compare with now.
			Tolerance: tolerance + time.Since(now),
			// The operator chooses the API version of the endpoint. The fields read here have been the same in all
			// versions since 2019, so a webhook of another version is accepted.
			IgnoreAPIVersionMismatch: true,
		})
}

// Event verifies a webhook with Stripe's library and reads it. It is signed with the secret of either endpoint: that of
// the platform's own account, or that of the connected accounts, whose events name their account.
//
// A failed attempt is returned as Processing: the intent can be confirmed again until FindCharge cancels it. The
// cancellation's event then carries the decline. Of the intent of a Checkout Session only the success counts.
func (p *Provider) Event(header http.Header, body []byte, now time.Time) (payment.Event, error) {
	e, err := construct(header, body, p.cfg.WebhookSecret, now)
	if errors.Is(err, webhook.ErrNoValidSignature) && p.cfg.ConnectWebhookSecret != "" {
		e, err = construct(header, body, p.cfg.ConnectWebhookSecret, now)
	}
	switch {
	case errors.Is(err, webhook.ErrNotSigned), errors.Is(err, webhook.ErrInvalidHeader),
		errors.Is(err, webhook.ErrNoValidSignature), errors.Is(err, webhook.ErrTooOld):
		return payment.Event{}, fmt.Errorf("%w: %w", payment.ErrSignature, err)
	case err != nil:
		return payment.Event{}, fmt.Errorf("%w: %w", payment.ErrIgnored, err)
	case e.ID == "" || e.Data == nil:
		return payment.Event{}, payment.ErrIgnored
	}
	event := payment.Event{ID: e.ID, Account: e.Account}
	var ours bool
	switch e.Type {
	case api.EventTypeAccountUpdated, api.EventTypeAccountApplicationDeauthorized:
		// The object of the second one is the application, which has no metadata.
		var changed struct {
			Metadata map[string]string `json:"metadata"`
		}
		if err = json.Unmarshal(e.Data.Raw, &changed); err == nil {
			event.AccountChanged, ours = true, e.Account != ""
			// an account that the operator set has none
			event.Reference.TenantID, _ = uuid.Parse(changed.Metadata[tenantField])
		}
	case api.EventTypeCheckoutSessionAsyncPaymentFailed, api.EventTypeCheckoutSessionAsyncPaymentSucceeded,
		api.EventTypeCheckoutSessionCompleted, api.EventTypeCheckoutSessionExpired:
		var session api.CheckoutSession
		if err = json.Unmarshal(e.Data.Raw, &session); err == nil {
			event.Reference, ours = reference(session.Metadata, paymentField)
			event.Outcome, err = sessionEvent(&session)
		}
	case api.EventTypePaymentIntentCanceled, api.EventTypePaymentIntentPaymentFailed,
		api.EventTypePaymentIntentProcessing, api.EventTypePaymentIntentSucceeded:
		var pi api.PaymentIntent
		if err = json.Unmarshal(e.Data.Raw, &pi); err == nil {
			event.Reference, ours = reference(pi.Metadata, paymentField)
			event.Outcome, err = chargeOutcome(&pi, nil)
			// The other states of a session's intent end nothing: the session's events do.
			ours = ours && (!ofCheckout(&pi) || pi.Status == api.PaymentIntentStatusSucceeded)
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
