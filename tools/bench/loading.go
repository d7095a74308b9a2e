package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"holdfast/internal/wallet"
	"holdfast/tools/bench/strategies"
)

// measureLoading measures how long it takes to load wallets that differ in their number of entries, for one client: their newest state and
// that at a random version.
func measureLoading(ctx context.Context, cfg walletConfig, out io.Writer) (*turns, error) {
	d, err := startWalletDatabase(ctx)
	if err != nil {
		return nil, err
	}
	defer d.stop()
	c := &turns{title: "loading a wallet", clients: 1, rounds: cfg.rounds, duration: cfg.duration, machine: describeMachine(ctx, d.versions)}
	for i, n := range cfg.entries {
		_, _ = fmt.Fprintf(out, "filling a wallet with %d entries\n", n)
		if err := d.fillEntries(ctx, i+1, n); err != nil {
			return nil, err
		}
		for kind, version := range []func() int{func() int { return n }, func() int { return 1 + rand.IntN(n) }} {
			c.strategies = append(c.strategies, &turn{
				name: fmt.Sprintf("%d entries, %s", n, []string{"the newest state", "a random version"}[kind]), to: kind,
				run: func(ctx context.Context) (measurement, error) {
					m := meter{postmaster: d.postmaster, process: selfCPU}
					return measureLoad(ctx, 1, cfg.duration, m, func(ctx context.Context, _ int) error { return d.load(ctx, i+1, version()) })
				},
			})
		}
	}
	if err := d.exec(ctx, "VACUUM ANALYZE", "CHECKPOINT"); err != nil {
		return nil, err
	}
	err = c.measure(ctx, d.tidy, out)
	return c, err
}

// firstEntry is when the entries of the wallets that are loaded begin. They follow each other after a millisecond.
var firstEntry = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// balanceAt is the balance of such a wallet at a version: its first entry opens it, the second adds 3, the third takes 1, and so on.
func balanceAt(version int) int64 { return int64(3*(version/2) - (version-1)/2) }

// fillEntries makes the wallet strategies.ID(number) with so many entries and their snapshots.
func (d *walletDatabase) fillEntries(ctx context.Context, number, entries int) error {
	id, at := strategies.ID(number), firstEntry.Format(time.RFC3339)
	return d.exec(ctx, fmt.Sprintf(`INSERT INTO wallets (tenant_id, wallet_id, currency, code_prefix, code_hash, balance, held, state, version, created_at, updated_at)
		VALUES ('%s', '%s', 'EUR', '%d', sha256('%[3]d'), %[4]d, 0, '{}', %[5]d, '%[6]s', timestamptz '%[6]s' + %[5]d * interval '1 ms')`,
		d.tenant.ID, id, number, balanceAt(entries), entries, at),
		fmt.Sprintf(`INSERT INTO wallet_entries (tenant_id, wallet_id, version, movement_id, type, amount, balance, held, occurred_at)
		SELECT '%s', '%s', v, lpad(to_hex(v), 32, '0')::uuid, CASE WHEN v = 1 THEN 'opened' WHEN v %% 2 = 0 THEN 'credited' ELSE 'debited' END,
			CASE WHEN v = 1 THEN 0 WHEN v %% 2 = 0 THEN 3 ELSE 1 END, 3 * (v / 2) - (v - 1) / 2, 0, timestamptz '%s' + v * interval '1 ms'
		FROM generate_series(1, %d) AS v`, d.tenant.ID, id, at, entries),
		fmt.Sprintf(`INSERT INTO wallet_snapshots (tenant_id, wallet_id, version, balance, held, state, occurred_at)
		SELECT tenant_id, wallet_id, version, balance, held, '{}', occurred_at FROM wallet_entries WHERE wallet_id = '%s' AND version %% %d = 0`,
			id, wallet.SnapshotEvery))
}

// load loads a wallet as it was at a version.
func (d *walletDatabase) load(ctx context.Context, number, version int) error {
	w, err := d.service.AsOf(ctx, d.tenant, strategies.ID(number), firstEntry.Add(time.Duration(version)*time.Millisecond))
	if err == nil && (w.Version != int64(version) || w.Balance != balanceAt(version)) {
		err = fmt.Errorf("the wallet had %d at version %d, and %d at version %d was loaded", balanceAt(version), version, w.Balance, w.Version)
	}
	return err
}
