package idempotency_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/idempotency"
	"holdfast/internal/testtime"
)

const (
	waitLimit = 50 * time.Second // the machine may be busy
	poll      = 5 * time.Millisecond
)

// audit makes a database remember what is deleted by whom, and notice two transactions that delete at the same time.
// A batch waits in its middle, its rows deleted and not committed, for as long as the gate is closed.
const audit = `
	CREATE TABLE deletions (tenant_id uuid, key text, backend int);
	CREATE TABLE overlapping (backend int);
	CREATE TABLE gate (closed bool);
	CREATE FUNCTION before_batch() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
	BEGIN
		IF NOT pg_try_advisory_xact_lock(1) THEN -- held until the batch commits
			INSERT INTO overlapping VALUES (pg_backend_pid());
		END IF;
		RETURN NULL;
	END $$;
	CREATE FUNCTION after_batch() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
	BEGIN
		INSERT INTO deletions SELECT tenant_id, key, pg_backend_pid() FROM gone;
		WHILE EXISTS (SELECT FROM gate) LOOP
			PERFORM pg_sleep(0.005);
		END LOOP;
		RETURN NULL;
	END $$;
	CREATE TRIGGER before_batch BEFORE DELETE ON idempotency_keys EXECUTE FUNCTION before_batch();
	CREATE TRIGGER after_batch AFTER DELETE ON idempotency_keys REFERENCING OLD TABLE AS gone EXECUTE FUNCTION after_batch();`

// bundle is an audited database with keys: dead ones of ten tenants, and some that must stay.
type bundle struct {
	url  string
	sql  *pgxpool.Pool
	dead int
}

const staying = 100 // live keys, and as many unfinished ones

func setup(t testing.TB, dead int) *bundle {
	t.Helper()
	b := &bundle{url: dbtest.Database(t), dead: dead}
	b.sql = dbtest.SQL(t, b.url)
	b.exec(t, audit)
	b.exec(t, `
		INSERT INTO idempotency_keys (tenant_id, key, fingerprint, status, location, etag, body, created_at, expires_at)
		SELECT ('00000000-0000-0000-0000-00000000000' || i % 10)::uuid, kind || i, sha256('x'), status, '', '', '', now(),
			now() + life - i * interval '1 ms'
		FROM (VALUES ('dead', 201, interval '-1 second', $1::int), ('live', 201, '1 hour', $2),
		     ('unfinished', NULL, '-1 day', $2)) AS k (kind, status, life, n), generate_series(1, k.n) AS i`, dead, staying)
	b.exec(t, `ANALYZE idempotency_keys`)
	return b
}

func (b *bundle) exec(t testing.TB, sql string, args ...any) {
	t.Helper()
	_, err := b.sql.Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}

func (b *bundle) int(t testing.TB, sql string, args ...any) (n int) {
	t.Helper()
	require.NoError(t, b.sql.QueryRow(t.Context(), sql, args...).Scan(&n))
	return n
}

// await returns when the query counts n.
func (b *bundle) await(t testing.TB, n int, sql string, args ...any) {
	t.Helper()
	require.Eventually(t, func() bool {
		var found int
		err := b.sql.QueryRow(t.Context(), sql, args...).Scan(&found)
		return err == nil && found == n
	}, waitLimit, poll, "waiting for %d of %s", n, sql)
}

// deleting is where the backends are found that are in the middle of a batch.
const deleting = ` FROM pg_stat_activity
	WHERE datname = current_database() AND application_name = 'holdfast cleanup' AND state = 'active' AND query LIKE '%DELETE FROM%'`

// awaitClean waits until the dead keys are gone and asserts that each was deleted once, and no other.
func (b *bundle) awaitClean(t testing.TB) {
	t.Helper()
	b.await(t, b.dead, "SELECT count(*) FROM deletions")
	require.Equal(t, b.dead, b.int(t, "SELECT count(DISTINCT (tenant_id, key)) FROM deletions WHERE key LIKE 'dead%'"))
	require.Equal(t, 2*staying, b.int(t, "SELECT count(*) FROM idempotency_keys"),
		"what lives and what is unfinished stays")
}

// instance is a cleanup with a store of its own, as in a process of its own.
type instance struct {
	*idempotency.Cleanup
	registry *prometheus.Registry
}

func (b *bundle) newInstance(t testing.TB, cfg db.Config, interval time.Duration) instance {
	t.Helper()
	registry := prometheus.NewRegistry()
	return instance{registry: registry, Cleanup: idempotency.NewCleanup(dbtest.Open(t, cfg), idempotency.CleanupConfig{
		Interval: interval, Batch: 1000, Metrics: registry,
	})}
}

// count returns a counter, or how often a histogram was told something. label is the value of its label, if it has one.
func (i instance) count(t testing.TB, name, label string) int {
	t.Helper()
	families, err := i.registry.Gather()
	require.NoError(t, err)
	for _, family := range families {
		for _, m := range family.GetMetric() {
			if family.GetName() == name && (label == "" || m.GetLabel()[0].GetValue() == label) {
				return int(m.GetCounter().GetValue()) + int(m.GetHistogram().GetSampleCount())
			}
		}
	}
	require.FailNow(t, "there is no such metric", "%s %s", name, label)
	return 0
}

// runAll runs instances on their timers until the returned function is called.
func runAll(t testing.TB, instances []instance) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	for _, i := range instances {
		running.Go(func() { i.Run(ctx) })
	}
	stop = func() { cancel(); running.Wait() }
	t.Cleanup(stop)
	return stop
}

func total(t testing.TB, instances []instance, name, label string) (sum int) {
	t.Helper()
	for _, i := range instances {
		sum += i.count(t, name, label)
	}
	return sum
}

func (b *bundle) fourInstances(t testing.TB, cfg db.Config) (list []instance) {
	t.Helper()
	for range 4 {
		list = append(list, b.newInstance(t, cfg, time.Second))
	}
	return list
}

func TestRun_FourInstances_DeleteEveryExpiredKeyOnceAndNeverTwoAtATime(t *testing.T) {
	t.Parallel()
	b := setup(t, testtime.Rounds(10_000))
	b.exec(t, "INSERT INTO gate VALUES (true)")
	instances := b.fourInstances(t, db.Config{URL: b.url})
	stop := runAll(t, instances)
	b.await(t, 1, "SELECT count(*)"+deleting)
	require.Eventually(t, func() bool { return total(t, instances, "holdfast_cleanup_runs_total", "skipped") >= 3 },
		waitLimit, poll)
	b.exec(t, "DELETE FROM gate")
	b.awaitClean(t)
	stop()
	require.Zero(t, b.int(t, "SELECT count(*) FROM overlapping"), "two cleaned up at the same time")
	require.Equal(t, b.dead, total(t, instances, "holdfast_cleanup_deleted_total", ""))
	require.Zero(t, total(t, instances, "holdfast_cleanup_runs_total", "failed"))
	done := total(t, instances, "holdfast_cleanup_runs_total", "done")
	require.Positive(t, done)
	require.Equal(t, done, total(t, instances, "holdfast_cleanup_duration_seconds", ""))
}

// The proof of the test above: without the lock it would see what it says isn't there.
func TestRun_WithoutTheLock_OverlapIsDetected(t *testing.T) {
	t.Parallel()
	b := setup(t, 5000)
	proxy := dbtest.NewProxy(t, b.url)
	proxy.Rewrite = strings.NewReplacer(
		"pg_catalog.pg_try_advisory_lock($1::bigint)", "($1::bigint IS NOT NULL)", "::bool AS locked",
		"::bool IS NOT NULL AS locked",
	).Replace
	b.exec(t, "INSERT INTO gate VALUES (true)")
	stop := runAll(t, b.fourInstances(t, db.Config{URL: b.url, DirectURL: proxy.URL}))
	b.await(t, 4, "SELECT count(*)"+deleting)
	b.exec(t, "DELETE FROM gate")
	b.await(t, b.dead, "SELECT count(*) FROM deletions")
	stop()
	require.GreaterOrEqual(t, b.int(t, "SELECT count(*) FROM overlapping"), 3)
}

func TestRun_HoldersBackendTerminatedInABatch_TheNextInstanceContinues(t *testing.T) {
	t.Parallel()
	b := setup(t, 3000)
	b.exec(t, "INSERT INTO gate VALUES (true)")
	instances := b.fourInstances(t, db.Config{URL: b.url})
	stop := runAll(t, instances)
	b.await(t, 1, "SELECT count(*)"+deleting)
	holder := b.int(t, "SELECT pid"+deleting)
	b.exec(t, "SELECT pg_terminate_backend($1)", holder)
	b.await(t, 1, "SELECT count(*)"+deleting+" AND pid <> $1", holder)
	b.exec(t, "DELETE FROM gate")
	b.awaitClean(t)
	stop()
	require.Equal(t, 1, total(t, instances, "holdfast_cleanup_runs_total", "failed"),
		"the one that lost its session stopped")
	require.Equal(t, b.dead, total(t, instances, "holdfast_cleanup_deleted_total", ""),
		"what was rolled back isn't counted")
	require.Zero(t, b.int(t, "SELECT count(*) FROM deletions WHERE backend = $1", holder))
	require.Zero(t, b.int(t, "SELECT count(*) FROM overlapping"))
}

func TestRun_ContextEndsInABatch_EndsItAndBeginsNoOther(t *testing.T) {
	t.Parallel()
	b := setup(t, 3000)
	b.exec(t, "INSERT INTO gate VALUES (true)")
	ctx, cancel := context.WithCancel(t.Context())
	i := b.newInstance(t, db.Config{URL: b.url}, time.Hour)
	ended := make(chan struct{})
	go func() { i.Run(ctx); close(ended) }()
	b.await(t, 1, "SELECT count(*)"+deleting)
	cancel()
	b.exec(t, "DELETE FROM gate")
	select {
	case <-ended:
	case <-time.After(waitLimit):
		require.Fail(t, "it goes on")
	}
	require.Equal(t, 1000, b.int(t, "SELECT count(*) FROM deletions"))
	require.Zero(t, b.int(t,
		"SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 42424242 AND database = (SELECT oid "+
			"FROM pg_database WHERE datname = current_database())"))
}

func TestRun_KeyThatExpiresLater_IsDeletedByALaterRun(t *testing.T) {
	t.Parallel()
	b := setup(t, 1)
	i := b.newInstance(t, db.Config{URL: b.url}, 20*time.Millisecond)
	runAll(t, []instance{i})
	b.awaitClean(t)
	b.exec(t, "UPDATE idempotency_keys SET expires_at = clock_timestamp() + interval '50 ms' WHERE key = 'live1'")
	b.await(t, 2, "SELECT count(*) FROM deletions")
}

func TestRun_WithoutAnInterval_DoesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t, 1)
	b.newInstance(t, db.Config{URL: b.url}, 0).Run(t.Context())
	require.Zero(t, b.int(t, "SELECT count(*) FROM deletions"))
}

func TestOnce_WhileAnotherInstanceCleans_IsSkippedAndNotDone(t *testing.T) {
	t.Parallel()
	b := setup(t, 2500) // more than two batches
	first, second := b.newInstance(t, db.Config{URL: b.url}, time.Hour),
		b.newInstance(t, db.Config{URL: b.url}, time.Hour)
	b.exec(t, "INSERT INTO gate VALUES (true)")
	cleaned := make(chan idempotency.CleanupRun, 1)
	go func() {
		run, err := first.RunOnce(context.WithoutCancel(t.Context()))
		if err == nil {
			cleaned <- run
		}
		close(cleaned)
	}()
	b.await(t, 1, "SELECT count(*)"+deleting)
	run, err := second.RunOnce(t.Context())
	require.NoError(t, err)
	require.Equal(t, idempotency.CleanupRun{Skipped: true}, run)
	require.Equal(t, 1, second.count(t, "holdfast_cleanup_runs_total", "skipped"))
	require.Zero(t, second.count(t, "holdfast_cleanup_runs_total", "done"))
	b.exec(t, "DELETE FROM gate")
	require.Equal(t, idempotency.CleanupRun{Deleted: 2500}, <-cleaned)
	run, err = second.RunOnce(t.Context())
	require.NoError(t, err)
	require.Equal(t, idempotency.CleanupRun{}, run, "nothing is left")
}

func TestOnce_BehindATransactionPooler_IsRefusedAndWarnsUntilItIsMended(t *testing.T) {
	t.Parallel()
	b := setup(t, 10)
	var mended atomic.Bool
	proxy := dbtest.NewProxy(t, b.url)
	proxy.Rewrite = func(sql string) string {
		if mended.Load() {
			return sql
		}
		return strings.ReplaceAll(sql, "pg_backend_pid()::int AS backend", "4711 AS backend")
	}
	i := b.newInstance(t, db.Config{URL: b.url, DirectURL: proxy.URL}, 0)
	require.Empty(t, i.Warning())
	_, err := i.RunOnce(t.Context())
	require.ErrorIs(t, err, db.ErrPooled)
	require.Contains(t, i.Warning(), "HOLDFAST_DIRECT_DATABASE_URL")
	require.Equal(t, 1, i.count(t, "holdfast_cleanup_runs_total", "refused"))
	require.Zero(t, b.int(t, "SELECT count(*) FROM deletions"))

	mended.Store(true)
	run, err := i.RunOnce(t.Context())
	require.NoError(t, err)
	require.Equal(t, 10, run.Deleted)
	require.Empty(t, i.Warning())
}

// An alert waits for runs of the cleanup where there is this metric.
func TestCleanup_WithoutTimer_ShowsNoRuns(t *testing.T) {
	t.Parallel()
	cfg := db.Config{URL: dbtest.Database(t)}
	shown := func(interval time.Duration) bool {
		families, err := (&bundle{}).newInstance(t, cfg, interval).registry.Gather()
		require.NoError(t, err)
		for _, family := range families {
			if family.GetName() == "holdfast_cleanup_runs_total" {
				return true
			}
		}
		return false
	}
	require.True(t, shown(time.Hour))
	require.False(t, shown(0))
}
