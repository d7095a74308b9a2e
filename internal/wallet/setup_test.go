package wallet_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/db/preflight"
	"holdfast/internal/httpapi/answers"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
	"holdfast/internal/tenant/tenanttest"
	"holdfast/internal/wallet"
)

// testBundle is a database of its own with one tenant, and a process on it.
type testBundle struct {
	url     string
	sql     *pgxpool.Pool
	store   *db.DB
	service *wallet.Service
	tenant  tenant.Tenant
}

// longestWait is how long a test waits for an event on a busy machine.
const longestWait = time.Minute

func setup(t testing.TB) *testBundle {
	t.Helper()
	b := newBundle(t, dbtest.Database(t))
	b.tenant = b.newTenant(t)
	return b
}

func newBundle(t testing.TB, url string) *testBundle {
	t.Helper()
	b := &testBundle{url: url, sql: dbtest.SQL(t, url),
		store: dbtest.Open(t, db.Config{URL: url, MaxConns: 8, LockTimeout: longestWait})}
	b.service = wallet.NewService(b.store)
	return b
}

// setupUsed is setup with a wallet of 300 entries, a snapshot, batches and a hold.
func setupUsed(t testing.TB) (b *testBundle, id uuid.UUID) {
	t.Helper()
	url, used := template.Database(t)
	b = newBundle(t, url)
	b.tenant.ID = used.tenant
	return b, used.wallet
}

// template makes the databases of setupUsed: to write the entries takes longer than a test.
var template = dbtest.Template[usedWallet]{Fill: fillWithUsedWallet}

type usedWallet struct{ tenant, wallet uuid.UUID }

func fillWithUsedWallet(ctx context.Context, url string) (used usedWallet, err error) {
	if err := preflight.Migrate(ctx, url, nil); err != nil {
		return used, err
	}
	s, err := db.Open(ctx, db.Config{URL: url, MaxConns: 2, Answers: answers.Answers{}})
	if err != nil {
		return used, err
	}
	defer s.Close()
	service, t := wallet.NewService(s), tenant.Tenant{ID: uuid.Must(uuid.NewV7())}
	if err := tenanttest.Insert(ctx, s, t.ID); err != nil {
		return used, err
	}
	// do runs a use case, which must succeed, and decodes its response.
	do := func(body any, act func(r idempotency.Request) (idempotency.Outcome, error)) error {
		r, err := idempotency.NewRequest([]string{uuid.NewString()}, http.MethodPost, "/", nil)
		if err != nil {
			return err
		}
		resp, err := act(r)
		if err == nil && resp.Answer().Status != http.StatusCreated {
			err = fmt.Errorf("prepare a wallet: %s", resp.Body)
		}
		if err != nil {
			return err
		}
		return json.Unmarshal(resp.Body, body)
	}
	var made wallet.NewWalletBody
	if err := do(&made, func(r idempotency.Request) (idempotency.Outcome, error) {
		return service.Create(ctx, t, r, wallet.CreateRequest{Currency: "EUR"})
	}); err != nil {
		return used, err
	}
	for i := range 299 {
		if err := do(new(wallet.LedgerTransactionBody), func(r idempotency.Request) (idempotency.Outcome, error) {
			switch i {
			case 0:
				return service.Credit(ctx, t, r, made.ID, wallet.CreditRequest{Amount: 1000})
			case 1:
				return service.Credit(ctx, t, r, made.ID, wallet.CreditRequest{Amount: 100, ExpiresAt: in(time.Hour)})
			case 2:
				return service.Hold(ctx, t, r, made.ID, wallet.DebitRequest{Amount: 30})
			}
			return service.Debit(ctx, t, r, made.ID, wallet.DebitRequest{Amount: 1})
		}); err != nil {
			return used, err
		}
	}
	return usedWallet{t.ID, made.ID}, nil
}

func (b *testBundle) newTenant(t testing.TB) tenant.Tenant {
	t.Helper()
	id := uuid.Must(uuid.NewV7())
	require.NoError(t, tenanttest.Insert(t.Context(), b.store, id))
	return tenant.Tenant{ID: id}
}

func newRequest(t testing.TB) idempotency.Request {
	t.Helper()
	r, err := idempotency.NewRequest([]string{uuid.NewString()}, http.MethodPost, "/", nil)
	require.NoError(t, err)
	return r
}

// newWallet makes a wallet with a code, with credit that doesn't expire.
func (b *testBundle) newWallet(t testing.TB, credit int64) uuid.UUID {
	t.Helper()
	made := succeeded[wallet.NewWalletBody](t)(b.service.Create(t.Context(), b.tenant, newRequest(t),
		wallet.CreateRequest{Currency: "EUR"}))
	if credit > 0 {
		b.credit(t, made.ID, credit, nil)
	}
	return made.ID
}

func (b *testBundle) credit(t testing.TB, id uuid.UUID, amount int64, expiresAt *time.Time,
) wallet.LedgerTransactionBody {
	t.Helper()
	return succeeded[wallet.LedgerTransactionBody](
		t,
	)(
		b.service.Credit(t.Context(), b.tenant, newRequest(t), id,
			wallet.CreditRequest{Amount: amount, ExpiresAt: expiresAt}),
	)
}

// processes returns the use cases of n processes on the database.
func (b *testBundle) processes(t testing.TB, n int) []*process {
	t.Helper()
	list := make([]*process, n)
	for i := range list {
		list[i] = newProcess(t, b.url)
	}
	return list
}

func newProcess(t testing.TB, url string) *process {
	t.Helper()
	registry := prometheus.NewRegistry()
	s := dbtest.Open(t, db.Config{URL: url, MaxConns: 4, LockTimeout: longestWait, Metrics: registry})
	return &process{Service: wallet.NewService(s), metrics: registry}
}

// process is the use cases of one process.
type process struct {
	*wallet.Service

	metrics prometheus.Gatherer
}

// retries returns how many transactions the process ran again.
func (p *process) retries(t testing.TB) (n float64) {
	t.Helper()
	families, err := p.metrics.Gather()
	require.NoError(t, err)
	for _, f := range families {
		if f.GetName() == "holdfast_transaction_retries_total" {
			n += f.GetMetric()[0].GetCounter().GetValue()
		}
	}
	return n
}

// race runs act n times at once and returns how often each code came; success is "".
func race(t testing.TB, n int, act func(i int) (idempotency.Outcome, error)) map[problem.Code]int {
	t.Helper()
	codes := make([]problem.Code, n)
	start := make(chan struct{})
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			<-start
			codes[i] = code(t)(act(i))
		})
	}
	close(start)
	all.Wait()
	counted := map[problem.Code]int{}
	for _, c := range codes {
		counted[c]++
	}
	return counted
}

// newCustomer makes a customer of the tenant.
func (b *testBundle) newCustomer(t testing.TB) uuid.UUID {
	t.Helper()
	id := uuid.New()
	_, err := b.sql.Exec(t.Context(),
		`INSERT INTO customers (tenant_id, customer_id, email, name, created_at) VALUES ($1, $2, gen_random_uuid() || '@example.com', 'Ada',
			now())`,
		b.tenant.ID, id)
	require.NoError(t, err)
	return id
}

// tables returns what is in all tables, as one hash each.
func (b *testBundle) tables(t testing.TB) map[string]string {
	t.Helper()
	rows, _ := b.sql.Query(t.Context(),
		`SELECT table_name::text FROM information_schema.tables WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'`)
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	hashes := make(map[string]string, len(names))
	for _, name := range names {
		var hash string
		require.NoError(t, b.sql.QueryRow(t.Context(),
			"SELECT count(*) || ' ' || coalesce(md5(string_agg(r::text, '|' ORDER BY r::text)), '') FROM "+
				pgx.Identifier{name}.Sanitize()+" r").Scan(&hash))
		hashes[name] = hash
	}
	return hashes
}

// verify compares all wallets.
func (b *testBundle) verify(t testing.TB) wallet.Verification {
	t.Helper()
	v, err := wallet.NewOperator(b.store).Verify(t.Context(), "")
	require.NoError(t, err)
	return v
}

// requireSound requires that nothing is wrong with the wallets of the database.
func (b *testBundle) requireSound(t testing.TB) {
	t.Helper()
	require.Empty(t, b.verify(t).Differences)
}

// get reads a wallet.
func (b *testBundle) get(t testing.TB, id uuid.UUID) wallet.Wallet {
	t.Helper()
	w, err := b.service.Get(t.Context(), b.tenant, id)
	require.NoError(t, err)
	return w
}

// succeeded returns a function that decodes the response of a use case, which is 201.
func succeeded[T any](t testing.TB) func(idempotency.Outcome, error) T {
	t.Helper()
	return func(r idempotency.Outcome, err error) (body T) {
		t.Helper()
		require.NoError(t, err)
		require.Equal(t, http.StatusCreated, r.Answer().Status, "%s", r.Body)
		require.NoError(t, json.Unmarshal(r.Body, &body))
		return body
	}
}

// code returns the code of a refusal, stored or not, and nothing for a success.
func code(t testing.TB) func(idempotency.Outcome, error) problem.Code {
	t.Helper()
	return func(r idempotency.Outcome, err error) problem.Code {
		t.Helper()
		if err != nil {
			return problem.CodeOf(err)
		}
		var document struct{ Code problem.Code }
		require.NoError(t, json.Unmarshal(r.Body, &document))
		return document.Code
	}
}
