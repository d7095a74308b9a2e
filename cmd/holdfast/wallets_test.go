package main

import (
	"encoding/json"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/idempotency"
	"holdfast/internal/tenant"
	"holdfast/internal/wallet"
)

func TestWallets_ProjectionIsWrong_VerifyFindsItAndRebuildMendsIt(t *testing.T) {
	t.Parallel()
	b := newEventsBundle(t)
	s := dbtest.Open(t, db.Config{URL: b.url})
	wallets := wallet.NewService(s)
	var ids []uuid.UUID
	for range 2 {
		r, err := idempotency.NewRequest([]string{uuid.NewString()}, "POST", "/", nil)
		require.NoError(t, err)
		resp, err := wallets.Create(t.Context(), tenant.Tenant{ID: b.a}, r, wallet.CreateRequest{Currency: "EUR"})
		require.NoError(t, err)
		var body wallet.NewWalletBody
		require.NoError(t, json.Unmarshal(resp.Body, &body))
		ids = append(ids, body.ID)
	}
	run := func(arguments ...string) (string, int) {
		p, code := run(t, b.dir, []string{"HOLDFAST_DATABASE_URL=" + b.url},
			append([]string{"wallets"}, arguments...)...)
		return p.Stdout.String() + p.log(), code
	}
	printed, code := run("verify")
	require.Zero(t, code, printed)
	require.Contains(t, printed, "tenants: 2  wallets: 2  entries: 2  differences: 0")

	_, err := b.sql.Exec(t.Context(), "UPDATE wallets SET balance = 7 WHERE wallet_id = $1", ids[1])
	require.NoError(t, err)
	printed, code = run("verify", "--tenant", "tenant-a")
	require.Equal(t, 1, code, printed)
	require.Contains(t, printed, "tenants: 1  wallets: 2  entries: 2  differences: 3")
	require.Contains(t, printed, "projection")
	require.Contains(t, printed, ids[1].String())
	printed, code = run("verify", "--tenant", "tenant-b")
	require.Zero(t, code, printed)
	p, code := runJSON[wallet.Verification](t, b, "wallets", "verify", "--json")
	require.Equal(t, 1, code)
	require.Equal(t, []int{2, 2, 3, 3}, []int{p.Tenants, p.Wallets, p.Found, len(p.Differences)})

	printed, code = run("rebuild", "--wallet", ids[0].String())
	require.Zero(t, code, printed)
	require.Contains(t, printed, "wallets: 1  rebuilt: 0  refused: 0")
	printed, code = run("rebuild", "--tenant", "tenant-a")
	require.Zero(t, code, printed)
	require.Contains(t, printed, "wallets: 2  rebuilt: 1  refused: 0")
	require.Contains(t, printed, "7 → 0")
	printed, code = run("verify")
	require.Zero(t, code, printed)

	_, err = b.sql.Exec(t.Context(), "DELETE FROM wallet_entries WHERE wallet_id = $1", ids[1])
	require.NoError(t, err)
	printed, code = run("rebuild")
	require.Equal(t, 1, code, printed)
	require.Contains(t, printed, "wallets: 2  rebuilt: 0  refused: 1")
	for _, arguments := range [][]string{
		{"rebuild", "--wallet", uuid.NewString()}, {"rebuild", "--wallet", "7"}, {"rebuild", "--tenant", "nobody"},
		{"verify", "--tenant", "nobody"},
	} {
		printed, code = run(arguments...)
		require.Equal(t, 2, code, printed)
	}
}

// runJSON runs a command that prints JSON, and returns it with the exit code.
func runJSON[T any](t *testing.T, b *eventsBundle, arguments ...string) (document T, code int) {
	t.Helper()
	p, code := run(t, b.dir, []string{"HOLDFAST_DATABASE_URL=" + b.url}, arguments...)
	require.NoError(t, json.Unmarshal([]byte(p.Stdout.String()), &document))
	return document, code
}
