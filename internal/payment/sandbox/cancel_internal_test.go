package sandbox

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/payment"
)

func TestCancel_ServerKilledAfterwards_StaysCancelled(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "sandbox.db")
	client, kill := startProcess(t, file)
	o := newOrder(t, "pm_requires_action", 100)
	made := mustCharge(t, client, o)
	cancelled, err := client.CancelCharge(t.Context(), o.Reference, made.ProviderID)
	require.NoError(t, err)
	require.Equal(t, payment.Cancelled, cancelled.DeclineCode)
	kill()

	client, _ = startProcess(t, file)
	found, err := client.FindCharge(t.Context(), o.Reference, "")
	require.NoError(t, err)
	require.Equal(t, cancelled, found)
	again, err := client.CancelCharge(t.Context(), o.Reference, "")
	require.NoError(t, err)
	require.Equal(t, cancelled, again)
	require.Empty(t, netAmounts(t, client))
}

func TestCancel_WithFault_CanBeRepeated(t *testing.T) {
	t.Parallel()
	for kind, done := range map[FaultKind]bool{
		ErrorBefore: false, ErrorDuring: false, ErrorAfter: true, DropBefore: false, DropAfter: true,
		Unavailable: false, RateLimit: false,
	} {
		s, client := startServer(t, nil)
		o := newOrder(t, "pm_requires_action", 100)
		mustCharge(t, client, o)
		require.NoError(t, s.Inject(Fault{Kind: kind, On: Cancellations, Count: 1}))
		_, err := client.CancelCharge(t.Context(), o.Reference, "")
		requireUnknown(t, err)
		require.Equal(t, done, lookUpResult(t, client, o.Reference) == payment.Declined, "%s", kind)
		ended, err := client.CancelCharge(t.Context(), o.Reference, "")
		require.NoError(t, err)
		require.Equal(t, payment.Cancelled, ended.DeclineCode, "%s", kind)
	}
}

func TestCancel_OrderCarriedOutTwice_CancelsBoth(t *testing.T) {
	t.Parallel()
	_, client := startServer(t, nil)
	o := newOrder(t, "pm_requires_action", 100)
	first := mustCharge(t, client, o)
	o.Key += "-again"
	second := mustCharge(t, client, o)
	_, err := client.CancelCharge(t.Context(), o.Reference, "")
	require.NoError(t, err)
	require.False(t, finishActionInBrowser(t, first, true))
	require.False(t, finishActionInBrowser(t, second, true))
}

func TestCancel_OpenCharge_SendsAWebhook(t *testing.T) {
	t.Parallel()
	var events receiver
	_, client := startServer(t, func(cfg *Config) { cfg.WebhookURL = events.listen(t) })
	o := newOrder(t, "pm_requires_action", 100)
	made := mustCharge(t, client, o)
	_, err := client.CancelCharge(t.Context(), o.Reference, made.ProviderID)
	require.NoError(t, err)
	told := events.await(t, 1)
	require.Equal(t, payment.Declined, told[0].Outcome.Result)
	require.Equal(t, payment.Cancelled, told[0].Outcome.DeclineCode)
}
