package event_test

import (
	"bytes"
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/event"
	"holdfast/internal/postgres/pgtest"
	"holdfast/internal/testtime"
)

func TestWorker_ListeningConnectionIsLost_FindsEventsThatNobodyAnnounced(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx, stop := bounded(t)
	defer stop()
	var h handled
	done := make(chan struct{})
	kind := h.kind(func(context.Context, event.Event) (event.Result, error) { close(done); return event.Done(), nil })
	var running sync.WaitGroup
	running.Go(func() { event.NewWorker(b.store, event.Config{Poll: 20 * time.Millisecond}, kind).Run(ctx) })
	defer running.Wait()
	defer stop()
	require.Eventually(t, func() bool {
		var ended int
		err := b.sql.QueryRow(t.Context(), `
			SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
			WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE '%LISTEN holdfast_events%'`).Scan(&ended)
		return err == nil && ended > 0
	}, longestWait, 5*time.Millisecond)
	id := b.scheduled().ready().insert(t, 1)[0] // tells nobody; polling finds it, or the poll that follows a new LISTEN
	testtime.Receive(t, done)
	stop()
	running.Wait()
	require.Equal(t, "completed", b.stored(t, id)[0].Status)
}

func TestWorker_BehindATransactionPooler_Polls(t *testing.T) {
	t.Parallel()
	b := setup(t)
	pooled := dbtest.Open(t, db.Config{URL: pgtest.PgBouncer(t, b.url, nil), MaxConns: 4})
	err := pooled.Listen(t.Context(), func([]string) { require.Fail(t, "there is nothing to hear") })
	require.ErrorIs(t, err, db.ErrPooled)
	id := b.scheduled().ready().insert(t, 1)[0]
	ctx, stop := bounded(t)
	defer stop()
	var h handled
	log := new(lines)
	kind := h.kind(func(context.Context, event.Event) (event.Result, error) {
		// The worker learns at its own pace that it can't listen.
		if !log.contain("polled for") {
			return event.Again(testtime.Now()), nil
		}
		stop()
		return event.Done(), nil
	})
	event.NewWorker(pooled, event.Config{Poll: 20 * time.Millisecond, Logger: slog.New(slog.NewTextHandler(log, nil))},
		kind).Run(ctx)
	require.Equal(t, "completed", b.stored(t, id)[0].Status)
}

// lines is a log that may be read while it is written.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

func (l *lines) contain(part string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return bytes.Contains(l.text.Bytes(), []byte(part))
}
