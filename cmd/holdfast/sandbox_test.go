package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/payment"
	"holdfast/internal/payment/sandbox"
	"holdfast/internal/testtime"
)

var sandboxLine = regexp.MustCompile(`The sandbox serves (\S+)\n  key +(\S+)\n  webhook secret +(\S+)\n`)

// startSandbox runs the command and returns a client of it.
func startSandbox(t testing.TB, dir string, env ...string) (*proc, *sandbox.Client) {
	t.Helper()
	p := command(t, dir, env, "sandbox")
	p.launch(t)
	printed := p.await(t, sandboxLine, p.Stdout)
	return p, sandbox.NewClient(sandbox.ClientConfig{URL: printed[1], Key: printed[2], WebhookSecret: printed[3]})
}

func TestSandbox_IsStoppedAndStartedAgain_KnowsItsKeyAndItsCharges(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	order := payment.ChargeOrder{
		Reference: payment.Reference{TenantID: uuid.New(), ID: uuid.New()}, Key: "key-1", Amount: 100, Currency: "EUR",
		Method: "pm_ok",
	}
	p, client := startSandbox(t, dir)
	made, err := client.Charge(t.Context(), order)
	require.NoError(t, err)
	require.Equal(t, payment.Succeeded, made.Result)
	p.stop(t)
	again, client := startSandbox(t, dir)
	secrets := regexp.MustCompile(`(?s)key +\S+\n.*secret +\S+\n`)
	require.NotEmpty(t, secrets.FindString(p.Stdout.String()))
	require.Equal(t, secrets.FindString(p.Stdout.String()), secrets.FindString(again.Stdout.String()))
	found, err := client.FindCharge(t.Context(), order.Reference, "")
	require.NoError(t, err)
	require.Equal(t, made, found)
	for _, file := range []string{sandboxKeyFile, sandboxSecretFile, sandboxFile} {
		info, err := os.Stat(filepath.Join(dir, file))
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), file)
	}
}

func TestSandbox_Configured_UsesWhatItIsGiven(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	file := filepath.Join(dir, "elsewhere")
	p, client := startSandbox(t, dir, "HOLDFAST_SANDBOX_KEY=sk_mine", "HOLDFAST_SANDBOX_WEBHOOK_SECRET=whsec_mine",
		"HOLDFAST_SANDBOX_FILE="+file)
	require.Regexp(t, `key +sk_mine\n`, p.Stdout.String())
	require.Regexp(t, `secret +whsec_mine\n`, p.Stdout.String())
	for _, err := range client.Transactions(t.Context(), time.Unix(0, 0), testtime.Now()) {
		require.NoError(t, err)
	}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1, "nothing was made that was given")
	require.Equal(t, "elsewhere", entries[0].Name())
	second, code := run(t, dir, []string{"HOLDFAST_SANDBOX_FILE=" + file}, "sandbox")
	require.NotZero(t, code)
	require.Contains(t, second.log(), file)
}
