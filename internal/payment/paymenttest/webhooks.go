package paymenttest

import (
	"bytes"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/payment"
)

// replayWindow is the most that a webhook's signature may be old.
const replayWindow = 5 * time.Minute

var webhooks = map[string]func(*testing.T, bench){
	"Event_Signed_TellsTheOutcome": func(t *testing.T, b bench) {
		now := time.Now()
		for _, e := range []payment.Event{
			b.event(t),
			{ID: "evt_2", Reference: newReference(t), Outcome: payment.Outcome{
				Result: payment.Declined, ProviderID: "ch_2", DeclineCode: "insufficient_funds", TryAgain: true,
			}},
			{ID: "evt_3", Refund: true, Reference: newReference(t), Outcome: payment.Outcome{
				Result: payment.Succeeded, ProviderID: "re_3", Amount: 3,
			}},
			{ID: "evt_4", Refund: true, Reference: newReference(t), Outcome: payment.Outcome{
				Result: payment.Declined, ProviderID: "re_4", DeclineCode: "expired_or_canceled_card",
			}},
		} {
			header, body := b.Webhook(t, e, now)
			got, err := b.Provider.Event(header, body, now)
			require.NoError(t, err)
			require.Equal(t, e, got)
		}
	},
	"Event_Altered_IsRefused": func(t *testing.T, b bench) {
		now := time.Now()
		header, body := b.Webhook(t, b.event(t), now)
		for i := range body {
			altered := bytes.Clone(body)
			altered[i] ^= 1
			b.requireForged(t, header, altered, now)
		}
		b.requireForged(t, header, append(bytes.Clone(body), ' '), now)
		b.requireForged(t, header, body[:len(body)-1], now)
		b.requireForged(t, header, nil, now)
	},
	"Event_HeaderAltered_IsRefused": func(t *testing.T, b bench) {
		now := time.Now()
		header, body := b.Webhook(t, b.event(t), now)
		other, _ := b.Webhook(t, b.event(t), now)
		b.requireForged(t, other, body, now)
		b.requireForged(t, http.Header{}, body, now)
		for name, values := range header {
			require.Len(t, values, 1)
			value := values[0]
			for i := range value {
				altered := []byte(value)
				altered[i]++
				b.requireForged(t, http.Header{name: {string(altered)}}, body, now)
			}
			for _, forged := range []string{"", ",", "t=", "t=1", "v1=", "t=,v1=", value[:len(value)-2]} {
				b.requireForged(t, http.Header{name: {forged}}, body, now)
			}
		}
	},
	"Event_OutOfItsTime_IsRefused": func(t *testing.T, b bench) {
		now := time.Now()
		header, body := b.Webhook(t, b.event(t), now)
		b.requireForged(t, header, body, now.Add(replayWindow+2*time.Second))
		_, err := b.Provider.Event(header, body, now.Add(replayWindow-2*time.Second))
		require.NoError(t, err)
	},
	"Event_AboutSomethingElse_IsIgnored": func(t *testing.T, b bench) {
		needs(t, b.UnrelatedWebhook != nil, "webhooks about something else")
		now := time.Now()
		header, body := b.UnrelatedWebhook(t, now)
		_, err := b.Provider.Event(header, body, now)
		require.ErrorIs(t, err, payment.ErrIgnored)
		b.requireForged(t, header, body, now.Add(time.Hour))
	},
}

// event returns what a webhook may tell.
func (b bench) event(t *testing.T) payment.Event {
	t.Helper()
	needs(t, b.Webhook != nil, "webhooks")
	return payment.Event{ID: "evt_1", Reference: newReference(t), Outcome: payment.Outcome{
		Result: payment.Succeeded, ProviderID: "ch_1", Amount: 1_234,
	}}
}

func (b bench) requireForged(t *testing.T, header http.Header, body []byte, now time.Time) {
	t.Helper()
	_, err := b.Provider.Event(header, body, now)
	require.ErrorIs(t, err, payment.ErrSignature, "%v", header)
}
