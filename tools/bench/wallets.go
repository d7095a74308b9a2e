package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/idempotency"
	"holdfast/internal/store"
	"holdfast/internal/tenant"
	"holdfast/internal/wallet"
	"holdfast/tools/bench/strategies"
)

// walletConfig says what is measured of wallets.
type walletConfig struct {
	wallets  int   // that transfers choose from
	scales   []int // of the pgbench databases beside them
	rounds   int
	duration time.Duration
}

// Sizes of the benchmark of wallets. A pgbench database has 100,000 accounts, 10 tellers and 1 branch for each unit of its scale; with 32,
// there are as many branches as clients.
var (
	walletCount   = 5000
	pgbenchScales = []int{1, 32}
)

// walletDatabase is a database with one tenant, and Holdfast's wallets in this process.
type walletDatabase struct {
	*eventDatabase
	store   *store.Store
	service *wallet.Service
	tenant  tenant.Tenant
}

func startWalletDatabase(ctx context.Context) (_ *walletDatabase, err error) {
	d := &walletDatabase{tenant: tenant.Tenant{ID: strategies.ID(1), Slug: "bench", Location: time.UTC, Currency: "EUR"}}
	if d.eventDatabase, err = startEventDatabase(ctx); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			d.stop()
		}
	}()
	if _, err = d.conn.Exec(ctx, "INSERT INTO tenants (tenant_id, slug, name, time_zone, currency, created_at) VALUES ($1, 'bench', 'Bench', 'UTC', 'EUR', now())",
		d.tenant.ID.String()); err != nil {
		return nil, fmt.Errorf("insert the tenant: %w", err)
	}
	if d.store, err = store.Open(ctx, store.Config{URL: d.server.URL(), MaxConns: clients}); err != nil {
		return nil, err
	}
	d.service = wallet.NewService(d.store, idempotency.NewGuard(d.store))
	return d, nil
}

func (d *walletDatabase) stop() {
	if d.store != nil {
		d.store.Close()
	}
	d.eventDatabase.stop()
}

// tidy does what autovacuum has done in a database that is in use.
func (d *walletDatabase) tidy(ctx context.Context) error {
	return d.exec(ctx, "VACUUM ANALYZE", "CHECKPOINT")
}

// credit is what each wallet has at first.
const credit = 1_000_000_000

// fillWallets makes wallets with the ids strategies.ID(1) and so on, each with one credit.
func (d *walletDatabase) fillWallets(ctx context.Context, n int) error {
	id := `('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`
	return d.exec(ctx, fmt.Sprintf(`INSERT INTO wallets (tenant_id, wallet_id, currency, code_prefix, code_hash, balance, held, state, version, created_at, updated_at)
		SELECT '%s', %s, 'EUR', n::text, sha256(n::text::bytea), %d, 0, '{}', 2, now(), now() FROM generate_series(1, %d) AS n`, d.tenant.ID, id, credit, n),
		fmt.Sprintf(`INSERT INTO wallet_entries (tenant_id, wallet_id, version, movement_id, type, amount, balance, held, occurred_at)
		SELECT tenant_id, wallet_id, v, wallet_id, CASE v WHEN 1 THEN 'opened' ELSE 'credited' END, (v - 1) * %[1]d, (v - 1) * %[1]d, 0, created_at
		FROM wallets, generate_series(1, 2) AS v`, credit),
		fmt.Sprintf(`INSERT INTO wallet_postings (tenant_id, movement_id, position, from_account, to_account, to_wallet, currency, amount, occurred_at)
		SELECT tenant_id, wallet_id, 0, 'issued', 'available', wallet_id, currency, %d, created_at FROM wallets`, credit),
		"VACUUM ANALYZE", "CHECKPOINT")
}

// newRequest returns a request with a key of its own.
func newRequest() (idempotency.Request, error) {
	return idempotency.NewRequest([]string{uuid.NewString()}, "POST", "/", nil)
}

// turn is one way to do what is compared, which is measured in its turn.
type turn struct {
	name   string
	run    func(context.Context) (measurement, error)
	to     int // the strategy that it is compared with
	rounds []measurement
}

// turns is ways to do the same that are measured in turns.
type turns struct {
	title      string
	clients    int
	rounds     int
	duration   time.Duration
	machine    machine
	strategies []*turn
}

// measure runs the strategies in turns, after a round that only warms up. After that round the tables are analyzed, as autovacuum
// does it in a database in use: a plan that was made while a table was empty doesn't suit a full one.
func (c *turns) measure(ctx context.Context, tidy func(context.Context) error, out io.Writer) error {
	for round := range c.rounds + 1 {
		_, _ = fmt.Fprintf(out, "%s: round %d of %d\n", c.title, round, c.rounds)
		for i := range c.strategies {
			s := c.strategies[(i+round)%len(c.strategies)]
			m, err := s.run(ctx)
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			if round > 0 {
				s.rounds = append(s.rounds, m)
			}
		}
		if round == 0 {
			if err := tidy(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// write prints what each strategy came to, and how that compares with the other strategy in the same round.
func (c *turns) write(out io.Writer) error {
	var b strings.Builder
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(&b, format, args...) }
	say("%s\n%d rounds of %s, clients: %d.\n\n", c.machine, c.rounds, c.duration, c.clients)
	say("| %s | operations/s | compared with | operations/s are | p50 is | p50 ms | p99 ms | CPU µs | database CPU µs |\n|---|--:|---|--:|--:|--:|--:|--:|--:|\n", c.title)
	rate := func(m measurement) float64 { return m.rate }
	p50 := func(m measurement) float64 { return m.p50.Seconds() }
	for i, s := range c.strategies {
		of, name, rates, p50s := spreadOf(s.rounds, rate), "–", "–", "–"
		if to := c.strategies[s.to]; s.to != i {
			name, rates, p50s = to.name, "× "+ratioOf(s.rounds, to.rounds, rate).String(), "× "+ratioOf(s.rounds, to.rounds, p50).String()
		}
		say("| %s | %.0f (%.0f to %.0f) | %s | %s | %s | %.2f | %.2f | %.0f | %.0f |\n", s.name, of.median, of.least, of.most, name, rates, p50s,
			spreadOf(s.rounds, p50).median*1e3, spreadOf(s.rounds, func(m measurement) float64 { return m.p99.Seconds() }).median*1e3,
			spreadOf(s.rounds, func(m measurement) float64 { return m.process.Seconds() }).median*1e6,
			spreadOf(s.rounds, func(m measurement) float64 { return m.database.Seconds() }).median*1e6)
	}
	_, err := io.WriteString(out, b.String())
	return err
}
