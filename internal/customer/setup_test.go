package customer_test

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
	"holdfast/internal/tenant"
	"holdfast/internal/tenant/tenanttest"
	"holdfast/internal/testtime"
	"holdfast/internal/timetable"
)

// testBundle is a database with one tenant, who sells one date service, and the use cases on it.
type testBundle struct {
	sql     *pgxpool.Pool
	store   *db.DB
	service *customer.Service
	booking *booking.Service
	tenant  tenant.Tenant
	sold    uuid.UUID // the service
}

func setup(t testing.TB) *testBundle {
	t.Helper()
	url := dbtest.Database(t)
	s := dbtest.Open(t, db.Config{URL: url, MaxConns: 8, LockTimeout: time.Minute})
	b := &testBundle{sql: dbtest.SQL(t, url), store: s, service: customer.NewService(s), booking: booking.NewService(s)}
	b.tenant = b.newTenant(t)
	products := catalog.NewService(s)
	resource, err := products.CreateResource(t.Context(), b.tenant, request(t),
		catalog.Resource{Name: "Boat", Capacity: 50})
	require.NoError(t, err)
	service, err := products.CreateService(t.Context(), b.tenant, request(t),
		catalog.ServiceSpec{Name: "Day", Spec: timetable.Spec{
			Kind: timetable.KindDate, ResourceIDs: []uuid.UUID{resource.ID}, BookingWindowDays: new(3650),
		}})
	require.NoError(t, err)
	b.sold = service.ID
	return b
}

// newTenant makes a tenant in UTC.
func (b *testBundle) newTenant(t testing.TB) tenant.Tenant {
	t.Helper()
	id := uuid.Must(uuid.NewV7())
	require.NoError(t, tenanttest.Insert(t.Context(), b.store, id))
	return tenant.Tenant{ID: id, Location: time.UTC, Currency: "EUR", Scopes: tenant.AllScopes()}
}

func request(t testing.TB) idempotency.Request {
	t.Helper()
	r, err := idempotency.NewRequest([]string{uuid.NewString()}, http.MethodPost, "/", nil)
	require.NoError(t, err)
	return r
}

// create makes a customer.
func (b *testBundle) create(t testing.TB, c customer.Customer) uuid.UUID {
	t.Helper()
	made, err := b.service.Create(t.Context(), b.tenant, request(t), c)
	require.NoError(t, err)
	return made.ID
}

// book books a date.
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

// bookFor returns the customer of a booking for c.
func (b *testBundle) bookFor(t testing.TB, c customer.Customer) uuid.UUID {
	t.Helper()
	made, err := b.book(t, 3, booking.CreateRequest{Customer: &c})
	require.NoError(t, err)
	return made.Customer.ID
}

func (b *testBundle) get(t testing.TB, id uuid.UUID) customer.Details {
	t.Helper()
	c, err := b.service.Get(t.Context(), b.tenant, id)
	require.NoError(t, err)
	return c
}

// history returns a customer's history, which must have one entry a version.
func (b *testBundle) history(t testing.TB, id uuid.UUID) []change.HistoryEntry {
	t.Helper()
	entries, err := change.NewService(b.store, nil).History(t.Context(), b.tenant.ID, id, 0, 100)
	require.NoError(t, err)
	require.Len(t, entries, int(b.get(t, id).Version))
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
