package webhook_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/require"

	"holdfast/internal/testtime"
	"holdfast/internal/webhook"
)

// delivery is a signed request, and whether the holder of a secret must accept it.
type delivery struct {
	Name    string            `json:"name"`
	Secret  string            `json:"secret"`
	Body    string            `json:"body"`
	Headers map[string]string `json:"headers"`
	accept  bool
}

// deliveries signs now, because the specification's libraries refuse timestamps that are five minutes old.
func deliveries(t *testing.T) []delivery {
	t.Helper()
	newer, older, other := webhook.NewSecret(), webhook.NewSecret(), webhook.NewSecret()
	const body = `{"type":"booking.confirmed","data":{"name":"Zoë 🚣"}}`
	sign := func(secrets ...webhook.Secret) map[string]string {
		header, err := webhook.Sign("01990a5d-ac96-774b-bcce-b302099a8057", testtime.Now(), []byte(body), secrets...)
		require.NoError(t, err)
		headers := map[string]string{}
		for name := range header {
			headers[name] = header.Get(name)
		}
		return headers
	}
	otherID := sign(newer)
	otherID["Webhook-Id"] += "0"
	return []delivery{
		{Name: "one secret", Secret: newer.Reveal(), Body: body, Headers: sign(newer), accept: true},
		{Name: "newer of two secrets", Secret: newer.Reveal(), Body: body, Headers: sign(newer, older), accept: true},
		{Name: "older of two secrets", Secret: older.Reveal(), Body: body, Headers: sign(newer, older), accept: true},
		{Name: "another secret", Secret: other.Reveal(), Body: body, Headers: sign(newer, older), accept: false},
		{Name: "another body", Secret: newer.Reveal(), Body: body + " ", Headers: sign(newer), accept: false},
		{Name: "another id", Secret: newer.Reveal(), Body: body, Headers: otherID, accept: false},
	}
}

func TestSign_SpecificationsGoLibrary_Agrees(t *testing.T) {
	t.Parallel()
	for _, d := range deliveries(t) {
		receiver, err := standardwebhooks.NewWebhook(d.Secret)
		require.NoError(t, err)
		header := map[string][]string{}
		for name, value := range d.Headers {
			header[name] = []string{value}
		}
		err = receiver.Verify([]byte(d.Body), header)
		if d.accept {
			require.NoError(t, err, d.Name)
		} else {
			require.ErrorIs(t, err, standardwebhooks.ErrNoMatchingSignature, d.Name)
		}
	}
}

// The library comes from npm: package-lock.json pins it by version and content, and npm keeps it in its cache.
func TestSign_SpecificationsJavaScriptLibrary_Agrees(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not on PATH: signatures are not verified with the specification's JavaScript library (apt-get install nodejs "+
				"npm)", program)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "standardwebhooks"))))
	install := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund")
	install.Dir = dir
	output, err := install.CombinedOutput()
	require.NoError(t, err, "%s", output)

	signed := deliveries(t)
	input, err := json.Marshal(signed)
	require.NoError(t, err)
	var problems bytes.Buffer
	verify := exec.CommandContext(ctx, "node", "verify.js")
	verify.Dir, verify.Stdin, verify.Stderr = dir, bytes.NewReader(input), &problems
	output, err = verify.Output()
	require.NoError(t, err, "%s", &problems)
	var accepted []bool
	require.NoError(t, json.Unmarshal(output, &accepted))
	require.Len(t, accepted, len(signed))
	for i, d := range signed {
		require.Equal(t, d.accept, accepted[i], d.Name)
	}
}
