package person_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/change"
	"holdfast/internal/customer"
	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/idempotency"
	"holdfast/internal/mergepatch"
	"holdfast/internal/person"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
	"holdfast/internal/tenant/tenanttest"
	"holdfast/internal/testtime"
	"holdfast/internal/timetable"
	"holdfast/internal/wallet"
)

// soon is how long a test waits for another request on a busy machine.
const soon = 30 * time.Second

// testBundle is a database with one tenant, who sells one date service, and the use cases on it.
type testBundle struct {
	sql      *pgxpool.Pool
	store    *db.DB
	service  *person.Service
	booking  *booking.Service
	customer *customer.Service
	wallet   *wallet.Service
	tenant   tenant.Tenant
	sold     uuid.UUID // the service
}

func setup(t testing.TB) *testBundle {
	t.Helper()
	url := dbtest.Database(t)
	s := dbtest.Open(t, db.Config{URL: url, MaxConns: 8, LockTimeout: time.Minute})
	b := &testBundle{
		sql:      dbtest.SQL(t, url),
		store:    s,
		service:  person.NewService(s),
		booking:  booking.NewService(s),
		customer: customer.NewService(s),
		wallet:   wallet.NewService(s),
		tenant:   tenant.Tenant{ID: uuid.Must(uuid.NewV7()), Location: time.UTC, Currency: "EUR"},
	}
	require.NoError(t, tenanttest.Insert(t.Context(), s, b.tenant.ID))
	products := catalog.NewService(s)
	resource, err := products.CreateResource(t.Context(), b.tenant, request(t),
		catalog.Resource{Name: "Boat", Capacity: 300})
	require.NoError(t, err)
	service, err := products.CreateService(t.Context(), b.tenant, request(t),
		catalog.ServiceSpec{Name: "Day", Spec: timetable.Spec{
			Kind: timetable.KindDate, ResourceIDs: []uuid.UUID{resource.ID}, BookingWindowDays: new(3650),
		}})
	require.NoError(t, err)
	b.sold = service.ID
	return b
}

func request(t testing.TB) idempotency.Request {
	t.Helper()
	r, err := idempotency.NewRequest([]string{uuid.NewString()}, http.MethodPost, "/", nil)
	require.NoError(t, err)
	return r
}

// named is a customer with an email that nobody else has.
func named(name string) customer.Customer {
	return customer.Customer{Name: name, Email: uuid.NewString() + "@example.com"}
}

// book books a date for a customer.
func (b *testBundle) book(t testing.TB, day int, n booking.CreateRequest) (booking.BookingBody, error) {
	t.Helper()
	n.ServiceID, n.When = b.sold, timetable.When{Date: new(testtime.Date(day))}
	made, err := b.booking.Create(t.Context(), b.tenant, request(t), n)
	var body booking.BookingBody
	if err == nil {
		require.NoError(t, json.Unmarshal(made.Body, &body))
	}
	return body, err
}

// bookFor returns a booking of a customer, and the customer. metadata is a JSON object, or empty.
func (b *testBundle) bookFor(t testing.TB, c customer.Customer, metadata string) (made, id uuid.UUID) {
	t.Helper()
	n := booking.CreateRequest{Customer: &c}
	n.Metadata = catalog.Metadata(metadata)
	body, err := b.book(t, 3, n)
	require.NoError(t, err)
	return body.ID, body.Customer.ID
}

// give makes a booking another customer's, or changes its metadata, or both.
func (b *testBundle) give(t testing.TB, id uuid.UUID, to *uuid.UUID, metadata string) {
	t.Helper()
	a := booking.AmendRequest{CustomerChoice: booking.CustomerChoice{CustomerID: to}}
	if metadata != "" {
		a.Details = mergepatch.Of[booking.Details](`{"metadata": ` + metadata + `}`)
	}
	_, err := b.booking.Amend(t.Context(), b.tenant, id, a, "")
	require.NoError(t, err)
}

func (b *testBundle) merge(t testing.TB, id, into uuid.UUID) error {
	t.Helper()
	_, err := b.service.Merge(t.Context(), b.tenant, request(t), id, into, "")
	return err
}

func (b *testBundle) erase(t testing.TB, id uuid.UUID) error {
	t.Helper()
	_, err := b.service.Erase(t.Context(), b.tenant, request(t), id, "")
	return err
}

func (b *testBundle) get(t testing.TB, id uuid.UUID) customer.Details {
	t.Helper()
	c, err := b.customer.Get(t.Context(), b.tenant, id)
	require.NoError(t, err)
	return c
}

// listed returns the customers that a list shows.
func (b *testBundle) listed(t testing.TB, f customer.Filter) []uuid.UUID {
	t.Helper()
	f.Limit = 100
	list, err := b.customer.List(t.Context(), b.tenant, f)
	require.NoError(t, err)
	ids := []uuid.UUID{}
	for _, c := range list {
		ids = append(ids, c.ID)
	}
	return ids
}

// history returns the history of a booking or a customer, which must have one entry a version.
func (b *testBundle) history(t testing.TB, id uuid.UUID) []change.HistoryEntry {
	t.Helper()
	entries, err := change.NewService(b.store, nil).History(t.Context(), b.tenant.ID, id, 0, 100)
	require.NoError(t, err)
	for i, e := range entries {
		require.EqualValues(t, i+1, e.Version)
	}
	return entries
}

func (b *testBundle) count(t testing.TB, query string, args ...any) (n int) {
	t.Helper()
	require.NoError(t, b.sql.QueryRow(t.Context(), query, args...).Scan(&n))
	return n
}

// requireToldInOrder requires that the feed tells the versions of each subject in order.
func (b *testBundle) requireToldInOrder(t testing.TB) {
	t.Helper()
	require.Zero(t, b.count(t, `SELECT count(*)
		FROM (SELECT version < lag(version) OVER (PARTITION BY subject_id ORDER BY transaction_id, change_id) AS late
			FROM changes) AS e
		WHERE late`))
}

// held locks the rows that a query names until unlock is called.
func (b *testBundle) held(t testing.TB, query string, id uuid.UUID) (unlock func()) {
	t.Helper()
	tx, err := b.sql.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), query, id)
	require.NoError(t, err)
	return func() { require.NoError(t, tx.Rollback(t.Context())) }
}

// blocked waits until n sessions wait for a row.
func (b *testBundle) blocked(t testing.TB, n int) {
	t.Helper()
	require.Eventually(t, func() bool {
		return n == b.count(t, `SELECT count(*) FROM pg_stat_activity
			WHERE wait_event_type = 'Lock' AND wait_event IN ('transactionid', 'tuple')
				AND datname = current_database()`)
	}, soon, 10*time.Millisecond)
}

// later runs a use case meanwhile, and tells how it ended.
func later(do func() error) <-chan error {
	ended := make(chan error, 1)
	go func() { ended <- do() }()
	return ended
}

func requireCode(t testing.TB, code problem.Code, err error) {
	t.Helper()
	require.Equal(t, code, problem.CodeOf(err), "%v", err)
}
