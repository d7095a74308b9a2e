// Package failover_test books on a primary with a synchronous standby, which is frozen, killed and promoted.
package failover_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/customer"
	"holdfast/internal/db"
	"holdfast/internal/db/preflight"
	"holdfast/internal/httpapi/answers"
	"holdfast/internal/idempotency"
	"holdfast/internal/postgres/pgtest"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
	"holdfast/internal/testtime"
	"holdfast/internal/timetable"
)

const (
	// longestWait is how long a test waits for an event on a busy machine.
	longestWait = time.Minute
	poll        = 5 * time.Millisecond
)

// testBundle is a primary with a synchronous standby, and a tenant with a service that sells dates.
type testBundle struct {
	replicas *pgtest.Replicas
	tenant   tenant.Tenant
	service  uuid.UUID
	process  *process
}

// process is what one server process has.
type process struct {
	store    *db.DB
	guard    *idempotency.Guard
	bookings *booking.Service
	catalog  *catalog.Service
	tenants  *tenant.Service
}

func newProcess(t testing.TB, cfg db.Config) *process {
	t.Helper()
	cfg.Answers = answers.Answers{}
	s, err := db.Open(t.Context(), cfg)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return &process{s, idempotency.NewGuard(s), booking.NewService(s), catalog.NewService(s), tenant.NewService(s)}
}

// setup makes the servers and the tenant. Processes wait for a COMMIT as long as cfg says.
func setup(t testing.TB, cfg db.Config) *testBundle {
	t.Helper()
	b := &testBundle{replicas: pgtest.SynchronousReplicas(t)}
	cfg.URL = b.replicas.URL()
	require.NoError(t, preflight.Migrate(t.Context(), b.replicas.Primary.URL, nil))
	b.process = newProcess(t, cfg)
	resp, err := b.process.tenants.Create(t.Context(), request(t, uuid.NewString()), tenant.CreateRequest{
		Slug: strings.ToLower(uuid.NewString()), Name: "Test", TimeZone: "Europe/Berlin", Currency: "EUR",
	})
	require.NoError(t, err)
	var made tenant.TenantBody
	require.NoError(t, json.Unmarshal(resp.Body, &made))
	b.tenant, err = b.process.tenants.Authenticate(t.Context(), made.APIKey)
	require.NoError(t, err)
	resp, err = b.process.catalog.CreateResource(t.Context(), b.tenant, request(t, uuid.NewString()),
		catalog.Resource{Name: "Boat", Capacity: 1000})
	require.NoError(t, err)
	var resource catalog.ResourceBody
	require.NoError(t, json.Unmarshal(resp.Body, &resource))
	resp, err = b.process.catalog.CreateService(t.Context(), b.tenant, request(t, uuid.NewString()),
		catalog.ServiceSpec{
			Name: "Day", Spec: timetable.Spec{Kind: timetable.KindDate, ResourceIDs: []uuid.UUID{resource.ID},
				BookingWindowDays: new(3650)},
			Metadata: catalog.Metadata(`{}`),
		})
	require.NoError(t, err)
	var service catalog.ServiceBody
	require.NoError(t, json.Unmarshal(resp.Body, &service))
	b.service = service.ID
	return b
}

func request(t testing.TB, key string) idempotency.Request {
	t.Helper()
	r, err := idempotency.NewRequest([]string{key}, http.MethodPost, "/", nil)
	require.NoError(t, err)
	return r
}

// create books a day under a key.
func (b *testBundle) create(ctx context.Context, t testing.TB, p *process, key string, day int,
) (idempotency.Outcome, error) {
	t.Helper()
	permit, stored, err := p.guard.Begin(ctx, b.tenant.ID, request(t, key))
	if permit == nil {
		return stored, err
	}
	defer permit.End()
	date := testtime.Date(day)
	resp, err := p.bookings.Create(ctx, b.tenant, permit.Request, booking.CreateRequest{
		ServiceID: b.service, When: timetable.When{Date: &date}, PartySize: 1,
		Customer: &customer.Customer{Email: key + "@example.com", Name: "Ada"},
	})
	return permit.Outcome(ctx, resp, err)
}

// createInBackground books a day, and returns the channel of the result.
func (b *testBundle) createInBackground(t testing.TB, p *process, key string, day int) <-chan result {
	t.Helper()
	done := make(chan result, 1)
	go func() {
		resp, err := b.create(t.Context(), t, p, key, day)
		done <- result{resp, err}
	}()
	return done
}

type result struct {
	resp idempotency.Outcome
	err  error
}

// bookingIn returns the id of the booking that a response shows.
func bookingIn(t testing.TB, resp idempotency.Outcome) uuid.UUID {
	t.Helper()
	var body booking.BookingBody
	require.NoError(t, json.Unmarshal(resp.Body, &body))
	return body.ID
}

// query asks the primary as its superuser.
func query[T any](t testing.TB, b *testBundle, sql string, args ...any) (value T) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), b.replicas.Primary.URL)
	require.NoError(t, err)
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	require.NoError(t, conn.QueryRow(t.Context(), sql, args...).Scan(&value), sql)
	return value
}

// waitForCommits returns when n sessions wait in COMMIT for the standby, each for at least since.
func (b *testBundle) waitForCommits(t testing.TB, n int, since time.Duration) {
	t.Helper()
	require.Eventually(t, func() bool {
		return query[int](t, b, `SELECT count(*) FROM pg_stat_activity
			WHERE wait_event = 'SyncRep' AND clock_timestamp() - query_start >= make_interval(secs => $1)`, since.Seconds()) == n
	}, longestWait, poll)
}

// cancelCommits ends the waits of the sessions in COMMIT, as a person or another client would, and returns when none
// waits any more.
func (b *testBundle) cancelCommits(t testing.TB) {
	t.Helper()
	require.NotZero(t, query[int](t, b,
		`SELECT count(*) FILTER (WHERE pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`))
}

func requireCode(t testing.TB, err error, codes ...problem.Code) {
	t.Helper()
	require.Error(t, err)
	require.Contains(t, codes, problem.CodeOf(err), "%v", err)
}
