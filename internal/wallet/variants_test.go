package wallet_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/wallet"
)

// layers are the four guards of a wallet's money.
type layers struct{ lock, entryVersion, rowVersion, constraint bool }

var rowVersion = regexp.MustCompile(` AND version = \$\d+::bigint - 1`)

// rewrite returns what switches off the lock and the row's version, if the layers lack them.
func (l layers) rewrite(sql string) string {
	if !l.lock {
		sql = strings.ReplaceAll(sql, "pg_catalog.pg_advisory_xact_lock($1::bigint)", "pg_typeof($1::bigint)")
	}
	if !l.rowVersion && strings.HasPrefix(sql, "-- name: WalletAppend") {
		sql = rowVersion.ReplaceAllString(sql, "")
	}
	return sql
}

// drop drops the constraints that the layers lack.
func (l layers) drop(t testing.TB, b *testBundle) {
	t.Helper()
	var statements []string
	if !l.entryVersion {
		statements = append(statements, "ALTER TABLE wallet_entries DROP CONSTRAINT wallet_entries_pkey")
	}
	if !l.constraint {
		statements = append(statements, "ALTER TABLE wallets DROP CONSTRAINT wallets_available_check")
	}
	for _, s := range statements {
		_, err := b.sql.Exec(t.Context(), s)
		require.NoError(t, err)
	}
}

// TestLayers runs the real use cases against a database that is made to leave layers out, with one check of the money: it must find
// nothing while any layer is left, and the defect when none is.
func TestLayers_AnyOneLeft_KeepsTheMoneyRight(t *testing.T) {
	t.Parallel()
	for _, v := range []struct {
		name string
		layers
	}{
		{"all", layers{true, true, true, true}},
		{"the lock alone", layers{lock: true}},
		{"the expected version alone", layers{entryVersion: true}},
		{"the row's version alone", layers{rowVersion: true}},
		{"the constraint alone", layers{constraint: true}},
		{"none", layers{}},
	} {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			v.drop(t, b)
			processes := b.processes(t, 6, v.rewrite)
			const rounds, clients, amount = 12, 32, 10
			codes := map[problem.Code]int{}
			wrong := 0
			for range rounds {
				m := money{wallets: [2]uuid.UUID{b.newWallet(t, 100), b.newWallet(t, 100)}}
				told := make([]bool, clients)
				for c, n := range race(t, clients, func(i int) (r idempotency.Response, err error) {
					defer func() { told[i] = err == nil && r.Status == 201 }()
					p := processes[i%len(processes)]
					if i%2 == 0 { // half of the clients debit the first wallet, the others transfer both ways
						return p.Debit(t.Context(), b.tenant, newRequest(t), m.wallets[0], amount, wallet.Description{})
					}
					return p.Transfer(t.Context(), b.tenant, newRequest(t), m.wallets[i/2%2], m.wallets[1-i/2%2], amount, wallet.Description{})
				}) {
					codes[c] += n
				}
				for i, ok := range told {
					switch {
					case ok && i%2 == 0:
						m.debited += amount
					case ok:
						m.transferred += amount
					}
				}
				wrong += m.wrong(t, b)
			}
			t.Log(codes)
			if v.layers == (layers{}) {
				require.Positive(t, wrong, "the check didn't find the defect")
				return
			}
			require.Zero(t, wrong, "%v", codes)
			require.Positive(t, codes[""])
			retries := 0.0
			for _, p := range processes {
				retries += p.retries(t)
			}
			allowed := []problem.Code{"", problem.InsufficientFunds}
			if !v.lock && !v.constraint { // a version alone: the transaction that came second runs again
				allowed = append(allowed, problem.LockTimeout)
				require.Positive(t, retries, "no version was wrong")
			} else {
				require.Zero(t, retries)
			}
			require.Subset(t, allowed, slices.Collect(maps.Keys(codes)), "clients see other errors: %v", codes)
			// The refusal of the server is stored with its key. The constraint's isn't: its transaction wrote nothing.
			refused := codes[problem.InsufficientFunds] - b.stored(t, 422)
			if v.constraint && !v.lock {
				require.Positive(t, refused, "the constraint refused nothing")
			} else {
				require.Zero(t, refused)
			}
			const prepared = 4 // two wallets with a credit each
			require.Equal(t, codes[""]+rounds*prepared, b.stored(t, 201))
		})
	}
}

// stored counts the stored responses with a status.
func (b *testBundle) stored(t testing.TB, status int) (n int) {
	t.Helper()
	require.NoError(t, b.sql.QueryRow(t.Context(), "SELECT count(*) FROM idempotency_keys WHERE status = $1", status).Scan(&n))
	return n
}

// money is two wallets that had 100 each, and what clients were told of them.
type money struct {
	wallets              [2]uuid.UUID
	debited, transferred int64
}

// wrong counts what is wrong with the wallets' money.
func (m money) wrong(t testing.TB, b *testBundle) (n int) {
	t.Helper()
	total := int64(0)
	for _, id := range m.wallets {
		var balance, available, entered, posted int64
		require.NoError(t, b.sql.QueryRow(t.Context(), `
			SELECT balance, available,
				(SELECT sum(CASE WHEN type IN ('credited', 'transferred_in') THEN amount WHEN type IN ('debited', 'transferred_out') THEN -amount ELSE 0 END)
				 FROM wallet_entries WHERE wallet_id = $1),
				(SELECT sum(CASE WHEN to_wallet = $1 THEN amount ELSE -amount END) FROM wallet_postings WHERE $1 IN (from_wallet, to_wallet))
			FROM wallets WHERE wallet_id = $1`, id).Scan(&balance, &available, &entered, &posted))
		total += balance
		for _, bad := range []bool{available < 0, entered != balance, posted != balance} {
			if bad {
				n++
			}
		}
	}
	var debited, out, in int64
	require.NoError(t, b.sql.QueryRow(t.Context(), `
		SELECT coalesce(sum(amount) FILTER (WHERE type = 'debited'), 0), coalesce(sum(amount) FILTER (WHERE type = 'transferred_out'), 0),
			coalesce(sum(amount) FILTER (WHERE type = 'transferred_in'), 0)
		FROM wallet_entries WHERE wallet_id = ANY ($1)`, m.wallets[:]).Scan(&debited, &out, &in))
	for _, bad := range []bool{debited != m.debited, out != m.transferred, in != m.transferred, total != 200-m.debited} {
		if bad {
			n++
		}
	}
	return n
}
