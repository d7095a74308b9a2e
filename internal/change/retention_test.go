package change_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"holdfast/internal/change"
	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/db/preflight"
	"holdfast/internal/event"
	"holdfast/internal/problem"
	"holdfast/internal/usecase"
)

const day = 24 * time.Hour

// expired requires that a cursor is told to be expired.
func (b *testBundle) expired(t *testing.T, cursor string) {
	t.Helper()
	_, err := b.feed.Page(t.Context(), b.tenant, change.Query{After: cursor, Limit: 10})
	require.True(t, problem.Is(err, problem.CursorExpired), "%v", err)
}

// deleteOld runs the relay and the jobs that delete until they have nothing more to do.
func (b *testBundle) deleteOld(t *testing.T) {
	t.Helper()
	for _, job := range append([]event.Job{event.Relay(b.store)}, event.Retention(b.store, 30*day, 30*day)...) {
		for more := true; more; {
			var err error
			more, err = job.Run(t.Context())
			require.NoError(t, err)
		}
	}
}

// relay runs the relay, which passes all events that readers see.
func (b *testBundle) relay(t *testing.T) {
	t.Helper()
	_, err := event.RelayFeed(t.Context(), b.store, 10_000)
	require.NoError(t, err)
}

func TestRetention_RelayStoodStill_EventsStayUntilItHasPassedThem(t *testing.T) {
	t.Parallel()
	b := setup(t)
	passed := b.event().old(40 * day).insert(t)
	b.relay(t)
	waiting := b.event().old(35 * day).insert(t)
	recent := b.event().insert(t)
	retention := event.Retention(b.store, 30*day, 30*day)[0]
	_, err := retention.Run(t.Context())
	require.ErrorContains(t, err, "the relay has yet to plan")
	require.Equal(t, []uuid.UUID{waiting, recent}, ids(b.page(t, change.Query{})), "without %s", passed)
	b.relay(t)
	_, err = retention.Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, []uuid.UUID{recent}, ids(b.page(t, change.Query{})))
}

func TestRetention_OldEvents_AreDeletedAndCursorsBeforeThemExpire(t *testing.T) {
	t.Parallel()
	b := setup(t)
	beginning := b.page(t, change.Query{After: change.Latest}).Next
	first := b.event().old(32 * day).insert(t)
	b.event().old(31 * day).of(uuid.New()).insert(t)
	kept := b.event().old(29 * day).insert(t)
	all := b.page(t, change.Query{})
	require.Equal(t, []uuid.UUID{first, kept}, ids(all))
	b.deleteOld(t)
	require.Equal(t, []uuid.UUID{kept}, ids(b.page(t, change.Query{})))
	b.expired(t, beginning)
	b.expired(t, all.Events[0].Cursor) // the other tenant's event after it was deleted
	require.Empty(t, b.after(t, all.Events[1].Cursor).Events)
	require.Empty(t, b.after(t, all.Next).Events)
}

func TestPage_EventsAreDeletedBetweenItsReads_HasWhatWasRead(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var all []uuid.UUID
	for range 120 {
		all = append(all, b.event().old(31*day).insertIn(t, b.sql))
	}
	b.visible(t, all...)
	feed := change.NewService(dbtest.Open(t, db.Config{URL: b.url, MaxConns: 1}), usecase.TypesOfChanges())
	// prepares the statements, which the lock would stop
	_, err := feed.Page(t.Context(), b.tenant, change.Query{Limit: 1})
	require.NoError(t, err)
	deleting := b.begin(t)
	// The first read of the page has its events, and waits here for what was deleted.
	_, err = deleting.Exec(t.Context(), "LOCK TABLE feed_positions")
	require.NoError(t, err)
	var p change.Page
	read := make(chan error, 1)
	go func() {
		var err error
		p, err = feed.Page(t.Context(), b.tenant, change.Query{Limit: 200})
		read <- err
	}()
	require.Eventually(t, func() bool {
		var n int
		err := b.sql.QueryRow(t.Context(), `
			SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0`).Scan(&n)
		return err == nil && n > 0
	}, soon, time.Millisecond)
	_, err = deleting.Exec(t.Context(), `
		UPDATE feed_positions p SET transaction_id = o.transaction_id, change_id = o.change_id
		FROM changes o WHERE p.reader = 'deleted' AND o.change_id = $1`, all[100])
	require.NoError(t, err)
	_, err = deleting.Exec(t.Context(), "DELETE FROM changes WHERE change_id = ANY ($1)", all[:101])
	require.NoError(t, err)
	require.NoError(t, deleting.Commit(t.Context()))
	require.NoError(t, <-read)
	require.Equal(t, all[:50], ids(p))
	require.True(t, p.More)
	b.expired(t, p.Next)
	require.Equal(t, all[101:], ids(b.page(t, change.Query{})))
}

func TestRetention_NoOldEvents_NoCursorExpires(t *testing.T) {
	t.Parallel()
	b := setup(t)
	beginning := b.page(t, change.Query{After: change.Latest}).Next
	id := b.event().old(29 * day).insert(t)
	b.deleteOld(t)
	require.Equal(t, []uuid.UUID{id}, ids(b.after(t, beginning)))
}

func TestRetention_QuietTenantThatReads_KeepsItsPlace(t *testing.T) {
	t.Parallel()
	b := setup(t)
	cursor := b.page(t, change.Query{}).Next
	b.event().of(uuid.New()).old(31 * day).insert(t)
	cursor = b.after(t, cursor).Next
	b.deleteOld(t)
	require.Empty(t, b.after(t, cursor).Events, "an empty page moves the cursor past the events of other tenants")
}

func TestRetention_ManyOldEvents_AreDeletedInBatches(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.sql.Exec(t.Context(), `
		INSERT INTO changes (tenant_id, change_id, type, subject_type, subject_id, version, notice, occurred_at, data)
		SELECT $1, gen_random_uuid(), 'booking.created', 'booking', gen_random_uuid(), 1, true, now() - interval '40 days', '{}'
		FROM generate_series(1, 1200)`, b.tenant)
	require.NoError(t, err)
	kept := b.event().insert(t)
	b.relay(t)
	deleted, _, err := event.DeleteOldChanges(t.Context(), b.store, 30*day, 100)
	require.NoError(t, err)
	require.Equal(t, int64(100), deleted)
	b.deleteOld(t)
	require.Equal(t, []uuid.UUID{kept}, ids(b.page(t, change.Query{})))
}

func TestRetention_OpenOlderTransaction_BlocksDeletion(t *testing.T) {
	t.Parallel()
	b := setup(t)
	running := b.begin(t)
	late := b.event().insertIn(t, running)
	old := b.event().old(40*day).insertIn(t, b.sql)
	b.deleteOld(t)
	require.NoError(t, running.Commit(t.Context()))
	b.visible(t, late, old)
	require.Equal(t, []uuid.UUID{late, old}, ids(b.page(t, change.Query{})))
}

func TestRetention_TwoInstancesAtOnce_DeleteEachEventOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.event().old(40 * day).insert(t)
	b.relay(t)
	other := b.begin(t)
	_, err := other.Exec(t.Context(), "SELECT FROM feed_positions WHERE reader = 'deleted' FOR UPDATE")
	require.NoError(t, err)
	deleted, _, err := event.DeleteOldChanges(t.Context(), b.store, 0, 100)
	require.NoError(t, err)
	require.Zero(t, deleted, "another instance deletes")
	require.NoError(t, other.Rollback(t.Context()))
	deleted, _, err = event.DeleteOldChanges(t.Context(), b.store, 0, 100)
	require.NoError(t, err)
	require.Equal(t, int64(1), deleted)
}

func TestRetention_ScheduledEvents_AreDeletedWithTheirAttemptsWhenTheyAreEndedAndOld(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.sql.Exec(t.Context(), `
		INSERT INTO scheduled_events (tenant_id, event_id, kind, subject_type, subject_id, occurrence, status, due_at, time_zone, attempts,
			version, data, created_at, updated_at)
		SELECT t, gen_random_uuid(), e.status || ' ' || e.due || ' ' || e.updated, 'test', gen_random_uuid(), '', e.status,
			now() - make_interval(days => e.due), 'UTC', 1, 1, '{}', now(), now() - make_interval(days => e.updated)
		FROM unnest($1::uuid[]) AS t, (VALUES ('completed', 40, 40), ('cancelled', 31, 31), ('completed', 20, 20), ('cancelled', -300, 40),
			('completed', 40, 1), ('dead', 40, 40), ('failed', 40, 40), ('pending', 40, 40)) AS e (status, due, updated)`,
		[]uuid.UUID{b.tenant, uuid.New(), uuid.New()})
	require.NoError(t, err)
	_, err = b.sql.Exec(t.Context(), `
		INSERT INTO event_attempts (tenant_id, event_id, attempt_id, attempt, status, details, started_at, finished_at)
		SELECT tenant_id, event_id, gen_random_uuid(), 1, status, '{}', now(), now() FROM scheduled_events, generate_series(1, 2)`)
	require.NoError(t, err)
	b.deleteOld(t)
	rows, err := b.sql.Query(t.Context(), `SELECT s.kind, count(DISTINCT s.tenant_id), count(a.attempt_id)
		FROM scheduled_events s LEFT JOIN event_attempts a USING (tenant_id, event_id) GROUP BY s.kind ORDER BY s.kind`)
	require.NoError(t, err)
	type left struct {
		Kind              string
		Tenants, Attempts int
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[left])
	require.NoError(t, err)
	require.Equal(t, []left{
		{"cancelled -300 40", 3, 6}, {"completed 20 20", 3, 6}, {"completed 40 1", 3, 6}, {"dead 40 40", 3, 6},
		{"failed 40 40", 3, 6},
		{"pending 40 40", 3, 6},
	}, found)
}

func TestRetention_DeadDeliveriesAndEmails_AreDeletedAndOtherDeadEventsStay(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.sql.Exec(t.Context(), `
		INSERT INTO scheduled_events (tenant_id, event_id, kind, subject_type, subject_id, occurrence, status, due_at, time_zone, attempts,
			version, data, created_at, updated_at, last_error)
		SELECT $1, gen_random_uuid(), k, 'test', gen_random_uuid(), d::text, 'dead', now() - make_interval(days => d), 'UTC', 1, 1, '{}',
			now(), now() - make_interval(days => d), 'failed'
		FROM unnest($2::text[]) AS k, unnest('{20, 40}'::int[]) AS d`,
		b.tenant, []string{event.KindWebhookDelivery, event.KindEmail, event.KindPaymentEmail, event.KindOwnerEmail,
			event.KindBookingReminder})
	require.NoError(t, err)
	b.deleteOld(t)
	rows, err := b.sql.Query(t.Context(), "SELECT kind || ' ' || occurrence FROM scheduled_events")
	require.NoError(t, err)
	left, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.ElementsMatch(t, []string{
		event.KindWebhookDelivery + " 20", event.KindEmail + " 20", event.KindPaymentEmail + " 20",
		event.KindOwnerEmail + " 20",
		event.KindBookingReminder + " 20", event.KindBookingReminder + " 40",
	}, left)
}

func TestRetention_GreetingsThatWereCompletedOrCancelledOnRequest_AreKeptForMoreThanAYear(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.sql.Exec(t.Context(), `
		INSERT INTO scheduled_events (tenant_id, event_id, kind, subject_type, subject_id, occurrence, status, due_at, time_zone, attempts,
			version, data, created_at, updated_at, cancelled_on_request)
		SELECT $1, gen_random_uuid(), k, 'test', gen_random_uuid(), concat_ws(' ', e.status, e.age), e.status,
		now() - make_interval(days => e.age),
			'UTC', 1, 1, '{}', now(), now() - make_interval(days => e.age), e.on_request
		FROM unnest($2::text[]) AS k, (VALUES ('completed', 40, false), ('completed', 399, false), ('completed', 401, false),
			('cancelled', 40, false), ('cancelled', 399, true), ('cancelled', 401, true)) AS e (status, age, on_request)`,
		b.tenant, []string{event.KindBirthday, event.KindAnniversary, event.KindBookingReminder})
	require.NoError(t, err)
	b.deleteOld(t)
	rows, err := b.sql.Query(t.Context(), "SELECT kind || ' ' || occurrence FROM scheduled_events")
	require.NoError(t, err)
	left, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	var want []string
	for _, kind := range []string{event.KindBirthday, event.KindAnniversary} {
		want = append(want, kind+" completed 40", kind+" completed 399", kind+" cancelled 399")
	}
	require.ElementsMatch(t, want, left)
}

func TestRetention_OutboxCannotBeRead_EndedScheduledEventsAreDeletedAllTheSame(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.sql.Exec(t.Context(), `
		INSERT INTO scheduled_events (tenant_id, event_id, kind, subject_type, subject_id, occurrence, status, due_at, time_zone, attempts,
			version, data, created_at, updated_at)
		VALUES ($1, gen_random_uuid(), 'test', 'test', gen_random_uuid(), '', 'completed', now() - interval '40 days', 'UTC', 1, 1, '{}',
			now(), now() - interval '40 days')`, b.tenant)
	require.NoError(t, err)
	_, err = b.sql.Exec(t.Context(), "ALTER TABLE changes RENAME TO elsewhere")
	require.NoError(t, err)
	var failed int
	for _, job := range event.Retention(b.store, 30*day, 30*day) {
		if _, err := job.Run(t.Context()); err != nil {
			failed++
		}
	}
	require.Equal(t, 1, failed)
	var left int
	require.NoError(t, b.sql.QueryRow(t.Context(), "SELECT count(*) FROM scheduled_events").Scan(&left))
	require.Zero(t, left)
}

func TestMigrate_DatabaseRestoredIntoAYoungCluster_FeedGoesOnAndOldCursorsExpire(t *testing.T) {
	t.Parallel()
	b := setup(t)
	booking := uuid.New()
	before := b.event().about(booking).insert(t)
	more := b.event().about(booking).insert(t)
	cursor := b.page(t, change.Query{}).Next

	// Of a restored database, the stored ids are those of an older cluster.
	const older = 1_000_000_000
	_, err := b.sql.Exec(t.Context(), `UPDATE changes SET transaction_id = transaction_id + $1`, older)
	require.NoError(t, err)
	_, err = b.sql.Exec(t.Context(),
		`UPDATE feed_positions SET transaction_id = transaction_id + $1 WHERE reader IN ('deleted', 'relay')`,
		older)
	require.NoError(t, err)
	customer := uuid.New()
	_, err = b.sql.Exec(t.Context(),
		`INSERT INTO tenants (tenant_id, slug, name, time_zone, currency, created_at) VALUES ($1, 's', 'n', 'UTC', 'EUR', now())`, b.tenant)
	require.NoError(t, err)
	_, err = b.sql.Exec(t.Context(),
		`INSERT INTO customers (tenant_id, customer_id, email, name, created_at, event_transaction_id)
			VALUES ($1, $2, 'a@b', 'A', now(), $3)`,
		b.tenant, customer, older)
	require.NoError(t, err)
	require.Empty(t, b.page(t, change.Query{}).Events, "these events are in the cluster's future")

	require.NoError(t, preflight.Migrate(t.Context(), b.url, nil))
	after := b.event().about(booking).insert(t)
	p := b.page(t, change.Query{})
	require.Equal(t, []uuid.UUID{before, more, after}, ids(p), "the order is kept, and new events come last")
	b.expired(t, cursor)
	require.Empty(t, b.after(t, p.Next).Events)
	var position int64
	require.NoError(t, b.sql.QueryRow(t.Context(), "SELECT event_transaction_id FROM customers").Scan(&position))
	require.Zero(t, position)

	require.NoError(t, preflight.Migrate(t.Context(), b.url, nil))
	require.Empty(t, b.after(t, p.Next).Events, "what is mended stays as it is")
}

func TestMigrate_EventsAFewTransactionsAhead_KeepTheirPlaces(t *testing.T) {
	t.Parallel()
	b := setup(t)
	cursor := b.page(t, change.Query{After: change.Latest}).Next
	id := b.event().insertIn(t, b.sql)
	_, err := b.sql.Exec(t.Context(), `UPDATE changes SET transaction_id = transaction_id + 200`)
	require.NoError(t, err)
	require.NoError(t, preflight.Migrate(t.Context(), b.url, nil))
	b.visible(t, id)
	require.Equal(t, []uuid.UUID{id}, ids(b.after(t, cursor)))
}

func TestExpireCursors_ReadersAreTold_AndBeginAnew(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.event().insert(t)
	first := b.page(t, change.Query{}).Next
	for range 2 { // also those that were given after the first time
		require.NoError(t, b.store.ExpireCursors(t.Context()))
		b.expired(t, first)
		anew := b.page(t, change.Query{})
		require.Equal(t, []uuid.UUID{id}, ids(anew))
		require.Empty(t, b.after(t, anew.Next).Events)
		first = anew.Next
	}
}
