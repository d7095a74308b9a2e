package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"strconv"

	"github.com/google/uuid"

	"holdfast/internal/idempotency"
	"holdfast/internal/wallet"
	"holdfast/tools/bench/strategies"
)

// walletCount is how many wallets transfers choose from.
const walletCount = 5000

// pgbenchScales are the sizes of the databases of pgbench: each has 100,000 accounts and 1 branch for each unit of its
// scale. With 32 there are as many branches as clients.
var pgbenchScales = []int{1, 32}

// transfers measures transfers between the first seller's random wallets beside pgbench's own TPC-B-like script on the
// same server.
func (b *bench) transfers(ctx context.Context, wallets int, scales []int, rounds int) (*report, error) {
	if b.database.pgbenchPath == "" {
		return nil, errors.New("there is no pgbench on this machine")
	}
	if err := b.fillWallets(ctx, wallets); err != nil {
		return nil, err
	}
	service := wallet.NewService(b.fixture.Store)
	all := []entry{{"transfers", atService, holdfast, func(ctx context.Context) (measurement, error) {
		return b.inProcess(ctx, func(ctx context.Context, _ int) error { return b.transfer(ctx, service, wallets) })
	}}}
	for _, scale := range scales {
		url, err := b.fillPgbench(ctx, scale)
		if err != nil {
			return nil, err
		}
		all = append(all, entry{"transfers", atDatabase, fmt.Sprintf("pgbench, scale %d", scale),
			func(ctx context.Context) (measurement, error) {
				return b.database.pgbench(ctx, url, b.duration, "-b", "tpcb-like")
			}})
	}
	if err := b.database.tidy(ctx); err != nil {
		return nil, err
	}
	return b.fillReport(ctx, newReport(all, rounds, b.duration))
}

// credit is what each wallet has at first.
const credit = 1_000_000_000

// fillWallets makes wallets of the first seller with the ids strategies.ID(1) and so on, each with one credit.
func (b *bench) fillWallets(ctx context.Context, n int) error {
	return b.database.exec(ctx,
		fmt.Sprintf(`INSERT INTO wallets (tenant_id, wallet_id, currency, code_prefix, code_hash, balance, held, state, version,
			created_at, updated_at)
		SELECT bench_seller(1), bench_seller(n), 'EUR', n::text, sha256(n::text::bytea), %d, 0, '{}', 2, now(), now()
		FROM generate_series(1, %d) AS n`, credit, n),
		fmt.Sprintf(`INSERT INTO wallet_entries (tenant_id, wallet_id, version, movement_id, type, amount, balance, held, occurred_at)
		SELECT tenant_id, wallet_id, v, wallet_id, CASE v WHEN 1 THEN 'opened' ELSE 'credited' END, (v - 1) * %[1]d, (v - 1) * %[1]d, 0,
			created_at
		FROM wallets, generate_series(1, 2) AS v`, credit),
		fmt.Sprintf(`INSERT INTO wallet_postings (tenant_id, movement_id, position, from_account, to_account, to_wallet, currency, amount,
			occurred_at)
		SELECT tenant_id, wallet_id, 0, 'issued', 'available', wallet_id, currency, %d, created_at FROM wallets`, credit))
}

// transfer moves a small amount from one random wallet to another.
func (b *bench) transfer(ctx context.Context, service *wallet.Service, wallets int) error {
	r, err := idempotency.NewRequest([]string{uuid.NewString()}, http.MethodPost, "/", nil)
	if err != nil {
		return err
	}
	from := rand.IntN(wallets)
	to := (from + 1 + rand.IntN(wallets-1)) % wallets
	resp, err := service.Transfer(ctx, b.fixture.Uncontended[0].Tenant, r, wallet.TransferRequest{
		From: strategies.ID(from + 1), To: strategies.ID(to + 1), Amount: 1 + rand.Int64N(100),
	})
	if err == nil && resp.Answer().Status != http.StatusCreated {
		err = fmt.Errorf("a transfer got %d: %s", resp.Answer().Status, resp.Body)
	}
	return err
}

// fillPgbench makes a database of its own for a scale of pgbench, and returns its URL.
func (b *bench) fillPgbench(ctx context.Context, scale int) (string, error) {
	url, err := b.database.create(ctx, fmt.Sprintf("pgbench_%d", scale))
	if err != nil {
		return "", err
	}
	var output bytes.Buffer
	cmd := exec.CommandContext(ctx, b.database.pgbenchPath, "-i", "-q", "-s", strconv.Itoa(scale), url)
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("fill a database with pgbench: %w: %s", err, &output)
	}
	return url, nil
}
