package change_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"holdfast/internal/change"
	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/usecase"
)

// soon is longer than anything takes that works.
const soon = time.Minute

// testBundle is a feed on a database of its own.
type testBundle struct {
	url    string
	sql    *pgxpool.Pool
	store  *db.DB
	feed   *change.Service
	tenant uuid.UUID
}

func setup(t *testing.T) *testBundle {
	t.Helper()
	url := dbtest.Database(t)
	st := dbtest.Open(t, db.Config{URL: url})
	return &testBundle{
		url: url, sql: dbtest.SQL(t, url), store: st, feed: change.NewService(st, usecase.TypesOfChanges()),
		tenant: uuid.Must(uuid.NewV7()),
	}
}

// executor is a pool or a transaction.
type executor interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// written is an event to be inserted.
type written struct {
	b         *testBundle
	tenant    uuid.UUID
	eventType string
	subject   uuid.UUID
	age       time.Duration
	data      string
}

func (b *testBundle) event() written {
	return written{b: b, tenant: b.tenant, eventType: "booking.created", subject: uuid.New(), data: `{"a": 1}`}
}

func (w written) of(tenant uuid.UUID) written     { w.tenant = tenant; return w }
func (w written) about(subject uuid.UUID) written { w.subject = subject; return w }
func (w written) typed(eventType string) written  { w.eventType = eventType; return w }
func (w written) old(age time.Duration) written   { w.age = age; return w }
func (w written) with(data string) written        { w.data = data; return w }

// insert inserts the event in a transaction of its own and waits until readers see it: transactions of other tests, in
// other databases of the cluster, hold it up.
func (w written) insert(t *testing.T) uuid.UUID {
	t.Helper()
	id := w.insertIn(t, w.b.sql)
	w.b.visible(t, id)
	return id
}

// insertIn inserts the event in a transaction and returns its id.
func (w written) insertIn(t *testing.T, in executor) (id uuid.UUID) {
	t.Helper()
	id = uuid.Must(uuid.NewV7())
	err := in.QueryRow(t.Context(), `
		INSERT INTO changes (tenant_id, change_id, type, subject_type, subject_id, version, notice, occurred_at, data)
		VALUES ($1, $2, $3, 'booking', $4, 1, true, now() - make_interval(secs => $5), $6) RETURNING change_id`,
		w.tenant, id, w.eventType, w.subject, w.age.Seconds(), w.data).Scan(&id)
	require.NoError(t, err)
	return id
}

// visible waits until readers see events.
func (b *testBundle) visible(t *testing.T, ids ...uuid.UUID) {
	t.Helper()
	require.Eventually(t, func() bool {
		var n int
		err := b.sql.QueryRow(t.Context(), `SELECT count(*) FROM changes
			WHERE change_id = ANY ($1) AND transaction_id < pg_snapshot_xmin(pg_current_snapshot())::text::bigint`, ids).Scan(&n)
		require.NoError(t, err)
		return n == len(ids)
	}, soon, time.Millisecond)
}

// begin begins a transaction that ends with the test at the latest.
func (b *testBundle) begin(t *testing.T) pgx.Tx {
	t.Helper()
	tx, err := b.sql.Begin(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) })
	return tx
}

// page reads a page of the tenant's feed.
func (b *testBundle) page(t *testing.T, q change.Query) change.Page {
	t.Helper()
	if q.Limit == 0 {
		q.Limit = 100
	}
	p, err := b.feed.Page(t.Context(), b.tenant, q)
	require.NoError(t, err)
	require.NotEmpty(t, p.Next)
	return p
}

// after reads the page after a cursor.
func (b *testBundle) after(t *testing.T, cursor string) change.Page {
	t.Helper()
	return b.page(t, change.Query{After: cursor})
}

func ids(p change.Page) []uuid.UUID {
	list := []uuid.UUID{}
	for _, e := range p.Events {
		list = append(list, e.ID)
	}
	return list
}
