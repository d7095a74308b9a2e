package paymenttest

import (
	"bytes"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/payment"
	"holdfast/internal/testtime"
)

// replayWindow is the largest accepted age of a webhook's signature.
const replayWindow = 5 * time.Minute

var webhooks = map[string]func(*testing.T, fixture){
	"Event_Signed_ReturnsTheOutcome": func(t *testing.T, fx fixture) {
		now := testtime.Now()
		for _, e := range []payment.Event{
			fx.newEvent(),
			{ID: "evt_2", Reference: newReference(), Outcome: payment.Outcome{
				Result: payment.Declined, ProviderID: "ch_2", DeclineCode: "insufficient_funds", TryAgain: true,
			}},
			{ID: "evt_3", Refund: true, Reference: newReference(), Outcome: payment.Outcome{
				Result: payment.Succeeded, ProviderID: "re_3", Amount: 3, Currency: fx.Currency,
			}},
			{ID: "evt_4", Refund: true, Reference: newReference(), Outcome: payment.Outcome{
				Result: payment.Declined, ProviderID: "re_4", DeclineCode: "expired_or_canceled_card",
			}},
			{ID: "evt_5", Account: "acct_1", Reference: newReference(), Outcome: payment.Outcome{
				Result: payment.Succeeded, ProviderID: "ch_5", Amount: 5, Currency: fx.Currency,
			}},
			{ID: "evt_6", Account: "acct_1", Refund: true, Reference: newReference(), Outcome: payment.Outcome{
				Result: payment.Succeeded, ProviderID: "re_6", Amount: 6, Currency: fx.Currency,
			}},
			{ID: "evt_7", Account: "acct_1", AccountChanged: true,
				Reference: payment.Reference{TenantID: newReference().TenantID}},
		} {
			header, body := fx.Webhook(t, e, now)
			got, err := fx.Provider.Event(header, body, now)
			require.NoError(t, err)
			require.Equal(t, e, got)
		}
	},
	"Event_BodyAltered_IsRejected": func(t *testing.T, fx fixture) {
		now := testtime.Now()
		header, body := fx.Webhook(t, fx.newEvent(), now)
		for i := range body {
			altered := bytes.Clone(body)
			altered[i] ^= 1
			fx.requireBadSignature(t, header, altered, now)
		}
		fx.requireBadSignature(t, header, append(bytes.Clone(body), ' '), now)
		fx.requireBadSignature(t, header, body[:len(body)-1], now)
		fx.requireBadSignature(t, header, nil, now)
	},
	"Event_HeaderAltered_IsRejected": func(t *testing.T, fx fixture) {
		now := testtime.Now()
		header, body := fx.Webhook(t, fx.newEvent(), now)
		other, _ := fx.Webhook(t, fx.newEvent(), now)
		fx.requireBadSignature(t, other, body, now)
		fx.requireBadSignature(t, http.Header{}, body, now)
		for name, values := range header {
			require.Len(t, values, 1)
			value := values[0]
			for i := range value {
				altered := []byte(value)
				altered[i]++
				fx.requireBadSignature(t, http.Header{name: {string(altered)}}, body, now)
			}
			for _, forged := range []string{"", ",", "t=", "t=1", "v1=", "t=,v1=", value[:len(value)-2]} {
				fx.requireBadSignature(t, http.Header{name: {forged}}, body, now)
			}
		}
	},
	"Event_TooOld_IsRejected": func(t *testing.T, fx fixture) {
		now := testtime.Now()
		header, body := fx.Webhook(t, fx.newEvent(), now)
		fx.requireBadSignature(t, header, body, now.Add(replayWindow+2*time.Second))
		_, err := fx.Provider.Event(header, body, now.Add(replayWindow-2*time.Second))
		require.NoError(t, err)
	},
	"Event_Unrelated_IsIgnored": func(t *testing.T, fx fixture) {
		now := testtime.Now()
		header, body := fx.UnrelatedWebhook(t, now)
		_, err := fx.Provider.Event(header, body, now)
		require.ErrorIs(t, err, payment.ErrIgnored)
		fx.requireBadSignature(t, header, body, now.Add(time.Hour))
	},
}

func (fx fixture) newEvent() payment.Event {
	return payment.Event{ID: "evt_1", Reference: newReference(), Outcome: payment.Outcome{
		Result: payment.Succeeded, ProviderID: "ch_1", Amount: 1_234, Currency: fx.Currency,
	}}
}

func (fx fixture) requireBadSignature(t *testing.T, header http.Header, body []byte, now time.Time) {
	t.Helper()
	_, err := fx.Provider.Event(header, body, now)
	require.ErrorIs(t, err, payment.ErrSignature, "%v", header)
}
