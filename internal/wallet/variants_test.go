package wallet_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db/dbtest"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
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
		statements = append(statements, "ALTER TABLE wallet_entries DROP CONSTRAINT wallet_entries_pkey",
			"DROP INDEX changes_by_version")
	}
	if !l.constraint {
		statements = append(statements, "ALTER TABLE wallets DROP CONSTRAINT wallets_available_check")
	}
	for _, s := range statements {
		dbtest.Alter(t, b.url, s)
	}
}

// TestLayers runs the real use cases against a database that is made to leave layers out, with one check of the money:
// it must find nothing while any layer is left, and the defect when none is.
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
			gates := [2]*dbtest.CommitGate{dbtest.NewCommitGate(t), dbtest.NewCommitGate(t)}
			var processes [2]*process
			for i := range processes {
				proxy := dbtest.NewProxy(t, b.url,
					func(p *dbtest.Proxy) { p.Rewrite, p.BeforeCommit = v.rewrite, gates[i].Wait })
				processes[i] = newProcess(t, proxy.URL)
			}
			for _, transfers := range [][2]bool{{false, false}, {true, false}, {false, true}, {true, true}} {
				v.spendTwice(t, b, processes, gates, transfers)
			}
			if v.layers != (layers{}) {
				spendFreely(t, b, processes)
			}
		})
	}
}

// spendTwice has two processes spend all that a wallet has, each by a debit or by a transfer to another wallet. The
// second process gets as far as it can while the first one's COMMIT is kept back: to its own COMMIT, or to the lock
// that the first one holds.
func (l layers) spendTwice(t *testing.T, b *testBundle, processes [2]*process, gates [2]*dbtest.CommitGate,
	transfers [2]bool,
) {
	t.Helper()
	const amount = 100
	m := money{wallets: [2]uuid.UUID{b.newWallet(t, amount), b.newWallet(t, amount)}}
	refusals, retries := b.stored(t, 422), processes[0].retries(t)+processes[1].retries(t)
	for _, g := range gates {
		g.Close()
	}
	codes := make([]problem.Code, 2)
	var both sync.WaitGroup
	for i, p := range processes {
		both.Go(func() {
			if transfers[i] {
				codes[i] = code(
					t,
				)(
					p.Transfer(t.Context(), b.tenant, newRequest(t),
						wallet.TransferRequest{From: m.wallets[0], To: m.wallets[1],
							Amount: amount}),
				)
			} else {
				codes[i] = code(t)(p.Debit(t.Context(), b.tenant, newRequest(t), m.wallets[0],
					wallet.DebitRequest{Amount: amount}))
			}
		})
		require.Eventually(t, func() bool { return gates[i].Reached() || i == 1 && b.lockWaiters(t) == 1 }, longestWait,
			time.Millisecond)
	}
	for _, g := range gates {
		g.Open()
	}
	both.Wait()
	for i, c := range codes {
		switch {
		case c != "":
			require.Equal(t, problem.InsufficientFunds, c)
		case transfers[i]:
			m.transferred += amount
		default:
			m.debited += amount
		}
	}
	if l == (layers{}) {
		require.Equal(t, []problem.Code{"", ""}, codes)
		require.Positive(t, m.wrong(t, b), "the check didn't find the defect")
		return
	}
	require.ElementsMatch(t, []problem.Code{"", problem.InsufficientFunds}, codes)
	require.Zero(t, m.wrong(t, b))
	again := 0.0
	if !l.lock && !l.constraint { // a version alone: the transaction that came second runs again
		again = 1
	}
	require.InDelta(t, retries+again, processes[0].retries(t)+processes[1].retries(t), 0.1)
	// The refusal of the server is stored with its key. The constraint's isn't: its transaction wrote nothing.
	if l.lock || !l.constraint {
		refusals++
	}
	require.Equal(t, refusals, b.stored(t, 422))
}

// spendFreely has half of the clients debit one wallet, while the others transfer both ways.
func spendFreely(t *testing.T, b *testBundle, processes [2]*process) {
	t.Helper()
	const clients, amount = 16, 10
	for range testtime.Rounds(2) {
		m := money{wallets: [2]uuid.UUID{b.newWallet(t, 100), b.newWallet(t, 100)}}
		told := make([]bool, clients)
		codes := race(t, clients, func(i int) (r idempotency.Outcome, err error) {
			defer func() { told[i] = err == nil && r.Answer().Status == 201 }()
			p := processes[i%2]
			if i%4 < 2 {
				return p.Debit(t.Context(), b.tenant, newRequest(t), m.wallets[0], wallet.DebitRequest{Amount: amount})
			}
			return p.Transfer(
				t.Context(),
				b.tenant,
				newRequest(t),
				wallet.TransferRequest{From: m.wallets[i/4%2], To: m.wallets[1-i/4%2], Amount: amount},
			)
		})
		for i, ok := range told {
			switch {
			case ok && i%4 < 2:
				m.debited += amount
			case ok:
				m.transferred += amount
			}
		}
		require.Zero(t, m.wrong(t, b), "%v", codes)
		require.Subset(t, []problem.Code{"", problem.InsufficientFunds, problem.VersionConflict},
			slices.Collect(maps.Keys(codes)))
	}
}

// lockWaiters returns how many of the database's sessions wait for an advisory lock.
func (b *testBundle) lockWaiters(t testing.TB) (n int) {
	t.Helper()
	require.NoError(t, b.sql.QueryRow(t.Context(), `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
		AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`).Scan(&n))
	return n
}

// stored counts the stored responses with a status.
func (b *testBundle) stored(t testing.TB, status int) (n int) {
	t.Helper()
	require.NoError(t, b.sql.QueryRow(t.Context(), "SELECT count(*) FROM idempotency_keys WHERE status = $1",
		status).Scan(&n))
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
				(SELECT sum(CASE WHEN type IN ('credited', 'transferred_in') THEN amount WHEN type IN ('debited', 'transferred_out')
				 THEN -amount ELSE 0 END)
				 FROM wallet_entries WHERE wallet_id = $1),
				(SELECT sum(CASE WHEN to_wallet = $1 THEN amount ELSE -amount END) FROM wallet_postings
					WHERE $1 IN (from_wallet, to_wallet))
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
	for _, bad := range []bool{debited != m.debited, out != m.transferred, in != m.transferred,
		total != 200-m.debited} {
		if bad {
			n++
		}
	}
	return n
}
