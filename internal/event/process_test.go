package event_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/event"
	"holdfast/internal/httpapi/answers"
	"holdfast/internal/testtime"
)

const (
	// workerURLEnv makes the test binary a worker on the database that it names, in place of running tests.
	workerURLEnv = "HOLDFAST_TEST_WORKER_URL"
	// workerLeaseEnv is how long that worker's leases last. Unset: as long as by default.
	workerLeaseEnv = "HOLDFAST_TEST_WORKER_LEASE"
)

func TestMain(m *testing.M) {
	if url := os.Getenv(workerURLEnv); url != "" {
		workForever(url)
	}
	testtime.FixDraws(40)
	os.Exit(m.Run())
}

// workForever runs a worker whose handler prints the event's id and never returns.
func workForever(url string) {
	s, err := db.Open(context.Background(), db.Config{URL: url, Answers: answers.Answers{}})
	if err != nil {
		panic(err)
	}
	kind := event.Kind{Name: testKind, Handle: func(_ context.Context, e event.Event) (event.Result, error) {
		_, _ = fmt.Fprintln(os.Stdout, e.ID)
		select {}
	}}
	cfg := event.Config{}
	if lease, err := time.ParseDuration(os.Getenv(workerLeaseEnv)); err == nil {
		cfg = cfg.WithLease(lease)
	}
	event.NewWorker(s, cfg, kind).Run(context.Background())
}

// killWorker starts a worker in a process of its own, kills it while it handles the event, and returns which attempt
// that was and when its lease ends.
func (b *testBundle) killWorker(t *testing.T, id uuid.UUID, env ...string) (attempt int, leasedUntil time.Time) {
	t.Helper()
	process := exec.CommandContext(t.Context(), os.Args[0])
	process.Env = slices.Concat(os.Environ(), []string{workerURLEnv + "=" + b.url}, env)
	out, err := process.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, process.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, id.String()+"\n", line)
	require.NoError(t, process.Process.Kill())
	require.Error(t, process.Wait())
	require.NoError(t, b.sql.QueryRow(t.Context(),
		"SELECT attempts, leased_until FROM scheduled_events WHERE status = 'processing'").
		Scan(&attempt, &leasedUntil))
	return attempt, leasedUntil
}

// redeliver runs another worker until it is given an event.
func (b *testBundle) redeliver(t *testing.T) event.Event {
	t.Helper()
	ctx, stop := bounded(t)
	defer stop()
	var h handled
	event.NewWorker(b.store, event.Config{}, h.kind(func(context.Context, event.Event) (event.Result, error) {
		stop()
		return event.Done(), nil
	})).Run(ctx)
	require.Len(t, h.events, 1)
	return h.events[0]
}

func TestWorker_ProcessIsKilled_EventIsRedeliveredAfterTheEndOfItsLease(t *testing.T) {
	t.Parallel()
	const lease = time.Second
	b := setup(t)
	id := b.scheduled().ready().insert(t, 1)[0]
	attempt, leasedUntil := b.killWorker(t, id, workerLeaseEnv+"="+lease.String())
	e := b.redeliver(t)
	late := e.LeasedAt.Sub(leasedUntil) // both are times of the database
	t.Logf("redelivered %s after the end of a lease of %s", late.Round(time.Millisecond), lease)
	require.Equal(t, id, e.ID)
	require.Equal(t, attempt+1, e.Attempt)
	require.GreaterOrEqual(t, late, time.Duration(0), "a lease keeps other workers away")
	require.Equal(t, "completed", b.stored(t, id)[0].Status)
}

func TestWorker_ProcessIsKilled_EventIsRedeliveredWithTheSameID(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.scheduled().ready().insert(t, 1)[0]
	attempt, leasedUntil := b.killWorker(t, id)
	var now time.Time
	require.NoError(t, b.sql.QueryRow(t.Context(), "SELECT now()").Scan(&now))
	require.WithinRange(t, leasedUntil, now.Add(-time.Hour), now.Add(3*time.Second),
		"nobody waits longer for a worker that died")
	// while this test runs
	_, err := b.sql.Exec(t.Context(), "UPDATE scheduled_events SET leased_until = now() + interval '1 hour'")
	require.NoError(t, err)
	var h handled
	event.NewWorker(b.store, event.Config{}, h.kind(nil)).RunUntilIdle(t.Context())
	require.Empty(t, h.ids(), "the lease is still valid")

	b.endLeases(t)
	e := b.redeliver(t)
	require.Equal(t, id, e.ID)
	require.Equal(t, attempt+1, e.Attempt)
	require.Equal(t, "completed", b.stored(t, id)[0].Status)
}
