package httpapi_test

import (
	"context"
	"math"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"holdfast/internal/app/apptest"
	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/db/preflight"
	"holdfast/internal/httpapi/admission"
	"holdfast/internal/postgres/pgtest"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
)

// standbyBundle is a server whose database has a standby, and a tenant with a service that sells dates of one boat.
type standbyBundle struct {
	client

	replicas *pgtest.Replicas
	resource uuid.UUID
	service  uuid.UUID
	bookings string // path of the list of the tenant's bookings

	mu      sync.Mutex
	asked   []string                     // statements that the standby got, without polls
	before  atomic.Pointer[func(string)] // called with each statement that the standby is about to run
	rewrite atomic.Pointer[func(string) string]
}

// TestStandby has one primary with a standby: to start two PostgreSQL servers takes long. Each part has a server and a
// tenant of its own.
func TestStandby(t *testing.T) {
	t.Parallel()
	replicas := pgtest.SynchronousReplicas(t)
	require.NoError(t, preflight.Migrate(t.Context(), replicas.Primary.URL, nil))
	for _, part := range []struct {
		name    string
		run     func(*standbyBundle, *testing.T)
		timeout time.Duration // of the standby
	}{
		{"routes that may be stale are served by it, on request only", (*standbyBundle).servesOnRequestOnly,
			time.Minute},
		{"the preference is read as RFC 7240 says", (*standbyBundle).readsPreference, time.Minute},
		{"ETags of availability stay true, and caches are told", (*standbyBundle).keepsETags, time.Minute},
		{"replay is paused: an answer is never staler than allowed", (*standbyBundle).keepsTheBound, time.Minute},
		{"the catalog changes while replay is paused: rules are those of the primary", (*standbyBundle).keepsRules,
			time.Minute},
		{"a read fails there: the primary serves it", (*standbyBundle).survivesErrors, time.Minute},
		{"a read is in the way of replay: the primary serves it", (*standbyBundle).survivesConflicts, time.Minute},
		{"the connection breaks there: the primary serves the read", (*standbyBundle).survivesLostConnections,
			time.Minute},
		{"it does not answer in time: the primary serves the read", (*standbyBundle).survivesSilence,
			300 * time.Millisecond},
		{"a tenant has not arrived there: the primary serves it", (*standbyBundle).looksForTheTenant, time.Minute},
		{"a tenant leaves during a read: it shows all of the tenant", (*standbyBundle).keepsTheFence, time.Minute},
		{"it is killed, comes back, and is promoted: the primary serves", (*standbyBundle).survivesFailover,
			time.Minute},
	} {
		t.Run(part.name, func(t *testing.T) { part.run(newStandby(t, replicas, part.timeout), t) })
	}
}

// newStandby serves the API on a primary with a standby until the test ends.
func newStandby(t *testing.T, replicas *pgtest.Replicas, timeout time.Duration) *standbyBundle {
	t.Helper()
	b := &standbyBundle{replicas: replicas}
	t.Cleanup(func() {
		b.onStandby(t, "DO $$ BEGIN IF pg_is_in_recovery() THEN PERFORM pg_wal_replay_resume(); END IF; END $$")
	})
	proxy := dbtest.NewProxy(t, b.replicas.Standby.URL, func(p *dbtest.Proxy) {
		p.Before = func(sql string) {
			if !strings.Contains(sql, "StandbyPosition") && !strings.Contains(sql, "PreflightFacts") {
				b.mu.Lock()
				b.asked = append(b.asked, sql)
				b.mu.Unlock()
			}
			if before := b.before.Load(); before != nil {
				(*before)(sql)
			}
		}
		p.Rewrite = func(sql string) string {
			if rewrite := b.rewrite.Load(); rewrite != nil {
				return (*rewrite)(sql)
			}
			return sql
		}
	})
	primary := b.replicas.Primary.URL
	server := serveAPI(t, apptest.Options{Database: primary, Connect: func(c *db.Config) {
		// a statement is sent each time
		c.StandbyURL, c.StandbyTimeout = proxy.URL+"&default_query_exec_mode=cache_describe", timeout
	}}, admission.Limits{})
	b.client = server.newTenant(t, "Europe/Berlin")
	b.resource = b.newResource(t, 1)
	b.service = b.newService(t, "date", nil, b.resource)
	b.bookings = "/v1/bookings?from=" + future(0).String() + "&to=" + future(60).String()
	return b
}

// askedOnStandby returns the statements that the standby got since the last call.
func (b *standbyBundle) askedOnStandby() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	asked := b.asked
	b.asked = nil
	return asked
}

// staleness returns how stale the server takes its standby for, in seconds.
func (b *standbyBundle) staleness(t *testing.T) float64 {
	t.Helper()
	return b.metrics(t)["holdfast_standby_staleness_seconds"]
}

// isFromStandby reports whether an answer says that the standby served it.
func isFromStandby(a answer) bool {
	return strings.Contains(strings.Join(a.header.Values("Preference-Applied"), ","), "stale=")
}

// awaitStandby returns the first answer that the standby serves.
func (b *standbyBundle) awaitStandby(t *testing.T, path string, headers ...string) (a answer) {
	t.Helper()
	require.Eventually(t, func() bool {
		a = b.get(t, path, append([]string{"Prefer", "stale=3600"}, headers...)...)
		return isFromStandby(a)
	}, soon, time.Millisecond, "the standby isn't used")
	return a
}

// book books a date, and returns the booking's id.
func (b *standbyBundle) book(t *testing.T, day int) string {
	t.Helper()
	a := b.post(t, "/v1/bookings", bookingOf(b.service, future(day)))
	b.created(t, a)
	return a.id(t).String()
}

// onStandby runs a statement on the standby itself.
func (b *standbyBundle) onStandby(t *testing.T, sql string) {
	t.Helper()
	runOn(t, b.replicas.Standby.URL, sql)
}

// runOn runs statements on a database as its superuser. It may be called on any goroutine.
func runOn(t *testing.T, url string, statements ...string) {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), url)
	if err != nil {
		t.Errorf("connect: %v", err)
		return
	}
	defer func() { _ = conn.Close(context.Background()) }()
	for _, sql := range statements {
		if _, err := conn.Exec(context.Background(), sql); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

func (b *standbyBundle) servesOnRequestOnly(t *testing.T) {
	t.Helper()
	booking := b.book(t, 0)
	dates := "from=" + future(0).String() + "&to=" + future(7).String()
	stale := []string{
		b.bookings,
		"/v1/availability?service_ids=" + b.service.String() + "&" + dates,
		"/v1/availability?resource_id=" + b.resource.String() + "&" + dates,
		"/v1/blocks", "/v1/bookings/" + booking + "/payments", "/v1/closures", "/v1/customers",
		"/v1/customers?email=ada@example.com",
		"/v1/customers?q=Ada", "/v1/payments", "/v1/payments.csv", "/v1/resources", "/v1/resources?name=Boat",
		"/v1/resources?order=position", "/v1/services", "/v1/services?name=Tour",
		"/v1/services/" + b.service.String() + "/availability?" + dates,
	}
	never := []string{
		"/v1/bookings/" + booking, "/v1/bookings/" + booking + "/balance", "/v1/events", "/v1/scheduled-events",
		"/v1/tenant",
		"/v1/wallets", "/v1/webhook-endpoints", "/v1/services/" + b.service.String(),
		"/v1/services/" + b.service.String() + "/conflicts",
	}
	b.awaitStandby(t, b.bookings)
	b.askedOnStandby()
	for _, path := range stale {
		fresh := b.get(t, path)
		require.Equal(t, http.StatusOK, fresh.status, "%s: %s", path, fresh.body)
		require.False(t, isFromStandby(fresh), path)
		require.Empty(t, b.askedOnStandby(), "%s reads from the standby without being asked to", path)

		a := b.awaitStandby(t, path)
		require.Equal(t, []string{"stale=3600"}, a.header.Values("Preference-Applied"), path)
		require.Equal(t, fresh.body, a.body, path)
		require.Equal(t, fresh.header.Get("ETag"), a.header.Get("ETag"), path)
		require.NotEmpty(t, b.askedOnStandby(), path)
	}
	for _, path := range never {
		a := b.get(t, path, "Prefer", "stale=3600")
		require.Equal(t, http.StatusOK, a.status, "%s: %s", path, a.body)
		require.False(t, isFromStandby(a), path)
	}
	later := b.post(t, "/v1/bookings", bookingOf(b.service, future(1)), "Prefer", "stale=3600")
	b.created(t, later)
	require.False(t, isFromStandby(later))
	require.Empty(t, b.askedOnStandby(), "these routes never read from the standby")
}

func (b *standbyBundle) readsPreference(t *testing.T) {
	t.Helper()
	b.awaitStandby(t, b.bookings)
	for sent, applied := range map[string][]string{
		"stale=60, stale=0": {"stale=60"}, "respond-async, Stale = \"60\"; x=y": {"stale=60"},
		"wait=50, stale=60": {"wait=50", "stale=60"},
	} {
		var a answer
		require.Eventually(t, func() bool {
			a = b.get(t, b.bookings, "Prefer", sent)
			return isFromStandby(a)
		}, soon, time.Millisecond, sent)
		require.Equal(t, applied, a.header.Values("Preference-Applied"), sent)
	}
	b.awaitStandby(t, b.bookings)
	b.askedOnStandby()
	for _, sent := range []string{
		"stale", "stale=0", "stale=-5", "stale=1.5", "stale=5s", "stale=3601", "stale=x, stale=5", `foo="stale=5"`,
	} {
		a := b.get(t, b.bookings, "Prefer", sent)
		require.Equal(t, http.StatusOK, a.status, sent)
		require.Empty(t, a.header.Values("Preference-Applied"), sent)
	}
	require.Empty(t, b.askedOnStandby())
}

func (b *standbyBundle) keepsETags(t *testing.T) {
	t.Helper()
	path := "/v1/services/" + b.service.String() + "/availability?from=" + future(0).String() + "&to=" +
		future(7).String()
	fresh := b.get(t, path)
	require.Contains(t, fresh.header.Values("Vary"), "Prefer")
	a := b.awaitStandby(t, path, "If-None-Match", fresh.header.Get("ETag"))
	require.Equal(t, http.StatusNotModified, a.status)
	require.Contains(t, a.header.Values("Vary"), "Prefer")

	b.onStandby(t, "SELECT pg_wal_replay_pause()")
	b.book(t, 0)
	old := b.awaitStandby(t, path, "If-None-Match", fresh.header.Get("ETag"))
	require.Equal(t, http.StatusNotModified, old.status, "it shows what the client has")
	now := b.get(t, path, "If-None-Match", fresh.header.Get("ETag"))
	require.Equal(t, http.StatusOK, now.status)
	require.NotEqual(t, fresh.header.Get("ETag"), now.header.Get("ETag"))
}

func (b *standbyBundle) keepsTheBound(t *testing.T) {
	t.Helper()
	b.awaitStandby(t, b.bookings)
	b.onStandby(t, "SELECT pg_wal_replay_pause()")
	booking := b.book(t, 0)
	committed := testtime.Now()

	old := b.awaitStandby(t, b.bookings)
	require.NotContains(t, old.body, booking, "the standby shows what it has replayed")
	const within = time.Second
	require.Eventually(t, func() bool {
		began := testtime.Now()
		a := b.get(t, b.bookings, "Prefer", "stale=1")
		require.Equal(t, http.StatusOK, a.status)
		if isFromStandby(a) {
			require.NotContains(t, a.body, booking)
			require.LessOrEqual(t, began.Sub(committed), within, "the standby served what is too old")
			return false
		}
		require.Contains(t, a.body, booking, "the primary has the newest booking")
		return true
	}, soon, time.Millisecond)
	require.False(t, isFromStandby(b.get(t, b.bookings, "Prefer", "stale=1")), "it stays behind")
	require.True(t, isFromStandby(b.awaitStandby(t, b.bookings)), "whoever allows more still gets it")
	require.Eventually(t, func() bool { return b.staleness(t) > within.Seconds() }, soon, time.Millisecond)

	b.onStandby(t, "SELECT pg_wal_replay_resume()")
	require.Eventually(t, func() bool {
		a := b.get(t, b.bookings, "Prefer", "stale=2")
		require.True(t, strings.Contains(a.body, booking) || isFromStandby(a))
		return isFromStandby(a) && strings.Contains(a.body, booking)
	}, soon, time.Millisecond, "it is used again")
	metrics := b.metrics(t)
	require.Positive(t, metrics[`holdfast_standby_reads_total{served_by="standby"}`])
	require.Positive(t, metrics[`holdfast_standby_reads_total{served_by="primary"}`])
}

// What was cached from a standby would be used for bookings.
func (b *standbyBundle) keepsRules(t *testing.T) {
	t.Helper()
	path := "/v1/services/" + b.service.String() + "/availability?from=" + future(0).String() + "&to=" +
		future(0).String()
	b.awaitStandby(t, path)
	b.onStandby(t, "SELECT pg_wal_replay_pause()")
	b.created(t, b.post(t, "/v1/closures", object{"from": future(0), "to": future(0)}))
	require.NotContains(t, b.awaitStandby(t, path).body, `"reason":"closed"`,
		"as of before the closure, by the rules of then")
	for range 3 {
		require.Contains(t, b.get(t, path).body, `"reason":"closed"`)
		a := b.get(t, path, "Prefer", "stale=3600")
		require.Contains(t, a.body, `"reason":"closed"`, "the closure is in force")
		require.False(t, isFromStandby(a), "the standby doesn't have the catalog of the rules")
		b.refused(t, unprocessable, problem.OutsideOpeningHours, b.service, future(0))
	}
	b.onStandby(t, "SELECT pg_wal_replay_resume()")
	require.Contains(t, b.awaitStandby(t, path).body, `"reason":"closed"`)
}

func (b *standbyBundle) survivesErrors(t *testing.T) {
	t.Helper()
	b.awaitStandby(t, b.bookings)
	booking := b.book(t, 0)
	b.rewrite.Store(new(func(sql string) string { return strings.ReplaceAll(sql, "FROM bookings ", "FROM gone ") }))
	b.requireFailsThere(t, booking)
	b.rewrite.Store(nil)
	b.awaitStandby(t, b.bookings)
}

func (b *standbyBundle) survivesConflicts(t *testing.T) {
	t.Helper()
	b.onStandby(t, "ALTER SYSTEM SET max_standby_streaming_delay = 0")
	b.onStandby(t, "SELECT pg_reload_conf()")
	b.awaitStandby(t, b.bookings)
	booking := b.book(t, 0)
	var cancelled atomic.Bool
	b.duringARead(func() {
		runOn(t, b.replicas.Primary.URL, "CREATE TABLE dead AS SELECT 1 AS x", "DELETE FROM dead", "VACUUM dead")
		cancelled.Store(becomes(b.replicas.Standby.URL, reading, 0))
	})
	b.requireFailsThere(t, booking)
	require.Eventually(t, cancelled.Load, soon, time.Millisecond, "replay didn't cancel the read")
	b.onStandby(t, "ALTER SYSTEM RESET max_standby_streaming_delay")
	b.onStandby(t, "SELECT pg_reload_conf()")
	b.before.Store(nil)
	b.awaitStandby(t, b.bookings)
}

func (b *standbyBundle) survivesLostConnections(t *testing.T) {
	t.Helper()
	b.awaitStandby(t, b.bookings)
	booking := b.book(t, 0)
	b.duringARead(func() {
		b.onStandby(t, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_xmin IS NOT NULL AND pid <> pg_backend_pid()")
	})
	b.requireFailsThere(t, booking)
	b.before.Store(nil)
	b.awaitStandby(t, b.bookings)
}

func (b *standbyBundle) survivesSilence(t *testing.T) {
	t.Helper()
	answered := make(chan struct{})
	booking := b.book(t, 0)
	b.awaitStandby(t, b.bookings)
	b.duringARead(func() { <-answered })
	defer close(answered)
	b.requireFailsThere(t, booking)
}

// requireFailsThere reads until the standby was tried, and requires that the primary served each read, with a booking.
func (b *standbyBundle) requireFailsThere(t *testing.T, booking string) {
	t.Helper()
	b.askedOnStandby()
	require.Eventually(t, func() bool {
		a := b.get(t, b.bookings, "Prefer", "stale=3600")
		require.Equal(t, http.StatusOK, a.status, a.body)
		require.Contains(t, a.body, booking)
		require.False(t, isFromStandby(a))
		return len(b.askedOnStandby()) > 0
	}, soon, time.Millisecond, "the standby was never tried")
}

// reading counts the reads of bookings on the standby that have their snapshot and wait for their next statement.
const reading = `SELECT count(*) FROM pg_stat_activity
	WHERE backend_xmin IS NOT NULL AND query LIKE '-- name: BookingList %' AND pid <> pg_backend_pid()`

// duringARead has the first read of bookings on the standby wait, between its snapshot and the list, until work
// returns.
func (b *standbyBundle) duringARead(work func()) {
	var once sync.Once
	b.before.Store(new(func(sql string) {
		if strings.Contains(sql, "-- name: BookingList ") {
			once.Do(func() {
				if becomes(b.replicas.Standby.URL, reading, 1) {
					work()
				}
			})
		}
	}))
}

func (b *standbyBundle) survivesFailover(t *testing.T) {
	t.Helper()
	booking := b.book(t, 0)
	require.Contains(t, b.awaitStandby(t, b.bookings).body, booking)
	require.NoError(t, b.replicas.Forget(t.Context())) // commits wait for it no longer

	b.replicas.Standby.Kill()
	second := b.book(t, 1)
	a := b.get(t, b.bookings, "Prefer", "stale=3600")
	require.Equal(t, http.StatusOK, a.status)
	require.False(t, isFromStandby(a))
	require.Contains(t, a.body, second)
	require.Eventually(t, func() bool { return math.IsInf(b.staleness(t), 1) }, soon, time.Millisecond)
	require.Equal(t, http.StatusOK, b.get(t, "/readyz").status)

	require.NoError(t, b.replicas.Standby.Start(t.Context()))
	require.Eventually(t, func() bool { return strings.Contains(b.awaitStandby(t, b.bookings).body, second) }, soon,
		time.Millisecond,
		"it is used when it is back")

	b.onStandby(t, "SELECT pg_promote(true)")
	third := b.book(t, 2)
	a = b.get(t, b.bookings, "Prefer", "stale=3600")
	require.False(t, isFromStandby(a), "no poll has noticed the promotion yet, but the read has")
	require.Contains(t, a.body, third)
	require.Eventually(t, func() bool { return math.IsInf(b.staleness(t), 1) }, soon, time.Millisecond)
	require.False(t, isFromStandby(b.get(t, b.bookings, "Prefer", "stale=3600")))
}

func (b *standbyBundle) looksForTheTenant(t *testing.T) {
	t.Helper()
	b.awaitStandby(t, b.bookings)
	b.onStandby(t, "SELECT pg_wal_replay_pause()")
	arrived := b.newTenant(t, "Europe/Berlin")
	arrived.newResource(t, 1)
	b.askedOnStandby()
	require.Eventually(t, func() bool {
		a := arrived.get(t, "/v1/resources", "Prefer", "stale=3600")
		require.False(t, isFromStandby(a))
		require.Contains(t, a.body, `"id"`, "the list isn't empty")
		return len(b.askedOnStandby()) > 0
	}, soon, time.Millisecond, "the standby was never tried")
}

// A move waits for the transactions of the primary that may not have seen the fence. It doesn't know those of a
// standby.
func (b *standbyBundle) keepsTheFence(t *testing.T) {
	t.Helper()
	booking := b.book(t, 0)
	require.Contains(t, b.awaitStandby(t, b.bookings).body, booking)
	left := false
	b.duringARead(func() {
		runOn(t, b.replicas.Primary.URL, `INSERT INTO tenant_moves (tenant_id, move_id, to_cell, state, started_at, frozen_at, finished_at)
			SELECT tenant_id, gen_random_uuid(), 'eu2', 'moved', now(), now(), now() FROM bookings WHERE booking_id = '`+booking+`'`,
			"DELETE FROM claims WHERE owner_id = '"+booking+"'",
			"DELETE FROM bookings WHERE booking_id = '"+booking+"'")
		left = becomes(b.replicas.Standby.URL, "SELECT count(*) FROM bookings WHERE booking_id = '"+booking+"'", 0)
	})
	a := b.get(t, b.bookings, "Prefer", "stale=3600")
	require.True(t, left, "the tenant left during the read")
	require.Equal(t, http.StatusOK, a.status, a.body)
	require.True(t, isFromStandby(a))
	require.Contains(t, a.body, booking, "the read is as of one moment, before the tenant left")

	a = b.get(t, b.bookings, "Prefer", "stale=3600")
	require.Equal(t, http.StatusServiceUnavailable, a.status)
	require.Contains(t, a.body, problem.TenantMoved)
}

// becomes waits until a query of a number has an answer, and reports whether it had in time.
func becomes(url, query string, want int) bool {
	ctx, cancel := context.WithTimeout(context.Background(), soon)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return false
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	for got := -1; got != want; {
		if conn.QueryRow(ctx, query).Scan(&got) != nil {
			return false
		}
	}
	return true
}
