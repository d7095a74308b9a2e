package event_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/event"
	"holdfast/internal/testtime"
)

const (
	testKind = "test.kind"
	// longestWait is how long a test waits for something on a busy machine.
	longestWait = 50 * time.Second
	// longLease is a lease that doesn't end while a test runs.
	longLease = time.Hour
)

// bounded returns a context that ends when the test has waited for too long. A worker that runs in it doesn't hang.
func bounded(t testing.TB) (ctx context.Context, stop context.CancelFunc) {
	t.Helper()
	return context.WithTimeout(t.Context(), longestWait)
}

// testBundle is a database of its own.
type testBundle struct {
	url    string
	sql    *pgxpool.Pool
	store  *db.DB
	tenant uuid.UUID
}

func setup(t testing.TB) *testBundle {
	t.Helper()
	url := dbtest.Database(t)
	return &testBundle{url: url, sql: dbtest.SQL(t, url), store: dbtest.Open(t, db.Config{URL: url}),
		tenant: uuid.Must(uuid.NewV7())}
}

// anotherStore is what another process is to the first one.
func (b *testBundle) anotherStore(t testing.TB) *db.DB {
	t.Helper()
	return dbtest.Open(t, db.Config{URL: b.url, MaxConns: 4})
}

// row is an event to be inserted. Its zero value, made by scheduled, is pending and due in an hour.
type row struct {
	b        *testBundle
	tenant   uuid.UUID
	kind     string
	due      time.Duration // from now
	attempts int
	status   string
	lease    *uuid.UUID
	leased   time.Duration // from now
}

func (b *testBundle) scheduled() row {
	return row{b: b, tenant: b.tenant, kind: testKind, due: time.Hour, status: "pending"}
}

// ready is due now.
func (r row) ready() row { r.due = -time.Millisecond; return r }

// overdue has been due for some time.
func (r row) overdue(since time.Duration) row { r.due = -since; return r }

// tried has had some attempts.
func (r row) tried(attempts int) row { r.attempts = attempts; return r }

// outOfTries has had all of its attempts.
func (r row) outOfTries() row { r.status, r.attempts = "dead", 5; return r }

// of is an event of another tenant.
func (r row) of(tenant uuid.UUID) row { r.tenant = tenant; return r }

// abandoned is held by a worker whose lease ended some time ago.
func (r row) abandoned(since time.Duration) row {
	lease := uuid.New()
	r.status, r.lease, r.leased = "processing", &lease, -since
	return r
}

// insertEach writes one event of each row, in one round trip.
func insertEach(t testing.TB, rows []row) {
	t.Helper()
	batch := new(pgx.Batch)
	for _, r := range rows {
		r.queue(batch, 1)
	}
	require.NoError(t, rows[0].b.sql.SendBatch(t.Context(), batch).Close())
}

// insert writes n such events and returns their ids.
func (r row) insert(t testing.TB, n int) []uuid.UUID {
	t.Helper()
	batch := new(pgx.Batch)
	ids := r.queue(batch, n)
	require.NoError(t, r.b.sql.SendBatch(t.Context(), batch).Close())
	return ids
}

// queue adds the statement that writes n such events, and returns their ids.
func (r row) queue(batch *pgx.Batch, n int) []uuid.UUID {
	ids := make([]uuid.UUID, n)
	for i := range ids {
		ids[i] = uuid.Must(uuid.NewV7())
	}
	var leasedUntil *time.Time
	if r.lease != nil {
		until := testtime.Now().Add(r.leased)
		leasedUntil = &until
	}
	batch.Queue(`
		INSERT INTO scheduled_events (tenant_id, event_id, kind, subject_type, subject_id, occurrence, status, due_at, time_zone, attempts,
			version, lease, leased_until, data, created_at, updated_at)
		SELECT $1, e, $2, 'test', gen_random_uuid(), '', $3, $4, 'UTC', $5, 1, $6, $7, '{}', now(), now() FROM unnest($8::uuid[]) AS e`,
		r.tenant, r.kind, r.status, testtime.Now().Add(r.due), r.attempts, r.lease, leasedUntil, ids)
	return ids
}

// stored is what is stored of an event.
type stored struct {
	EventID  uuid.UUID
	Status   string
	DueAt    time.Time
	Attempts int
	Version  int64
	Error    string
	Leased   bool
}

func (b *testBundle) stored(t testing.TB, ids ...uuid.UUID) []stored {
	t.Helper()
	rows, err := b.sql.Query(t.Context(), `
		SELECT event_id, status, due_at, attempts, version, coalesce(last_error, '') AS error, lease IS NOT NULL AS leased
		FROM scheduled_events WHERE event_id = ANY ($1) ORDER BY event_id`, ids)
	require.NoError(t, err)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByName[stored])
	require.NoError(t, err)
	require.Len(t, found, len(ids))
	return found
}

// handled remembers which events a handler was given.
type handled struct {
	mu     sync.Mutex
	events []event.Event
}

func (h *handled) kind(handle func(context.Context, event.Event) (event.Result, error)) event.Kind {
	return event.Kind{Name: testKind, Handle: func(ctx context.Context, e event.Event) (event.Result, error) {
		h.mu.Lock()
		h.events = append(h.events, e)
		h.mu.Unlock()
		if handle == nil {
			return event.Done(), nil
		}
		return handle(ctx, e)
	}}
}

func (h *handled) ids() []uuid.UUID {
	h.mu.Lock()
	defer h.mu.Unlock()
	ids := make([]uuid.UUID, len(h.events))
	for i, e := range h.events {
		ids[i] = e.ID
	}
	return ids
}
