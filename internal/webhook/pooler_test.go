package webhook_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/change"
	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/event"
	"holdfast/internal/postgres/pgtest"
	"holdfast/internal/usecase"
	"holdfast/internal/webhook"
)

// setupPooled is setup behind a PgBouncer in transaction mode that has fewer backends than a process has connections.
// b.sql goes around it, and nothing else does. There are more backends than transactions in which processes that start
// look for a pooler: each of those keeps a backend and waits for another one.
func setupPooled(t *testing.T) *testBundle {
	t.Helper()
	direct := dbtest.Database(t)
	pooled := pgtest.PgBouncer(t, direct, map[string]string{"default_pool_size": "8"})
	b := &testBundle{url: pooled, sql: dbtest.SQL(t, direct)}
	b.store, b.service = b.process(t)
	b.tenant = b.newTenant(t)
	return b
}

// process is a process on the bundle's database. Its webhooks may reach loopback addresses.
func (b *testBundle) process(t *testing.T) (*db.DB, *webhook.Service) {
	t.Helper()
	allowed, err := webhook.ParseNetworks("127.0.0.0/8")
	require.NoError(t, err)
	s := dbtest.Open(t, db.Config{URL: b.url, MaxConns: 12, LockTimeout: time.Minute})
	return s, webhook.NewService(s, change.NewService(s, usecase.TypesOfChanges()), webhook.Config{Allowed: allowed},
		nil)
}

func TestDelivery_BehindATransactionPooler_ArrivesByPolling(t *testing.T) {
	t.Parallel()
	const waves, perWave = 3, 40
	b := setupPooled(t)
	require.ErrorIs(t, b.store.Listen(t.Context(), func([]string) {}), db.ErrPooled)
	rec := newReceiver(t, nil)
	failing := answering(t, http.StatusInternalServerError)
	b.newEndpoint(t, rec.URL, "booking.*")
	b.newEndpoint(t, failing.URL, "payment.*")
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	for range 2 {
		s, service := b.process(t)
		running.Go(func() {
			event.NewWorker(s, event.Config{Jobs: []event.Job{event.Relay(s)}}, service.DeliveryKind()).Run(ctx)
		})
	}
	var ids []uuid.UUID
	b.recordChange(t, "payment.succeeded")
	for range waves { // the workers find the later ones by polling alone
		ids = append(ids, b.recordChanges(t, "booking.created", perWave)...)
		for range perWave {
			select {
			case <-rec.arrived:
			case <-time.After(time.Minute):
				require.Fail(t, "an event was not delivered", "%d of %d arrived", len(rec.ids()), len(ids))
			}
		}
	}
	require.Eventually(t, func() bool {
		var open int
		err := b.sql.QueryRow(t.Context(),
			`SELECT count(*) FROM scheduled_events WHERE status IN ('pending', 'processing')`).Scan(&open)
		return err == nil && open == 0
	}, time.Minute, 10*time.Millisecond)
	stop()
	running.Wait()
	require.ElementsMatch(t, texts(ids...), rec.ids(), "two workers deliver each event once")
	require.NotEmpty(t, failing.requests())
	var completed, failed int
	require.NoError(t, b.sql.QueryRow(t.Context(), `
		SELECT count(*) FILTER (WHERE status = 'completed'), count(*) FILTER (WHERE status = 'failed')
			FROM scheduled_events`).Scan(&completed, &failed))
	require.Equal(t, []int{len(ids), 1}, []int{completed, failed})

	read, after := 0, ""
	for more := true; more; {
		page, err := change.NewService(b.store, nil).Page(t.Context(), b.tenant.ID,
			change.Query{After: after, Limit: 30})
		require.NoError(t, err)
		read, after, more = read+len(page.Events), page.Next, page.More
	}
	require.Equal(t, len(ids)+1, read, "the feed has each event once")
}
