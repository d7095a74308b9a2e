package stripe_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/stripe/stripe-go/v85/webhook"

	"holdfast/internal/payment"
	"holdfast/internal/testtime"
)

// signed returns a webhook as Stripe signs it at the given time.
func signed(t *testing.T, secret string, at time.Time, event object) (http.Header, []byte) {
	t.Helper()
	body, err := json.Marshal(event)
	require.NoError(t, err)
	payload := webhook.GenerateTestSignedPayload(&webhook.UnsignedPayload{Payload: body, Secret: secret, Timestamp: at})
	return http.Header{"Stripe-Signature": {payload.Header}}, payload.Payload
}

func newEvent(kind string, thing object) object {
	return object{
		"id": "evt_1", "object": "event", "type": kind, "api_version": "2019-12-03", "data": object{"object": thing},
	}
}

func TestEvent_ChargesAndRefunds_HaveTheirOutcome(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	ref := b.order.Reference
	failed := object{"last_payment_error": object{"type": "card_error", "code": "card_declined",
		"decline_code": "do_not_honor"}}
	done := payment.Outcome{Result: payment.Succeeded, ProviderID: "pi_1", Amount: 4500, Currency: "EUR"}
	back := payment.Outcome{Result: payment.Succeeded, ProviderID: "re_1", Amount: 4500, Currency: "EUR"}
	for _, test := range []struct {
		event  object
		refund bool
		want   payment.Outcome
	}{
		{newEvent("payment_intent.succeeded", intent(ref, "succeeded", nil)), false, done},
		{newEvent("payment_intent.processing", intent(ref, "processing", nil)), false,
			payment.Outcome{Result: payment.Processing, ProviderID: "pi_1"}},
		{
			newEvent("payment_intent.canceled", intent(ref, "canceled", failed)), false,
			payment.Outcome{Result: payment.Declined, ProviderID: "pi_1", DeclineCode: "do_not_honor"},
		},
		// It can be confirmed again.
		{
			newEvent("payment_intent.payment_failed", intent(ref, "requires_payment_method", failed)), false,
			payment.Outcome{Result: payment.Processing, ProviderID: "pi_1"},
		},
		{newEvent("refund.created", refunded(ref, "succeeded", nil)), true, back},
		{newEvent("refund.updated", refunded(ref, "pending", nil)), true,
			payment.Outcome{Result: payment.Processing, ProviderID: "re_1"}},
		{newEvent("charge.refund.updated", refunded(ref, "succeeded", nil)), true, back},
		{
			newEvent("refund.failed", refunded(ref, "failed", object{"failure_reason": "unknown"})), true,
			payment.Outcome{Result: payment.Declined, ProviderID: "re_1", DeclineCode: "unknown"},
		},
	} {
		header, body := signed(t, webhookSecret, testtime.Now(), test.event)
		event, err := b.provider.Event(header, body, testtime.Now())
		require.NoError(t, err, "%s", body)
		require.Equal(t, payment.Event{ID: "evt_1", Refund: test.refund, Reference: ref, Outcome: test.want}, event,
			"%s", body)
	}
}

func TestEvent_SignatureInvalidOrOld_IsRejected(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	event := newEvent("payment_intent.succeeded", intent(b.order.Reference, "succeeded", nil))
	now := testtime.Now()

	header, body := signed(t, "whsec_other", now, event)
	_, err := b.provider.Event(header, body, now)
	require.ErrorIs(t, err, payment.ErrSignature, "another secret")

	header, body = signed(t, webhookSecret, now, event)
	_, err = b.provider.Event(header, append(body, ' '), now)
	require.ErrorIs(t, err, payment.ErrSignature, "another body")
	_, err = b.provider.Event(http.Header{}, body, now)
	require.ErrorIs(t, err, payment.ErrSignature, "no signature")
	_, err = b.provider.Event(http.Header{"Stripe-Signature": {"v1=zz"}}, body, now)
	require.ErrorIs(t, err, payment.ErrSignature, "half a signature")

	_, err = b.provider.Event(header, body, now.Add(4*time.Minute))
	require.NoError(t, err, "in time")
	_, err = b.provider.Event(header, body, now.Add(6*time.Minute))
	require.ErrorIs(t, err, payment.ErrSignature, "replayed later")

	then := now.Add(-24 * time.Hour)
	header, body = signed(t, webhookSecret, then, event)
	_, err = b.provider.Event(header, body, then.Add(time.Minute))
	require.NoError(t, err, "now is what the caller says")
}

func TestEvent_NotOurs_IsIgnored(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	ref := b.order.Reference
	for name, event := range map[string]object{
		"another kind": newEvent("customer.created", intent(ref, "succeeded", nil)),
		"no metadata":  newEvent("payment_intent.succeeded", intent(ref, "succeeded", object{"metadata": object{}})),
		"others' metadata": newEvent("refund.created",
			refunded(ref, "succeeded", object{"metadata": object{"tenant_id": ref.TenantID, "refund_id": "17"}})),
		"an unknown status": newEvent("payment_intent.succeeded", intent(ref, "new_in_2031", nil)),
		"no object":         {"id": "evt_1", "object": "event", "type": "payment_intent.succeeded"},
		"no id": {"object": "event", "type": "payment_intent.succeeded",
			"data": object{"object": intent(ref, "succeeded", nil)}},
		"a thin event":  {"id": "evt_1", "object": "v2.core.event", "type": "v1.billing.meter.no_meter_found"},
		"not an object": newEvent("payment_intent.succeeded", nil),
	} {
		header, body := signed(t, webhookSecret, testtime.Now(), event)
		_, err := b.provider.Event(header, body, testtime.Now())
		require.ErrorIs(t, err, payment.ErrIgnored, name)
		require.NotErrorIs(t, err, payment.ErrSignature, name)
	}
}
