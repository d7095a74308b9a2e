package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	pgxuuid "github.com/vgarvardt/pgx-google-uuid/v5"

	"holdfast/internal/idempotency"
	"holdfast/internal/wallet"
	"holdfast/tools/bench/strategies"
)

// measureHotWallet measures credits and debits of one wallet beside a plain row lock, which writes the same rows.
func measureHotWallet(ctx context.Context, cfg walletConfig, out io.Writer) (*turns, error) {
	d, err := startWalletDatabase(ctx)
	if err != nil {
		return nil, err
	}
	defer d.stop()
	if err := d.fillWallets(ctx, 2); err != nil {
		return nil, err
	}
	plain, err := d.openPlain(ctx)
	if err != nil {
		return nil, err
	}
	defer plain.Close()
	c := &turns{title: "one hot wallet", clients: clients, rounds: cfg.rounds, duration: cfg.duration, machine: describeMachine(ctx, d.versions)}
	add := func(name string, op func(context.Context) error) {
		c.strategies = append(c.strategies, &turn{name: name, run: func(ctx context.Context) (measurement, error) {
			m := meter{postmaster: d.postmaster, process: selfCPU}
			return measureLoad(ctx, clients, cfg.duration, m, func(ctx context.Context, _ int) error { return op(ctx) })
		}})
	}
	// A wallet each: they meet nowhere.
	add("row lock", func(ctx context.Context) error { return d.underRowLock(ctx, plain, strategies.ID(2)) })
	add("Holdfast", func(ctx context.Context) error { return d.creditOrDebit(ctx, strategies.ID(1)) })
	err = c.measure(ctx, d.tidy, out)
	return c, err
}

// creditOrDebit changes a wallet by a small amount.
func (d *walletDatabase) creditOrDebit(ctx context.Context, id uuid.UUID) error {
	r, err := newRequest()
	if err != nil {
		return err
	}
	var resp idempotency.Response
	if amount := 1 + rand.Int64N(100); rand.IntN(2) == 0 {
		resp, err = d.service.Credit(ctx, d.tenant, r, id, amount, nil, wallet.Description{})
	} else {
		resp, err = d.service.Debit(ctx, d.tenant, r, id, amount, wallet.Description{})
	}
	if err == nil && resp.Status != http.StatusCreated {
		err = fmt.Errorf("a change of a wallet got %d: %s", resp.Status, resp.Body)
	}
	return err
}

// openPlain opens the pool of the strategy without Holdfast.
func (d *walletDatabase) openPlain(ctx context.Context) (*pgxpool.Pool, error) {
	pc, err := pgxpool.ParseConfig(d.server.URL())
	if err != nil {
		return nil, fmt.Errorf("read the database URL: %w", err)
	}
	pc.MaxConns = clients
	pc.AfterConnect = func(_ context.Context, conn *pgx.Conn) error {
		pgxuuid.Register(conn.TypeMap())
		return nil
	}
	pool, err := pgxpool.NewWithConfig(ctx, pc)
	if err != nil {
		return nil, fmt.Errorf("open the connection pool: %w", err)
	}
	return pool, nil
}

// walletBody is as long as a wallet with an entry is that Holdfast returns and tells of.
var walletBody = []byte(`"` + strings.Repeat(" ", 508) + `"`)

// underRowLock changes a wallet by a small amount in a transaction that locks its row: BEGIN with the settings, SELECT FOR UPDATE, the wallet, the
// entry, the posting, the stored response with the change, and COMMIT, each a round trip.
func (d *walletDatabase) underRowLock(ctx context.Context, pool *pgxpool.Pool, id uuid.UUID) error {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	if err := conn.Conn().PgConn().Exec(ctx, "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL ROLE holdfast_app; SET LOCAL statement_timeout = 10000; "+
		"SET LOCAL holdfast.tenant_id = '"+d.tenant.ID.String()+"'").Close(); err != nil {
		return err
	}
	if err := d.writeUnderRowLock(ctx, conn.Conn(), id); err != nil {
		_, _ = conn.Exec(ctx, "ROLLBACK")
		return err
	}
	_, err = conn.Exec(ctx, "COMMIT")
	return err
}

func (d *walletDatabase) writeUnderRowLock(ctx context.Context, conn *pgx.Conn, id uuid.UUID) error {
	var balance, version int64
	if err := conn.QueryRow(ctx, "SELECT balance, version FROM wallets WHERE tenant_id = $1 AND wallet_id = $2 FOR UPDATE", d.tenant.ID, id).
		Scan(&balance, &version); err != nil {
		return err
	}
	amount := 1 + rand.Int64N(100)
	entry, change, fromWallet, toWallet := "credited", amount, (*uuid.UUID)(nil), &id
	from, to := "issued", "available"
	if rand.IntN(2) == 0 {
		entry, change, fromWallet, toWallet, from, to = "debited", -amount, &id, nil, "available", "redeemed"
	}
	movement, event, now := uuid.Must(uuid.NewV7()), uuid.Must(uuid.NewV7()), time.Now()
	balance, version = balance+change, version+1
	for _, s := range []struct {
		sql  string
		args []any
	}{
		{
			"UPDATE wallets SET balance = $3, version = $4, updated_at = $5 WHERE tenant_id = $1 AND wallet_id = $2",
			[]any{d.tenant.ID, id, balance, version, now},
		},
		{
			`INSERT INTO wallet_entries (tenant_id, wallet_id, version, movement_id, type, amount, balance, held, occurred_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, 0, $8)`, []any{d.tenant.ID, id, version, movement, entry, amount, balance, now},
		},
		{
			`INSERT INTO wallet_postings (tenant_id, movement_id, position, from_account, from_wallet, to_account, to_wallet, currency, amount, occurred_at)
			VALUES ($1, $2, 0, $3, $4, $5, $6, 'EUR', $7, $8)`, []any{d.tenant.ID, movement, from, fromWallet, to, toWallet, amount, now},
		},
		{
			`WITH recorded AS (
				INSERT INTO changes (tenant_id, change_id, type, subject_type, subject_id, version, notice, occurred_at, data)
				VALUES ($1, $2, $3, 'wallet', $4, $5, false, $6, $7)
			)
			INSERT INTO idempotency_keys (tenant_id, key, fingerprint, status, location, etag, change_subject_id, change_version,
				created_at, expires_at)
			VALUES ($1, $8, $9, 201, '', '"1"', $4, $5, $6, $6::timestamptz + interval '30 days')`,
			[]any{d.tenant.ID, event, "wallet." + entry, id, version, now, json.RawMessage(walletBody), uuid.NewString(), make([]byte, 32)},
		},
	} {
		if _, err := conn.Exec(ctx, s.sql, s.args...); err != nil {
			return err
		}
	}
	return nil
}
