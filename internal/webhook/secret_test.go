package webhook_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/webhook"
)

func TestNewSecret_Revealed_ParsesToTheSameSecret(t *testing.T) {
	t.Parallel()
	secret := webhook.NewSecret()
	require.Regexp(t, `^whsec_[A-Za-z0-9+/]{43}=$`, secret.Reveal())
	require.NotEqual(t, secret.Reveal(), webhook.NewSecret().Reveal())
	parsed, err := webhook.ParseSecret(secret.Reveal())
	require.NoError(t, err)
	require.Equal(t, secret.Reveal(), parsed.Reveal())
}

func TestParseSecret_Length_Takes24To64Bytes(t *testing.T) {
	t.Parallel()
	for length, valid := range map[int]bool{0: false, 23: false, 24: true, 32: true, 64: true, 65: false} {
		_, err := webhook.ParseSecret("whsec_" + base64.StdEncoding.EncodeToString(make([]byte, length)))
		require.Equal(t, valid, err == nil, "%d bytes: %v", length, err)
	}
}

func TestParseSecret_InvalidText_IsRefusedWithoutRepeatingIt(t *testing.T) {
	t.Parallel()
	key := strings.Repeat("A", 32)
	for _, text := range []string{"", key, "whpk_" + key, "WHSEC_" + key, "whsec_" + key + "\n", "whsec_ " + key,
		"whsec_" + key + "=",
		"whsec_" + strings.Repeat("-", 32)} {
		_, err := webhook.ParseSecret(text)
		require.Error(t, err, text)
		require.NotContains(t, err.Error(), "AAAA")
	}
}

func TestSecret_PrintedOrLogged_IsRedacted(t *testing.T) {
	t.Parallel()
	secret := webhook.NewSecret()
	encoded := strings.TrimPrefix(secret.Reveal(), "whsec_")
	key, err := base64.StdEncoding.DecodeString(encoded)
	require.NoError(t, err)
	type endpoint struct {
		Shown  webhook.Secret
		hidden webhook.Secret
	}
	both := endpoint{Shown: secret, hidden: secret}
	var logged bytes.Buffer
	for _, handler := range []slog.Handler{slog.NewTextHandler(&logged, nil), slog.NewJSONHandler(&logged, nil)} {
		slog.New(handler).Info("a secret", "secret", secret, "pointer", &secret, "endpoint", both)
	}
	printed := []string{logged.String()}
	for _, value := range []any{secret, &secret, both, &both, []webhook.Secret{secret}} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%o", "%b", "%c", "%U"} {
			printed = append(printed, fmt.Sprintf(verb, value))
		}
		text, err := json.Marshal(value)
		require.NoError(t, err)
		printed = append(printed, string(text))
	}
	for _, text := range printed {
		require.NotContains(t, text, encoded)
		require.NotContains(t, strings.ToLower(text), hex.EncodeToString(key[:8]))
		require.NotContains(t, text, strings.Trim(fmt.Sprint(key[:4]), "[]"))
	}
	require.Contains(t, logged.String(), "[redacted]")
}
