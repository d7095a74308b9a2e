package main

import (
	"bytes"
	"regexp"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"holdfast/internal/wallet"
	"holdfast/tools/bench/strategies"
)

func TestWallets_EachPart_MeasuresEveryStrategyInTurns(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	require.NoError(t, measureWallets(t.Context(), walletConfig{
		wallets: 50, scales: []int{1}, entries: []int{wallet.SnapshotEvery + 10, 4*wallet.SnapshotEvery + 10}, rounds: 1,
		duration: briefly, chosen: regexp.MustCompile(""),
	}, &out))
	for _, row := range []string{
		`pgbench, scale 1 \| \d+ `, `Holdfast \| \d+ \(\d+ to \d+\) \| pgbench, scale 1 \| × \d+\.\d\d \(`,
		`row lock \| \d+ `, `Holdfast \| \d+ \(\d+ to \d+\) \| row lock \| × \d+\.\d\d \(`,
		`266 entries, the newest state \| \d+ `, `1034 entries, a random version \| \d+ \(\d+ to \d+\) \| 266 entries, a random version \| × \d+\.\d\d \(`,
	} {
		require.Regexp(t, `(?m)^\| `+row, out.String())
	}
	require.ErrorIs(t, measureWallets(t.Context(), walletConfig{chosen: regexp.MustCompile("nothing of it")}, &out), errNothingChosen)
}

func TestHotWallet_RowLock_WritesTheSameRowsAsHoldfast(t *testing.T) {
	t.Parallel()
	d, err := startWalletDatabase(t.Context())
	require.NoError(t, err)
	defer d.stop()
	require.NoError(t, d.fillWallets(t.Context(), 2))
	plain, err := d.openPlain(t.Context())
	require.NoError(t, err)
	defer plain.Close()
	type written struct {
		Version, Entries, Postings, Events, Keys int64
		Right                                    bool
	}
	rows := func(id uuid.UUID) written {
		found, err := d.conn.Query(t.Context(), `SELECT w.version, count(*) AS entries,
				(SELECT count(*) FROM wallet_postings WHERE $1 IN (from_wallet, to_wallet)) AS postings,
				(SELECT count(*) FROM changes WHERE subject_id = $1) AS events, (SELECT count(*) FROM idempotency_keys) AS keys,
				bool_and(e.balance = before.balance + CASE e.type WHEN 'debited' THEN -e.amount ELSE e.amount END) AND max(e.version) = w.version AS right
			FROM wallets w JOIN wallet_entries e USING (tenant_id, wallet_id)
			LEFT JOIN wallet_entries before ON before.wallet_id = e.wallet_id AND before.version = e.version - 1
			WHERE w.wallet_id = $1 GROUP BY w.version`, id.String())
		require.NoError(t, err)
		row, err := pgx.CollectExactlyOneRow(found, pgx.RowToStructByName[written])
		require.NoError(t, err)
		return row
	}
	holdfast, rowLock := strategies.ID(1), strategies.ID(2)
	require.NoError(t, d.creditOrDebit(t.Context(), holdfast))
	after := rows(holdfast)
	require.Equal(t, written{Version: 3, Entries: 3, Postings: 2, Events: 1, Keys: 1, Right: true}, after)
	require.NoError(t, d.underRowLock(t.Context(), plain, rowLock))
	after.Keys++
	require.Equal(t, after, rows(rowLock))
	for range 9 {
		require.NoError(t, d.underRowLock(t.Context(), plain, rowLock))
	}
	require.Equal(t, written{Version: 12, Entries: 12, Postings: 11, Events: 10, Keys: 11, Right: true}, rows(rowLock))
}
