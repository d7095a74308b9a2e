package stripe_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stripe/stripe-go/v85/webhook"

	"holdfast/internal/payment"
	"holdfast/internal/payment/stripe"
	"holdfast/internal/testtime"
)

func FuzzEvent(f *testing.F) {
	const metadata = `"metadata":{"tenant_id":"01a1fbc1-cc0e-7000-8000-000000000001","payment_id":"01a1fbc1-cc0e-7000-8000-000000000002",` +
		`"refund_id":"01a1fbc1-cc0e-7000-8000-000000000003"}`
	for _, body := range []string{
		`{}`,
		`{"id":"evt_1","object":"event","type":"payment_intent.succeeded","data":{"object":{"id":"pi_1","status":"succeeded",` +
			`"currency":"eur","amount":1,"amount_received":1,` + metadata + `}}}`,
		`{"id":"evt_1","object":"event","type":"refund.failed","data":{"object":{"id":"re_1","status":"failed","failure_reason":"x",` +
			metadata + `}}}`,
		`{"id":"evt_1","object":"event","type":"payment_intent.canceled","data":{"object":{"status":"canceled","last_payment_error":null,` +
			metadata + `}}}`,
		`{"id":"evt_1","object":"event","type":"payment_intent.payment_failed","data":null}`,
		`{"id":"evt_1","data":{"object":[]},"type":"refund.created"}`, `[`, ``,
	} {
		f.Add([]byte(body), "t=1,v1=00")
	}
	provider, err := stripe.New(stripe.Config{Key: apiKey, WebhookSecret: webhookSecret})
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, body []byte, forged string) {
		now := testtime.Now()
		_, err := provider.Event(http.Header{"Stripe-Signature": {forged}}, body, now)
		require.ErrorIs(t, err, payment.ErrSignature, "only who knows the secret can sign")
		signed := webhook.GenerateTestSignedPayload(&webhook.UnsignedPayload{Payload: body, Secret: webhookSecret,
			Timestamp: now})
		e, err := provider.Event(http.Header{"Stripe-Signature": {signed.Header}}, body, now)
		if err != nil {
			require.ErrorIs(t, err, payment.ErrIgnored)
			return
		}
		require.NotEmpty(t, e.ID)
		require.Contains(t, []payment.Result{payment.Succeeded, payment.Processing, payment.Declined}, e.Outcome.Result)
		require.GreaterOrEqual(t, e.Outcome.Amount, int64(0))
	})
}
