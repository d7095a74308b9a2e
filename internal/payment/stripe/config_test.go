package stripe_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/payment/stripe"
)

func TestNew_InvalidSettings_AreRejected(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]stripe.Config{
		"nothing":                      {},
		"the publishable key":          {Key: "pk_live_hidden", WebhookSecret: webhookSecret},
		"no webhook secret":            {Key: apiKey},
		"an empty webhook secret":      {Key: apiKey, WebhookSecret: "whsec_"},
		"secrets swapped":              {Key: "whsec_hidden", WebhookSecret: "sk_hidden"},
		"the connect secret isn't one": {Key: apiKey, WebhookSecret: webhookSecret, ConnectWebhookSecret: "sk_hidden"},
		"a path for a URL":             {Key: apiKey, WebhookSecret: webhookSecret, ReturnURL: "/paid"},
	} {
		_, err := stripe.New(c)
		require.Error(t, err, name)
		require.NotContains(t, err.Error(), "hidden", name)
	}
	platform, err := stripe.New(stripe.Config{Key: "rk_live_1", WebhookSecret: webhookSecret})
	require.NoError(t, err)
	require.False(t, platform.HasAccounts(), "beside a server that knows no accounts there are none")
}

func TestKeyLifetime_Stripe_IsLessThanADay(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	require.Equal(t, "stripe", b.provider.Name())
	require.Less(t, b.provider.KeyLifetime(), 24*time.Hour)
}
