package dbtest

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/lock"
	"holdfast/internal/tenant/tenanttest"
)

// failing is a test that is expected to fail.
type failing struct {
	testing.TB
	mu       sync.Mutex
	messages []string
}

func (f *failing) Errorf(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.messages = append(f.messages, fmt.Sprintf(format, args...))
}

// watched returns a function that runs a transaction of the given statements on a new connection: a number is a lock.
func watched(t testing.TB, url string) (run func(statements ...any), f *failing) {
	t.Helper()
	f = &failing{TB: t}
	config, err := pgx.ParseConfig(url)
	require.NoError(t, err)
	config.Tracer = NewLockOrder(f, url)
	return func(statements ...any) {
		t.Helper()
		conn, err := pgx.ConnectConfig(t.Context(), config)
		require.NoError(t, err)
		defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
		batch := new(pgx.Batch)
		batch.Queue("begin")
		for _, s := range statements {
			if key, locks := s.(int64); locks {
				batch.Queue("SELECT pg_catalog.pg_advisory_xact_lock($1::bigint)", key)
			} else {
				batch.Queue(s.(string))
			}
		}
		require.NoError(t, conn.SendBatch(t.Context(), batch).Close())
		_, err = conn.Exec(t.Context(), "commit")
		require.NoError(t, err)
	}, f
}

const a, b, c, d = int64(-7), int64(3), int64(5), int64(11)

func TestLockOrder_TransactionsInOneOrder_Pass(t *testing.T) {
	t.Parallel()
	run, f := watched(t, Database(t))
	for range 2 {
		run(a, b, c, d, "SELECT 1")
		run(b, d)
		run("SELECT 1", a, c)
		run(d)
		run(c)
	}
	run("SELECT 1", a, "commit", "begin", a, "SELECT 1", "commit", "begin", a)
	require.Empty(t, f.messages)
}

func TestLockOrder_InTheOppositeOrder_Fails(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		before [][]any
		then   []any
	}{
		"of another transaction":       {[][]any{{a, b}}, []any{b, a}},
		"of others among more":         {[][]any{{a, b, c, d}}, []any{d, b}},
		"of two others taken together": {[][]any{{a, b}, {b, c}}, []any{c, a}},
		"of three others":              {[][]any{{d, c}, {c, b}, {b, a}}, []any{a, d}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := Database(t)
			run, f := watched(t, url)
			for _, keys := range test.before {
				run(keys...)
			}
			require.Empty(t, f.messages, "each alone is fine")
			again, f := watched(t, url) // another DB of the process, perhaps of another test
			again(test.then...)
			require.Len(t, f.messages, 1)
			require.Contains(t, f.messages[0], "inverted")
			require.Contains(t, f.messages[0], t.Name(), "it says who took the others")

			elsewhere, f := watched(t, Database(t))
			elsewhere(test.then...)
			require.Empty(t, f.messages, "another database has other locks")
		})
	}
}

func TestLockOrder_SecondAcquisition_Fails(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		statements []any
		message    string
	}{
		"after a read":              {[]any{a, b, "SELECT 1", c}, "one set"},
		"of the same lock":          {[]any{a, b, a}, "twice"},
		"of the same lock, at once": {[]any{a, a}, "twice"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run, f := watched(t, Database(t))
			run(test.statements...)
			require.Len(t, f.messages, 1)
			require.Contains(t, f.messages[0], test.message)
		})
	}
}

func TestOpen_WatchesTheLocksOfEveryTransaction(t *testing.T) {
	t.Parallel()
	url := Database(t)
	s := Open(t, db.Config{URL: url})
	tenant := uuid.New()
	require.NoError(t, tenanttest.Insert(t.Context(), s, tenant))
	keys, err := lock.Dates(tenant, lock.Date{Year: 2027, Month: 7, Day: 1}, lock.Date{Year: 2027, Month: 7, Day: 2})
	require.NoError(t, err)
	require.NoError(t, s.Dates(t.Context(), nil, keys, func(*db.DatesTx) func() error {
		return func() error { return nil }
	}))
	run, f := watched(t, url)
	run(keys.Keys()[1].ID(), keys.Keys()[0].ID())
	require.Len(t, f.messages, 1, "the order was seen")
}

func TestLockOrder_RowsInAnotherOrder_Fails(t *testing.T) {
	t.Parallel()
	const booking, customer = "-- name: BookingLock :exec\nSELECT 1", "-- name: CustomerKeep :exec\nSELECT 1"
	run, f := watched(t, Database(t))
	run(booking, "SELECT 1", customer, customer)
	run(customer)
	run(customer, "commit", "begin", booking)
	require.Empty(t, f.messages)
	run(customer, "SELECT 1", booking)
	require.Len(t, f.messages, 1)
	require.Contains(t, f.messages[0], "RowOrder")
}
