package webhook_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/testtime"
	"holdfast/internal/webhook"
)

func TestSign_SecretsOfARotation_GivesASignatureForEach(t *testing.T) {
	t.Parallel()
	at := time.Date(2027, 7, 1, 9, 0, 0, 999_999_999, time.UTC)
	newer, older := webhook.NewSecret(), webhook.NewSecret()
	both, err := webhook.Sign("0198-a_B", at, []byte("{}"), newer, older)
	require.NoError(t, err)
	require.Equal(t, "0198-a_B", both.Get("webhook-id"))
	require.Equal(t, "1814432400", both.Get("webhook-timestamp"), "whole seconds, rounded down")
	signatures := strings.Split(both.Get("webhook-signature"), " ")
	require.Len(t, signatures, 2)
	for i, secret := range []webhook.Secret{newer, older} {
		alone, err := webhook.Sign("0198-a_B", at, []byte("{}"), secret)
		require.NoError(t, err)
		require.Equal(t, signatures[i], alone.Get("webhook-signature"))
	}
}

func TestSign_InvalidID_IsRefused(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"", "a.b", "a b", "a\nb", "é", strings.Repeat("a", 256)} {
		_, err := webhook.Sign(id, testtime.Now(), nil, webhook.NewSecret())
		require.Error(t, err, "%q", id)
	}
}

func TestSign_NoSecret_IsRefused(t *testing.T) {
	t.Parallel()
	_, err := webhook.Sign("id", testtime.Now(), nil)
	require.Error(t, err)
	_, err = webhook.Sign("id", testtime.Now(), nil, webhook.NewSecret(), webhook.Secret{})
	require.Error(t, err)
}
