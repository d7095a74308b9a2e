package event_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/event"
)

// statements keeps the statements of a store's batches by their name.
type statements struct {
	mu   sync.Mutex
	seen map[string]pgx.TraceBatchQueryData
}

var _ pgx.BatchTracer = (*statements)(nil)

// TraceBatchStart does nothing.
func (*statements) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return ctx
}

// TraceBatchEnd does nothing.
func (*statements) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// TraceBatchQuery keeps a statement.
func (s *statements) TraceBatchQuery(_ context.Context, _ *pgx.Conn, data pgx.TraceBatchQueryData) {
	name := strings.Fields(strings.TrimPrefix(data.SQL, "-- name: "))[0]
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen[name] = data
}

// TraceQueryStart does nothing.
func (*statements) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}

// TraceQueryEnd does nothing.
func (*statements) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TestPlans_ManyEvents_ClaimAndRescueUseThePartialIndexes has the statements planned as the worker has them planned:
// generic plans, under its role. Most events of the table aren't due, or have ended.
func TestPlans_ManyEvents_ClaimAndRescueUseThePartialIndexes(t *testing.T) {
	t.Parallel()
	dbtest.NotOnCitus(t)
	b := setup(t)
	_, err := b.sql.Exec(t.Context(), `
		INSERT INTO scheduled_events (tenant_id, event_id, kind, subject_type, subject_id, occurrence, status, due_at, time_zone, attempts,
			version, lease, leased_until, data, created_at, updated_at)
		SELECT md5((i % 1000)::text)::uuid, gen_random_uuid(), 'test.' || i % 5, 'test', gen_random_uuid(), '', s.status,
			now() + (i % 10000 - 500) * interval '1 minute', 'UTC', 0, 1, CASE WHEN s.status = 'processing' THEN gen_random_uuid() END,
			CASE WHEN s.status = 'processing' THEN now() + (i % 100) * interval '1 second' END, '{}', now(), now()
		FROM generate_series(1, 40000) AS i,
			LATERAL (SELECT CASE WHEN i % 3 = 0 THEN 'pending' WHEN i % 1000 = 1 THEN 'processing' ELSE 'completed' END AS status) AS s`)
	require.NoError(t, err)
	_, err = b.sql.Exec(t.Context(), "ANALYZE scheduled_events")
	require.NoError(t, err)

	traced := &statements{seen: make(map[string]pgx.TraceBatchQueryData)}
	s := dbtest.Open(t, db.Config{URL: b.url, MaxConns: 1, Tracer: traced})
	leased, err := event.LeaseDue(t.Context(), s, uuid.New(),
		event.LeaseQuery{Kind: "test.0", Limit: 10, LeaseTime: time.Minute},
		event.LeaseQuery{Kind: "test.0", Limit: 10, LeaseTime: time.Minute, Fairly: true, PerTenant: 2})
	require.NoError(t, err)
	require.Len(t, leased[0].Events, 10)
	require.Len(t, leased[1].Events, 10)
	_, err = event.Rescue(t.Context(), s, time.Minute, 100, map[string]event.RescueRule{"test.0": {MaxAttempts: 3}})
	require.NoError(t, err)

	_, err = event.Renew(t.Context(), s, time.Hour, held(2*time.Hour, leased[0].Events...))
	require.NoError(t, err)
	plan := b.plan(t, traced.seen["SessionWorker"].SQL, traced.seen["EventRenew"])
	require.Contains(t, plan, " using scheduled_events_pkey on ")
	require.NotContains(t, plan, "Seq Scan on scheduled_events")

	finished := make([]event.FinishedEvent, len(leased[0].Events))
	for i, e := range leased[0].Events {
		finished[i] = event.FinishedEvent{
			Event: e, Status: "completed",
			Notices: []db.Change{{
				ID: uuid.New(), Type: "test", SubjectType: "customer", SubjectID: uuid.New(), Data: []byte(`{}`),
			}},
		}
	}
	_, err = event.Finish(t.Context(), s, finished)
	require.NoError(t, err)
	plan = b.plan(t, traced.seen["SessionWorker"].SQL, traced.seen["EventFinishNotices"])
	require.Contains(t, plan, " using customers_pkey on customers")
	require.NotContains(t, plan, "scheduled_events")
	require.Contains(t, b.plan(t, traced.seen["SessionWorker"].SQL, traced.seen["EventFinish"]),
		" using scheduled_events_pkey on ")

	for name, index := range map[string]string{
		"EventLease": "scheduled_events_due", "EventLeaseFairly": "scheduled_events_due_by_tenant",
		"EventRescue": "scheduled_events_leases",
	} {
		plan := b.plan(t, traced.seen["SessionWorker"].SQL, traced.seen[name])
		require.Contains(t, plan, " using "+index+" on ", name)
		require.Contains(t, plan, " using scheduled_events_pkey on ", name)
		require.NotContains(t, plan, "Seq Scan on scheduled_events", name)
		require.NotContains(t, plan, "Sort", "%s reads the rows in the order of its index", name)
	}
}

// TestPlans_LongTransactionIsOpen_RescueReadsNothingOfWhatWasHandledBefore has a transaction keep the index entries of
// leases that were recorded and that a search for ended leases would read.
func TestPlans_LongTransactionIsOpen_RescueReadsNothingOfWhatWasHandledBefore(t *testing.T) {
	t.Parallel()
	dbtest.NotOnCitus(t)
	b := setup(t)
	b.scheduled().abandoned(time.Minute).insert(t, 20_000)
	open, err := b.sql.BeginTx(t.Context(), pgx.TxOptions{IsoLevel: pgx.RepeatableRead})
	require.NoError(t, err)
	defer func() { _ = open.Rollback(context.WithoutCancel(t.Context())) }()
	_, err = open.Exec(t.Context(), "SELECT count(*) FROM scheduled_events")
	require.NoError(t, err)
	_, err = b.sql.Exec(t.Context(),
		"UPDATE scheduled_events SET status = 'completed', lease = NULL, leased_until = NULL")
	require.NoError(t, err)
	_, err = b.sql.Exec(t.Context(), "ANALYZE scheduled_events")
	require.NoError(t, err)
	pages := func(within time.Duration) (n int) {
		traced := &statements{seen: make(map[string]pgx.TraceBatchQueryData)}
		s := dbtest.Open(t, db.Config{URL: b.url, MaxConns: 1, Tracer: traced})
		_, err = event.Rescue(t.Context(), s, within, 100, map[string]event.RescueRule{testKind: {MaxAttempts: 3}})
		require.NoError(t, err)
		plan := b.explain(t, "EXPLAIN (ANALYZE, BUFFERS)", traced.seen["SessionWorker"].SQL, traced.seen["EventRescue"])
		_, counted, _ := strings.Cut(plan, "Buffers: shared hit=")
		_, err = fmt.Sscan(counted, &n)
		require.NoError(t, err, plan)
		return n
	}
	require.Greater(t, pages(0), 100)
	require.Less(t, pages(10*time.Second), 20)
}

// plan returns the plan of a statement after the settings of a worker's transaction.
func (b *testBundle) plan(t testing.TB, settings string, statement pgx.TraceBatchQueryData) string {
	t.Helper()
	return b.explain(t, "EXPLAIN", settings, statement)
}

func (b *testBundle) explain(t testing.TB, explain, settings string, statement pgx.TraceBatchQueryData) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), b.url)
	require.NoError(t, err)
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	tx, err := conn.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), settings)
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), "PREPARE statement AS "+statement.SQL, pgx.QueryExecModeSimpleProtocol)
	require.NoError(t, err)
	places, args := make([]string, len(statement.Args)), slices.Clone(statement.Args)
	for i := range places {
		places[i] = fmt.Sprintf("$%d", i+1)
		if ids, ok := args[i].([]uuid.UUID); ok { // the simple protocol can't write a list of them
			args[i] = "{" + strings.Join(strings.Fields(strings.Trim(fmt.Sprint(ids), "[]")), ",") + "}"
		}
	}
	rows, err := tx.Query(t.Context(), explain+" EXECUTE statement ("+strings.Join(places, ", ")+")",
		append([]any{pgx.QueryExecModeSimpleProtocol}, args...)...)
	require.NoError(t, err)
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return strings.Join(lines, "\n")
}
