package webhook_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"holdfast/internal/change"
	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/event"
	"holdfast/internal/usecase"
	"holdfast/internal/webhook"
)

// planned counts the deliveries that are planned.
func (b *testBundle) planned(t testing.TB) (n int) {
	t.Helper()
	require.NoError(t, b.sql.QueryRow(t.Context(), "SELECT count(*) FROM scheduled_events").Scan(&n))
	return n
}

func typesOf(texts []string) (types []webhook.EventType) {
	for _, text := range texts {
		types = append(types, webhook.EventType(text))
	}
	return types
}

func TestRelay_Types_MatchLikeAReplayAndTheFeed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	patterns := [][]string{{"*"}, {"booking.*"}, {"booking.no_show"}, {"webhook_endpoint.*"},
		{"payment.refunded", "booking.*"},
		{"customer.*", "customer.created"}}
	endpoints := make([]uuid.UUID, len(patterns))
	for i, types := range patterns {
		endpoints[i] = b.newEndpoint(t, "https://example.com/", typesOf(types)...).ID
	}
	types := append(usecase.TypesOfChanges(), "booking.noXshow", "booking.no_shows", "bookings.created",
		"webhookXendpoint.disabled",
		"Booking.created", "payment", "booking.")
	for _, eventType := range types {
		b.recordChange(t, eventType)
	}
	b.relay(t)
	told := func(endpoint uuid.UUID) []string {
		list := []string{}
		for _, d := range b.deliveries(t, endpoint) {
			list = append(list, d.Type)
		}
		return list
	}
	relayed := map[uuid.UUID][]string{}
	for i, id := range endpoints {
		relayed[id] = told(id)
		page, err := change.NewService(b.store, nil).Page(t.Context(), b.tenant.ID,
			change.Query{Types: change.FilterTypes(patterns[i]...),
				Limit: 100})
		require.NoError(t, err)
		passed := []string{}
		for _, e := range page.Events {
			passed = append(passed, e.Type)
		}
		require.NotEmpty(t, passed)
		require.ElementsMatch(t, passed, relayed[id], patterns[i])
	}
	b.exec(t, "DELETE FROM scheduled_events")
	for i, id := range endpoints {
		_, err := b.service.ReplayRange(t.Context(), b.tenant, newRequest(t), id, webhook.Range{From: new(time.Time)})
		require.NoError(t, err)
		require.ElementsMatch(t, relayed[id], told(id), patterns[i])
	}
}

func TestRelay_ManyAtOnce_PlanEachDeliveryOnceAndMissNone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const endpoints, events = 3, 400
	for range endpoints {
		b.newEndpoint(t, "https://example.com/", "*")
	}
	var running sync.WaitGroup
	for range 4 {
		running.Go(func() {
			for range 5 {
				b.recordChanges(t, "booking.created", events/20)
			}
		})
	}
	ctx, stop := context.WithCancel(t.Context())
	var relays sync.WaitGroup
	defer relays.Wait()
	defer stop()
	for range 4 {
		other := dbtest.Open(t, db.Config{URL: b.url, MaxConns: 2})
		relays.Go(func() {
			for ctx.Err() == nil {
				if _, err := event.RelayFeed(ctx, other, 70); err != nil && ctx.Err() == nil {
					t.Error(err)
				}
			}
		})
	}
	running.Wait()
	b.relay(t)
	stop()
	relays.Wait()
	require.Equal(t, endpoints*events, b.planned(t))
	var distinct int
	require.NoError(t, b.sql.QueryRow(t.Context(),
		"SELECT count(DISTINCT (subject_id, occurrence)) FROM scheduled_events").Scan(&distinct))
	require.Equal(t, endpoints*events, distinct)
}

// insertEvent writes an event in a transaction that is still open.
func insertEvent(t testing.TB, tx pgx.Tx, tenant uuid.UUID) uuid.UUID {
	t.Helper()
	id := uuid.Must(uuid.NewV7())
	_, err := tx.Exec(t.Context(), `
		INSERT INTO changes (tenant_id, change_id, type, subject_type, subject_id, version, notice, occurred_at, data)
		VALUES ($1, $2, 'booking.created', 'booking', $2, 1, true, now(), '{}')`, tenant, id)
	require.NoError(t, err)
	return id
}

func TestRelay_TransactionsCommitOutOfOrder_MissesNone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	e := b.newEndpoint(t, "https://example.com/", "*")
	first, err := b.sql.Begin(t.Context())
	require.NoError(t, err)
	early := insertEvent(t, first, b.tenant.ID)
	late := b.recordChange(t, "booking.created")
	for range 3 {
		n, err := event.RelayFeed(t.Context(), b.store, 1000)
		require.NoError(t, err)
		require.Zero(t, n, "an older transaction may still write in front of the event")
	}
	require.NoError(t, first.Commit(t.Context()))
	b.relay(t)
	var got []uuid.UUID
	for _, d := range b.deliveries(t, e.ID) {
		got = append(got, d.EventID)
	}
	require.ElementsMatch(t, []uuid.UUID{early, late}, got)
}

func TestRelay_AnotherInstanceHasThePosition_PlansNothingUntilItIsFree(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.newEndpoint(t, "https://example.com/", "*")
	b.recordChanges(t, "booking.created", 10)
	holder, err := b.sql.Begin(t.Context())
	require.NoError(t, err)
	_, err = holder.Exec(t.Context(), "SELECT FROM feed_positions FOR UPDATE")
	require.NoError(t, err)
	n, err := event.RelayFeed(t.Context(), b.store, 1000)
	require.NoError(t, err)
	require.Zero(t, n, "another instance relays")
	require.NoError(t, holder.Rollback(t.Context()))
	b.relay(t)
	require.Equal(t, 10, b.planned(t))
}

func TestRelay_TwentyEndpointsAndAHundredEvents_PlansTwoThousandDeliveries(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 20 {
		b.newEndpoint(t, "https://example.com/", "booking.*")
	}
	b.recordChanges(t, "booking.created", 100)
	b.recordChanges(t, "payment.succeeded", 10)
	b.relay(t)
	require.Equal(t, 2000, b.planned(t))
}

func TestRelay_JobOfAWorker_IsWokenByACommit(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rec := newReceiver(t, nil)
	b.newEndpoint(t, rec.URL, "*")
	ctx, stop := context.WithCancel(t.Context())
	ran := make(chan struct{}, 100)
	// A job that is woken as the relay is, and hardly ever runs by itself: when the worker begins, and when it begins
	// to listen.
	woken := event.Job{Name: "test", Every: time.Hour, Woken: event.Relay(b.store).Woken, Run: func(context.Context) (bool, error) {
		ran <- struct{}{}
		return false, nil
	}}
	var running sync.WaitGroup
	running.Go(func() {
		event.NewWorker(b.store, event.Config{Jobs: []event.Job{event.Relay(b.store), woken}},
			b.service.DeliveryKind()).Run(ctx)
	})
	defer running.Wait()
	defer stop()
	var ids []uuid.UUID
	for range 3 {
		ids = append(ids, b.recordChange(t, "booking.created"))
		select {
		case <-ran:
		case <-time.After(time.Minute):
			require.Fail(t, "the commit woke nobody")
		}
	}
	var arrived []string
	for range ids {
		select {
		case id := <-rec.arrived:
			arrived = append(arrived, id)
		case <-time.After(time.Minute):
			require.Fail(t, "an event was not delivered")
		}
	}
	require.ElementsMatch(t, texts(ids...), arrived)
}

func TestRelay_WorkersRole_ReadsNoSecrets(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rows, err := b.sql.Query(t.Context(), `
		SELECT column_name FROM information_schema.column_privileges
		WHERE table_name = 'webhook_endpoints' AND grantee = 'holdfast_worker' AND privilege_type = 'SELECT'
		UNION SELECT grantee FROM information_schema.column_privileges
		WHERE table_name = 'webhook_endpoints' AND column_name LIKE '%secret%' AND privilege_type = 'SELECT' AND grantee LIKE 'holdfast%'`)
	require.NoError(t, err)
	got, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"tenant_id", "endpoint_id", "types", "status", "created_at", "holdfast_app"}, got)
}
