package webhook_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/require"

	"holdfast/internal/webhook"
)

// webhookHandler verifies webhooks and passes them on. secret is the endpoint's, such as whsec_….
func webhookHandler(secret string, handle func(id string, event []byte)) (http.HandlerFunc, error) {
	verifier, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		return nil, err
	}
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil || verifier.Verify(body, r.Header) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		handle(r.Header.Get("webhook-id"), body) // store it, and work on it afterwards
		w.WriteHeader(http.StatusNoContent)
	}, nil
}

// documented returns the first block of a language in docs/webhooks.md.
func documented(t *testing.T, language string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "webhooks.md"))
	require.NoError(t, err)
	_, block, found := strings.Cut(string(text), "\n```"+language+"\n")
	require.True(t, found)
	block, _, found = strings.Cut(block, "```\n")
	require.True(t, found)
	return block
}

func TestDocs_GoExample_AcceptsWebhooksOfItsSecretAlone(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("docs_test.go")
	require.NoError(t, err)
	require.Contains(t, string(source), documented(t, "go"), "docs/webhooks.md shows the code of this test")

	b := setup(t)
	var handler http.HandlerFunc
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler(w, r) }))
	t.Cleanup(receiver.Close)
	e := b.newEndpoint(t, receiver.URL, "*")
	var got []string
	handler, err = webhookHandler(e.Secret, func(id string, _ []byte) { got = append(got, id) })
	require.NoError(t, err)
	id := b.recordChange(t, "booking.created")
	b.run(t)
	require.Equal(t, texts(id), got)
	require.EqualValues(t, "completed", b.delivery(t, e.ID).Status)

	handler, err = webhookHandler(webhook.NewSecret().Reveal(), func(string, []byte) { t.Error("accepted") })
	require.NoError(t, err)
	b.recordChange(t, "booking.created")
	b.run(t)
	require.Equal(t, "The endpoint answered 400.", b.deliveries(t, e.ID)[0].Error)
}

func TestDocs_JavaScriptExample_AgreesWithTheSpecification(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not on PATH: the JavaScript example is not run (apt-get install nodejs)")
	}
	signed := deliveries(t)
	for i, d := range signed {
		lower := map[string]string{}
		for name, value := range d.Headers {
			lower[strings.ToLower(name)] = value
		}
		signed[i].Headers = lower
	}
	input, err := json.Marshal(signed)
	require.NoError(t, err)
	script := filepath.Join(t.TempDir(), "verify.js")
	require.NoError(t, os.WriteFile(script, []byte(documented(t, "js")+`
const deliveries = JSON.parse(require("fs").readFileSync(0, "utf8"));
const old = (d) => ({ ...d.headers, "webhook-timestamp": "1000000000" });
process.stdout.write(JSON.stringify([
  ...deliveries.map((d) => verify(d.secret, d.headers, d.body)),
  verify(deliveries[0].secret, old(deliveries[0]), deliveries[0].body),
]));
`), 0o600))
	var problems bytes.Buffer
	run := exec.CommandContext(t.Context(), "node", script)
	run.Stdin, run.Stderr = bytes.NewReader(input), &problems
	output, err := run.Output()
	require.NoError(t, err, "%s", &problems)
	var accepted []bool
	require.NoError(t, json.Unmarshal(output, &accepted))
	var want []bool
	for _, d := range signed {
		want = append(want, d.accept)
	}
	require.Equal(t, append(want, false), accepted, "the last one is too old")
}
