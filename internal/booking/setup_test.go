package booking_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/customer"
	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
	"holdfast/internal/testtime"
	"holdfast/internal/timetable"
)

// testBundle is a database with one tenant, and the use cases on it.
type testBundle struct {
	url     string
	sql     *pgxpool.Pool
	apiKey  string // of the newest tenant
	service *booking.Service
	catalog *catalog.Service
	tenants *tenant.Service
	tenant  tenant.Tenant
	metrics *prometheus.Registry // of service
}

// longestWait is how long a test waits for an event on a busy machine.
const longestWait = time.Minute

// requireJoined returns when n requests of a process share transactions or wait to share one, by the process's metrics.
func requireJoined(t testing.TB, metrics prometheus.Gatherer, n int) {
	t.Helper()
	require.Eventually(t, func() bool {
		families, err := metrics.Gather()
		require.NoError(t, err)
		for _, f := range families {
			if f.GetName() == "holdfast_group_requests" {
				return int(f.GetMetric()[0].GetGauge().GetValue()) == n
			}
		}
		return false
	}, longestWait, time.Millisecond)
}

func setup(t testing.TB) *testBundle {
	t.Helper()
	b := &testBundle{url: dbtest.Database(t), metrics: prometheus.NewRegistry()}
	b.sql = dbtest.SQL(t, b.url)
	s := dbtest.Open(t, db.Config{URL: b.url, MaxConns: 8, LockTimeout: longestWait, Metrics: b.metrics})
	b.service, b.catalog, b.tenants = booking.NewService(s), catalog.NewService(s), tenant.NewService(s)
	b.tenant = b.newTenant(t, "Europe/Berlin")
	return b
}

// process returns the use cases as another server process would have them: with a pool, queues and caches of
// its own on the same database.
func (b *testBundle) process(t testing.TB) (*booking.Service, *tenant.Service) {
	t.Helper()
	s := dbtest.Open(t, db.Config{URL: b.url, MaxConns: 8, LockTimeout: longestWait})
	return booking.NewService(s), tenant.NewService(s)
}

func (b *testBundle) newTenant(t testing.TB, timeZone string) tenant.Tenant {
	t.Helper()
	resp, err := b.tenants.Create(t.Context(), request(t, newKey()), tenant.CreateRequest{
		Slug: strings.ToLower(uuid.NewString()), Name: "Test", TimeZone: timeZone, Currency: "EUR",
	})
	require.NoError(t, err)
	var made tenant.TenantBody
	require.NoError(t, json.Unmarshal(resp.Body, &made))
	b.apiKey = made.APIKey
	tn, err := b.tenants.Authenticate(t.Context(), made.APIKey)
	require.NoError(t, err)
	return tn
}

func (b *testBundle) newResource(t testing.TB, capacity int, hours timetable.Hours) uuid.UUID {
	t.Helper()
	resp, err := b.catalog.CreateResource(t.Context(), b.tenant, request(t, newKey()), catalog.Resource{
		Name: "Boat", Capacity: capacity, Hours: hours,
	})
	require.NoError(t, err)
	var made catalog.ResourceBody
	require.NoError(t, json.Unmarshal(resp.Body, &made))
	return made.ID
}

func (b *testBundle) newService(t testing.TB, o catalog.ServiceSpec) uuid.UUID {
	t.Helper()
	if o.BookingWindowDays == nil {
		o.BookingWindowDays = new(3650)
	}
	resp, err := b.catalog.CreateService(t.Context(), b.tenant, request(t, newKey()), o)
	require.NoError(t, err)
	var made catalog.ServiceBody
	require.NoError(t, json.Unmarshal(resp.Body, &made))
	return made.ID
}

// newSlotService returns an hourly service on one always-open resource.
func (b *testBundle) newSlotService(t testing.TB, capacity, interval int) uuid.UUID {
	t.Helper()
	resource := b.newResource(t, capacity, timetable.Hours{})
	return b.newService(t, catalog.ServiceSpec{
		Name: "Tour", Spec: timetable.Spec{
			Kind: timetable.KindSlot, ResourceIDs: []uuid.UUID{resource}, DurationMinutes: 60,
			SlotIntervalMinutes: interval,
		},
	})
}

// newPanickingService returns a service on one resource, and another resource of it for which a booking panics under
// the lock: its capacity is negative.
func (b *testBundle) newPanickingService(t testing.TB, o catalog.ServiceSpec) (service, panics uuid.UUID) {
	t.Helper()
	o.ResourceIDs = []uuid.UUID{b.newResource(t, 1, timetable.Hours{}), b.newResource(t, 1, timetable.Hours{})}
	service = b.newService(t, o)
	dbtest.Alter(t, b.url, "ALTER TABLE resources DROP CONSTRAINT resources_capacity_check")
	_, err := b.sql.Exec(t.Context(), "UPDATE resources SET capacity = -5 WHERE resource_id = $1", o.ResourceIDs[1])
	require.NoError(t, err)
	return service, o.ResourceIDs[1]
}

// newDateService returns a date service on one always-open resource.
func (b *testBundle) newDateService(t testing.TB, capacity int) uuid.UUID {
	t.Helper()
	resource := b.newResource(t, capacity, timetable.Hours{})
	return b.newService(
		t,
		catalog.ServiceSpec{Name: "Day",
			Spec: timetable.Spec{Kind: timetable.KindDate, ResourceIDs: []uuid.UUID{resource}}},
	)
}

func newKey() string { return uuid.NewString() }

func request(t testing.TB, key string, body ...string) idempotency.Request {
	t.Helper()
	r, err := idempotency.NewRequest([]string{key}, http.MethodPost, "/", []byte(strings.Join(body, "")))
	require.NoError(t, err)
	return r
}

// future is a date to come; see testtime.Date.
func future(days int) civil.Date {
	return testtime.Date(days)
}

func onDate(d civil.Date) timetable.When { return timetable.When{Date: &d} }

func at(text string) timetable.When { return timetable.When{StartsAt: &text} }

func atTime(tm time.Time) timetable.When { return at(tm.Format(time.RFC3339)) }

func newBooking(service uuid.UUID, when timetable.When) booking.CreateRequest {
	return booking.CreateRequest{
		ServiceID: service, When: when,
		Customer: &customer.Customer{Email: uuid.NewString()[:8] + "@example.com", Name: "Ada"},
	}
}

// create books and returns the booking; it is zero for a replay.
func create(t testing.TB, s *booking.Service, tn tenant.Tenant, key string, n booking.CreateRequest) (booking.Booking,
	idempotency.Outcome, error) {
	t.Helper()
	resp, err := s.Create(t.Context(), tn, request(t, key), n)
	if err != nil || resp.Replayed {
		return booking.Booking{}, resp, err
	}
	return bookingIn(t, resp), resp, nil
}

// bookingIn returns the booking that a response shows.
func bookingIn(t testing.TB, resp idempotency.Outcome) booking.Booking {
	t.Helper()
	var body booking.BookingBody
	require.NoError(t, json.Unmarshal(resp.Body, &body))
	c := customer.CustomerBody{}
	if body.Customer != nil {
		c = *body.Customer
	}
	made := booking.Booking{
		ID:            body.ID,
		ServiceID:     body.ServiceID,
		ResourceID:    body.ResourceID,
		Status:        body.Status,
		StartsAt:      body.StartsAt,
		EndsAt:        body.EndsAt,
		Customer:      customer.Customer{ID: c.ID, Email: c.Email, Name: c.Name, Phone: c.Phone, TimeZone: c.TimeZone},
		PartySize:     body.PartySize,
		HoldExpiresAt: body.HoldExpiresAt,
		Balance:       booking.Balance{Paid: body.Paid},
		Due:           body.Due,
		Version:       body.Version,
	}
	var err error
	made.Date, err = civil.ParseDate(body.Date)
	require.NoError(t, err)
	if c.Birthday != nil {
		birthday, err := civil.ParseDate(*c.Birthday)
		require.NoError(t, err)
		made.Customer.Birthday = &birthday
	}
	return made
}

func change(t testing.TB, s *booking.Service, tn tenant.Tenant, id uuid.UUID, c booking.Transition,
) (booking.Booking, error) {
	t.Helper()
	resp, err := s.Transition(t.Context(), tn, request(t, newKey()), id, c, "")
	if err != nil {
		return booking.Booking{}, err
	}
	return bookingIn(t, resp), nil
}

// race runs n functions at once and returns the codes of their errors with how often each came; success is "".
func race(n int, run func(i int) error) map[problem.Code]int {
	start := make(chan struct{})
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			<-start
			errs[i] = run(i)
		})
	}
	close(start)
	wg.Wait()
	codes := make(map[problem.Code]int)
	for _, err := range errs {
		code := problem.Code("")
		if err != nil {
			code = problem.CodeOf(err)
		}
		codes[code]++
	}
	return codes
}

// requireNoOverlap checks the tables for a unit that is sold twice, without relying on the exclusion
// constraint, and that each booking has its claim.
func (b *testBundle) requireNoOverlap(t testing.TB) {
	t.Helper()
	require.Zero(t, b.overlaps(t), "units that are sold twice")
	require.Zero(t, b.count(t, dbtest.WrongClaims), "bookings with other claims than they should have")
}

// syncClaims gives bookings the claims that their rows ask for, after a test changed these.
func (b *testBundle) syncClaims(t testing.TB) {
	t.Helper()
	for _, statement := range []string{dbtest.SyncClaims, dbtest.SyncSessions} {
		_, err := b.sql.Exec(t.Context(), statement)
		require.NoError(t, err)
	}
}

func (b *testBundle) overlaps(t testing.TB) int {
	t.Helper()
	var n int
	require.NoError(t, b.sql.QueryRow(t.Context(), dbtest.Overlaps).Scan(&n))
	return n
}

func (b *testBundle) count(t testing.TB, query string, args ...any) int {
	t.Helper()
	var n int
	require.NoError(t, b.sql.QueryRow(t.Context(), query, args...).Scan(&n))
	return n
}

// one returns a list of an id, nil without one.
func one(id *uuid.UUID) []uuid.UUID {
	if id == nil {
		return nil
	}
	return []uuid.UUID{*id}
}
