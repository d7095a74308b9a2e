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
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/store"
	"holdfast/internal/store/storetest"
	"holdfast/internal/tenant"
)

// testBundle is a database with one tenant, and the use cases on it.
type testBundle struct {
	url     string
	sql     *pgxpool.Pool
	apiKey  string // of the newest tenant
	service *booking.Service
	tenants *tenant.Service
	tenant  tenant.Tenant
}

// longestWait is how long a test waits for an event on a busy machine. joinTime is how long a test gives started requests to
// reach the group or queue of their process: nothing outside of the process shows that they wait there.
const (
	longestWait = time.Minute
	joinTime    = 500 * time.Millisecond
)

func setup(t testing.TB) *testBundle {
	t.Helper()
	b := &testBundle{url: storetest.Database(t)}
	b.sql = storetest.SQL(t, b.url)
	b.service, b.tenants = b.process(t)
	b.tenant = b.newTenant(t, "Europe/Berlin")
	return b
}

// process returns the use cases as another server process would have them: with a pool, queues and caches of
// its own on the same database.
func (b *testBundle) process(t testing.TB) (*booking.Service, *tenant.Service) {
	t.Helper()
	s := storetest.Open(t, store.Config{URL: b.url, MaxConns: 8, LockTimeout: longestWait})
	gate := idempotency.NewGate(s)
	return booking.NewService(s, gate), tenant.NewService(s, gate)
}

func (b *testBundle) newTenant(t testing.TB, timeZone string) tenant.Tenant {
	t.Helper()
	var made tenant.Created
	_, err := b.tenants.Create(t.Context(), request(t, newKey()), tenant.New{
		Slug: strings.ToLower(uuid.NewString()), Name: "Test", TimeZone: timeZone, Currency: "EUR",
	}, func(c tenant.Created) (sent, stored idempotency.Response, err error) {
		made = c
		return answer(http.StatusCreated, c.Tenant.ID), answer(http.StatusCreated, c.Tenant.ID), nil
	})
	require.NoError(t, err)
	b.apiKey = made.APIKey
	return made.Tenant
}

func (b *testBundle) newResource(t testing.TB, capacity int, hours booking.Hours) uuid.UUID {
	t.Helper()
	var id uuid.UUID
	_, err := b.service.CreateResource(t.Context(), b.tenant, request(t, newKey()), booking.Resource{
		Name: "Boat", Capacity: capacity, Hours: hours,
	}, func(r booking.Resource) (idempotency.Response, error) {
		id = r.ID
		return answer(http.StatusCreated, r.ID), nil
	})
	require.NoError(t, err)
	return id
}

func (b *testBundle) newOffer(t testing.TB, o booking.Offer) uuid.UUID {
	t.Helper()
	if o.BookingWindowDays == 0 {
		o.BookingWindowDays = 3650
	}
	if o.Metadata == nil {
		o.Metadata = json.RawMessage(`{}`)
	}
	var id uuid.UUID
	_, err := b.service.CreateOffer(t.Context(), b.tenant, request(t, newKey()), o, func(o booking.Offer) (idempotency.Response, error) {
		id = o.ID
		return answer(http.StatusCreated, o.ID), nil
	})
	require.NoError(t, err)
	return id
}

// newSlotService returns an hourly service on one always-open resource.
func (b *testBundle) newSlotService(t testing.TB, capacity, interval int) uuid.UUID {
	t.Helper()
	resource := b.newResource(t, capacity, booking.Hours{})
	return b.newOffer(t, booking.Offer{
		Name: "Tour", Kind: booking.KindSlot, ResourceIDs: []uuid.UUID{resource}, DurationMinutes: 60, SlotIntervalMinutes: interval,
	})
}

// newDateService returns a date service on one always-open resource.
func (b *testBundle) newDateService(t testing.TB, capacity int) uuid.UUID {
	t.Helper()
	resource := b.newResource(t, capacity, booking.Hours{})
	return b.newOffer(t, booking.Offer{Name: "Day", Kind: booking.KindDate, ResourceIDs: []uuid.UUID{resource}})
}

func newKey() string { return uuid.NewString() }

func request(t testing.TB, key string, body ...string) idempotency.Request {
	t.Helper()
	r, err := idempotency.NewRequest([]string{key}, http.MethodPost, "/", []byte(strings.Join(body, "")))
	require.NoError(t, err)
	return r
}

func answer(status int, v any) idempotency.Response {
	body, _ := json.Marshal(v)
	return idempotency.Response{Status: status, Body: body}
}

// future is a date far enough away for every test.
func future(days int) civil.Date {
	return civil.DateOf(time.Now()).AddDays(30 + days)
}

func onDate(d civil.Date) booking.When { return booking.When{Date: &d} }

func at(text string) booking.When { return booking.When{StartsAt: &text} }

func atTime(tm time.Time) booking.When { return at(tm.Format(time.RFC3339)) }

func newBooking(service uuid.UUID, when booking.When) booking.New {
	return booking.New{
		ServiceID: service, When: when, PartySize: 1, Metadata: json.RawMessage(`{}`),
		Customer: &booking.Customer{Email: uuid.NewString()[:8] + "@example.com", Name: "Ada"},
	}
}

// create books and returns the booking; it is zero for a replay.
func create(t testing.TB, s *booking.Service, tn tenant.Tenant, key string, n booking.New) (booking.Booking, idempotency.Response, error) {
	t.Helper()
	var made booking.Booking
	resp, err := s.Create(t.Context(), tn, request(t, key), n, func(b booking.Booking) (idempotency.Response, error) {
		made = b
		return answer(http.StatusCreated, b.ID), nil
	})
	return made, resp, err
}

func change(t testing.TB, s *booking.Service, tn tenant.Tenant, id uuid.UUID, c booking.Change) (booking.Booking, error) {
	t.Helper()
	var changed booking.Booking
	_, err := s.Change(t.Context(), tn, request(t, newKey()), id, c, func(int64) error { return nil },
		func(b booking.Booking) (idempotency.Response, error) {
			changed = b
			return answer(http.StatusOK, b.ID), nil
		})
	return changed, err
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
// constraint.
func (b *testBundle) requireNoOverlap(t testing.TB) {
	t.Helper()
	require.Zero(t, b.overlaps(t), "units that are sold twice")
}

func (b *testBundle) overlaps(t testing.TB) int {
	t.Helper()
	var n int
	require.NoError(t, b.sql.QueryRow(t.Context(), `
		SELECT count(*) FROM bookings a JOIN bookings b
		  ON a.tenant_id = b.tenant_id AND a.resource_id = b.resource_id AND a.booking_id < b.booking_id
		 AND a.units && b.units AND a.during && b.during
		WHERE a.status IN ('held', 'confirmed') AND b.status IN ('held', 'confirmed')`).Scan(&n))
	return n
}

func (b *testBundle) count(t testing.TB, query string, args ...any) int {
	t.Helper()
	var n int
	require.NoError(t, b.sql.QueryRow(t.Context(), query, args...).Scan(&n))
	return n
}
