package httpapi_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/httpapi/admission"
	"holdfast/internal/httpapi/edge"
	"holdfast/internal/lock"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
)

const soon = 30 * time.Second // the machine may be busy

// stall holds the lock of a tenant's date, so that requests for it stay at work until release is called.
func (c client) stall(t *testing.T, days int) (release func()) {
	t.Helper()
	keys, err := lock.Dates(c.tenant, lock.Date(future(days)))
	require.NoError(t, err)
	return c.hold(t, keys.Keys()[0].ID())
}

// hold takes an advisory lock until release is called.
func (s *apiServer) hold(t *testing.T, key int64) (release func()) {
	t.Helper()
	tx, err := s.sql.Begin(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { _ = tx.Rollback(context.Background()) }) // or the pool would wait for it
	_, err = tx.Exec(t.Context(), "SELECT pg_advisory_xact_lock($1)", key)
	require.NoError(t, err)
	return func() { require.NoError(t, tx.Rollback(t.Context())) }
}

// await returns when a metric has a value.
func (s *apiServer) await(t *testing.T, series string, value float64) {
	t.Helper()
	require.Eventually(t, func() bool { return s.metrics(t)[series] == value }, soon, 2*time.Millisecond, "%s %v",
		series, value)
}

const (
	working = `holdfast_requests_working{bulkhead="general"}`
	waiting = `holdfast_requests_waiting{bulkhead="general"}`
)

// later sends a request and returns where its answer will come.
func (c client) later(t *testing.T, method, path string, body any, headers ...string) <-chan answer {
	t.Helper()
	answers := make(chan answer, 1)
	go func() { answers <- c.send(t, method, path, body, headers...) }()
	return answers
}

// requireShed checks a 503 overloaded.
func requireShed(t *testing.T, a answer) {
	t.Helper()
	requireProblem(t, a, http.StatusServiceUnavailable, problem.Overloaded)
	seconds, err := strconv.Atoi(a.header.Get("Retry-After"))
	require.NoError(t, err)
	require.GreaterOrEqual(t, seconds, 1)
	require.LessOrEqual(t, seconds, 3)
}

func TestOverload_OneTenant_IsShedAndOthersAreServed(t *testing.T) {
	t.Parallel()
	// half of it a tenant
	s := newLimitedServer(t, admission.Limits{MaxWorking: 2, MaxQueued: 4, QueueTimeout: time.Minute})
	c, quiet := s.newTenant(t, "Europe/Berlin"), s.newTenant(t, "Europe/Berlin")
	service, other := c.newService(t, "date", nil, c.newResource(t, 10)),
		quiet.newService(t, "date", nil, quiet.newResource(t, 10))
	release := c.stall(t, 0)
	body := func(i int) object {
		return bookingOf(service, future(0),
			object{"customer": object{"name": "Ada", "email": fmt.Sprintf("%d@example.com", i)}})
	}
	var served []<-chan answer
	for i := range 3 {
		served = append(served, c.later(t, http.MethodPost, "/v1/bookings", body(i)))
		s.await(t, working, 1) // one after the other, or they would meet in the queue
	}
	s.await(t, waiting, 2)

	before := s.tables(t)
	shed := []any{body(3), body(4)}
	for i, b := range shed {
		requireShed(t, c.post(t, "/v1/bookings", b, "Idempotency-Key", "shed-"+strconv.Itoa(i)))
	}
	requireShed(t, c.get(t, "/v1/services"))
	require.Equal(t, before, s.tables(t), "nothing is written for what is shed")
	require.InDelta(t, 3, s.metrics(t)[`holdfast_requests_shed_total{bulkhead="general",reason="share_full"}`], 0)

	quiet.book(t, other, future(0))
	require.True(t, quiet.on(t, other, future(0)).Available)
	for _, path := range []string{"/healthz", "/readyz", "/metrics", "/openapi.json"} {
		require.Equal(t, http.StatusOK, c.get(t, path).status, path)
	}
	require.Equal(t, http.StatusOK, s.admin().get(t, "/admin/v1/locks").status, "operators see what is going on")

	release()
	for _, a := range served {
		require.Equal(t, http.StatusCreated, (<-a).status)
	}
	for i, b := range shed {
		a := c.post(t, "/v1/bookings", b, "Idempotency-Key", "shed-"+strconv.Itoa(i))
		c.created(t, a)
		require.Empty(t, a.header.Get("Idempotent-Replayed"), "the key was not used up")
	}
	s.await(t, working, 0)
	s.await(t, waiting, 0)
}

func TestOverload_ShedsARequestWithoutAskingForItsBody_AndKeepsTheConnectionWhereTheBodyIsThere(t *testing.T) {
	t.Parallel()
	s := newLimitedServer(t, admission.Limits{MaxWorking: 2, MaxQueued: 2, QueueTimeout: time.Minute})
	c := s.newTenant(t, "Europe/Berlin")
	service := c.newService(t, "date", nil, c.newResource(t, 10))
	release := c.stall(t, 0)
	book := func() <-chan answer {
		return c.later(t, http.MethodPost, "/v1/bookings", bookingOf(service, future(0)))
	}
	served := []<-chan answer{book()}
	s.await(t, working, 1)
	served = append(served, book())
	s.await(t, waiting, 1)
	requireShed(t, s.raw(t, "POST /v1/bookings HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+c.key+
		"\r\nIdempotency-Key: k\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 60000\r\n\r\n"))

	var reused []bool
	ctx := httptrace.WithClientTrace(t.Context(),
		&httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { reused = append(reused, i.Reused) }})
	for range 3 {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/v1/bookings",
			strings.NewReader(strings.Repeat("x", 60_000)))
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer "+c.key)
		res, err := s.http.Do(req)
		require.NoError(t, err)
		_, err = io.Copy(io.Discard, res.Body)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		require.Equal(t, http.StatusServiceUnavailable, res.StatusCode)
	}
	require.Equal(t, []bool{true, true}, reused[1:],
		"a storm that has to connect anew each time costs more than it is spared")
	release()
	for _, a := range served {
		require.Equal(t, http.StatusCreated, (<-a).status)
	}
}

func TestOverload_AClientThatGoesAwayLeavesTheQueueAndNothingIsDone(t *testing.T) {
	t.Parallel()
	s := newLimitedServer(t, admission.Limits{MaxWorking: 2, MaxQueued: 8, QueueTimeout: time.Minute})
	c := s.newTenant(t, "Europe/Berlin")
	service := c.newService(t, "date", nil, c.newResource(t, 10))
	release := c.stall(t, 0)
	first := c.later(t, http.MethodPost, "/v1/bookings", bookingOf(service, future(0)))
	s.await(t, working, 1)

	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	require.NoError(t, err)
	body := fmt.Sprintf(`{"service_id":%q,"date":%q,"customer":{"name":"Gone","email":"gone@example.com"}}`, service,
		future(0))
	_, err = fmt.Fprintf(conn,
		"POST /v1/bookings HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nIdempotency-Key: gone\r\n"+
			"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", c.key, len(body), body)
	require.NoError(t, err)
	s.await(t, waiting, 1)
	require.NoError(t, conn.Close())
	s.await(t, waiting, 0)

	release()
	require.Equal(t, http.StatusCreated, (<-first).status)
	s.await(t, working, 0)
	require.Equal(t, 1, s.count(t, "SELECT count(*) FROM bookings"))
	require.Zero(t, s.count(t, "SELECT count(*) FROM idempotency_keys WHERE key = 'gone'"))
}

func TestPreferWait_EndsTheWaitInEveryQueue_AndNothingIsDone(t *testing.T) {
	t.Parallel()
	for _, queue := range []struct {
		name    string
		working int // a tenant's share is half of it
		series  string
	}{
		{"for a permit to work", 2, waiting},
		{"for the lock", 16, working},
	} {
		t.Run(queue.name, func(t *testing.T) {
			t.Parallel()
			s := newLimitedServer(t,
				admission.Limits{MaxWorking: queue.working, MaxQueued: 64, QueueTimeout: time.Minute})
			c := s.newTenant(t, "Europe/Berlin")
			service := c.newService(t, "date", nil, c.newResource(t, 10))
			release := c.stall(t, 0)
			var served []<-chan answer
			// with its permits to work, a lock has two in the database; more wait in the process
			for n := 1; n <= 2; n++ {
				served = append(served,
					c.later(t, http.MethodPost, "/v1/bookings", bookingOf(service, future(0)), "Prefer", "wait=600"))
				require.Eventually(t, func() bool {
					m := s.metrics(t)
					return m[working]+m[waiting] == float64(n) && s.count(t, `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'
						AND NOT granted
						AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`) == min(n, queue.working/2)
				}, soon, 2*time.Millisecond)
			}

			before, began := s.tables(t), testtime.Now()
			a := c.post(t, "/v1/bookings", bookingOf(service, future(0)), "Idempotency-Key", "k", "Prefer",
				"respond-async, wait=1")
			requireShed(t, a)
			require.Equal(t, "wait=1", a.header.Get("Preference-Applied"))
			require.GreaterOrEqual(t, testtime.Now().Sub(began), 900*time.Millisecond)
			require.Equal(t, before, s.tables(t))

			release()
			for _, a := range served {
				got := <-a
				require.Equal(t, http.StatusCreated, got.status, got.body)
				require.Equal(t, "wait=600", got.header.Get("Preference-Applied"))
			}
			c.created(t, c.post(t, "/v1/bookings", bookingOf(service, future(0)), "Idempotency-Key", "k", "Prefer",
				"wait=0"))
			require.Equal(t, 3, s.count(t, "SELECT count(*) FROM bookings"))
		})
	}
}

func TestPreferWait_IsIgnoredWhereItCantBeRead(t *testing.T) {
	t.Parallel()
	c := setup(t)
	for _, prefer := range []string{"wait=0", "wait=soon", "return=minimal", "wait=1.5"} {
		a := c.get(t, "/v1/services", "Prefer", prefer)
		require.Equal(t, http.StatusOK, a.status, prefer)
		require.Empty(t, a.header.Get("Preference-Applied"), prefer)
	}
}

func TestOverload_PaymentsStall_BookingsGoOn(t *testing.T) {
	t.Parallel()
	s := newLimitedServer(t, admission.Limits{MaxWorking: 2, MaxQueued: 2, QueueTimeout: time.Minute})
	c := s.newTenant(t, "Europe/Berlin")
	service := c.newService(t, "date", object{"price": 1000}, c.newResource(t, 10))
	booking := c.book(t, service, future(0)).id(t)
	path := "/v1/bookings/" + booking.String() + "/payments"
	pay := func() <-chan answer {
		return c.later(t, http.MethodPost, path, object{"kind": "amount", "amount": 100, "payment_method": "pm_ok"})
	}
	release := s.hold(t, lock.Balance(c.tenant, booking).Keys()[0].ID())
	stalled := []<-chan answer{pay()}
	s.await(t, `holdfast_requests_working{bulkhead="payments"}`, 1)
	stalled = append(stalled, pay())
	s.await(t, `holdfast_requests_waiting{bulkhead="payments"}`, 1)
	requireShed(t, <-pay())
	c.book(t, service, future(0))
	require.Equal(t, http.StatusOK, c.get(t, path).status, "reading payments needs no provider")
	release()
	for _, a := range stalled {
		require.Equal(t, http.StatusCreated, (<-a).status)
	}
}

func TestOverload_CancellationsThatStall_TakePlacesOfPayments(t *testing.T) {
	t.Parallel()
	s := newLimitedServer(t, admission.Limits{MaxWorking: 2, MaxQueued: 2, QueueTimeout: time.Minute})
	c := s.newTenant(t, "Europe/Berlin")
	service := c.newService(t, "date", object{"price": 1000}, c.newResource(t, 10))
	booking := c.book(t, service, future(0)).id(t)
	open := c.processing(t, booking).id(t)
	release := s.hold(t, lock.Balance(c.tenant, booking).Keys()[0].ID())
	stalled := c.later(t, http.MethodPost, "/v1/payments/"+open.String()+"/cancel", nil)
	s.await(t, `holdfast_requests_working{bulkhead="payments"}`, 1)
	c.book(t, service, future(0))
	release()
	require.Equal(t, http.StatusOK, (<-stalled).status)
}

func TestOverload_UnknownKeys_TakeNoTenantsPlaces(t *testing.T) {
	t.Parallel()
	// Two permits are for unauthenticated clients.
	s := newLimitedServer(t, admission.Limits{MaxWorking: 16, MaxQueued: 16, QueueTimeout: time.Minute})
	c := s.newTenant(t, "Europe/Berlin")
	service := c.newService(t, "date", nil, c.newResource(t, 10))
	c.book(t, service, future(0))
	tx, err := s.sql.Begin(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { _ = tx.Rollback(context.Background()) })
	_, err = tx.Exec(t.Context(), "LOCK TABLE api_keys") // keys can't be looked up
	require.NoError(t, err)

	wrong := client{apiServer: s, key: strings.Repeat("x", 10)}
	requireProblem(t, wrong.get(t, "/v1/services"), http.StatusUnauthorized, problem.Unauthenticated)
	wrong.key = c.key[:len(c.key)-4] + "AAAA"
	var answers []<-chan answer
	for i := range 4 {
		answers = append(answers, wrong.later(t, http.MethodGet, "/v1/services", nil))
		s.await(t, working, min(float64(i+1), 2)) // one after the other, or they would meet in the queue
	}
	s.await(t, waiting, 2)
	requireShed(t, wrong.get(t, "/v1/services"))
	c.book(t, service, future(0))

	require.NoError(t, tx.Rollback(t.Context()))
	for _, a := range answers {
		requireProblem(t, <-a, http.StatusUnauthorized, problem.Unauthenticated)
	}
}

func TestOverload_ManyWaiters_UseBoundedMemory(t *testing.T) {
	t.Parallel()
	const crowd = 1000
	s := newLimitedServer(t, admission.Limits{MaxWorking: 2, MaxQueued: 2 * crowd, QueueTimeout: 5 * time.Minute})
	c := s.newTenant(t, "Europe/Berlin")
	service := c.newService(t, "date", nil, c.newResource(t, 10))
	release := c.stall(t, 0)
	first := c.later(t, http.MethodPost, "/v1/bookings", bookingOf(service, future(0)))
	s.await(t, working, 1)
	before := runtime.NumGoroutine()
	conns := make([]net.Conn, crowd)
	for i := range conns {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		require.NoError(t, err)
		conns[i] = conn
		_, err = io.WriteString(conn, "GET /v1/services HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+c.key+"\r\n\r\n")
		require.NoError(t, err)
	}
	s.await(t, waiting, crowd)
	require.Equal(t, http.StatusOK, c.get(t, "/healthz").status)
	// One serves the connection and one listens for its end. Other tests run at the same time.
	require.Less(t, runtime.NumGoroutine()-before, 2*crowd+1000)
	for _, conn := range slices.Backward(conns) {
		require.NoError(t, conn.Close())
	}
	s.await(t, waiting, 0)
	release()
	require.Equal(t, http.StatusCreated, (<-first).status)
	require.True(t, c.on(t, service, future(0)).Available)
}

func TestRateLimit_Refuses429BeforeTheDatabaseIsAskedAndStoresNothing(t *testing.T) {
	t.Parallel()
	s := newLimitedServer(t, admission.Limits{Rate: 0.001, Burst: 4})
	c := s.newTenant(t, "Europe/Berlin")
	resource := c.newResource(t, 10)
	service := c.newService(t, "date", nil, resource)
	a := c.get(t, "/v1/services")
	require.Equal(t, http.StatusOK, a.status)
	require.Equal(t, `"default";q=4;w=4000`, a.header.Get("RateLimit-Policy"))
	require.Regexp(t, `^"default";r=1;t=\d+$`, a.header.Get("RateLimit"))
	a = c.get(t, "/v1/services/"+uuid.NewString())
	requireProblem(t, a, http.StatusNotFound, problem.NotFound)
	require.Regexp(t, `^"default";r=0;t=\d+$`, a.header.Get("RateLimit"))

	body := bookingOf(service, future(0))
	before := s.tables(t)
	a = c.post(t, "/v1/bookings", body, "Idempotency-Key", "k")
	requireProblem(t, a, http.StatusTooManyRequests, problem.RateLimited)
	require.Equal(t, `"default";q=4;w=4000`, a.header.Get("RateLimit-Policy"))
	require.Regexp(t, `^"default";r=0;t=\d+$`, a.header.Get("RateLimit"))
	_, seconds, _ := strings.Cut(a.header.Get("RateLimit"), "t=")
	require.Equal(t, seconds, a.header.Get("Retry-After"))
	require.Equal(t, before, s.tables(t))

	issued := s.admin().post(t, "/admin/v1/tenants/"+c.tenant.String()+"/api-keys", nil)
	require.Equal(t, http.StatusCreated, issued.status, issued.body)
	second := client{apiServer: s, key: issued.text(t, "api_key"), tenant: c.tenant}
	second.created(t, second.post(t, "/v1/bookings", body, "Idempotency-Key", "k"))
	require.InDelta(t, 1, s.metrics(t)["holdfast_requests_rate_limited_total"], 0)

	s.sql.Close() // or it would be cut off as well
	cutOff(t, s.database)
	requireProblem(t, c.get(t, "/v1/services"), http.StatusTooManyRequests, problem.RateLimited)
	require.Equal(t, http.StatusOK, c.get(t, "/healthz").status)
	require.Empty(t, c.get(t, "/healthz").header.Get("RateLimit"))
}

func TestConnections_AboveTheLimitWaitUntilOneIsClosed(t *testing.T) {
	t.Parallel()
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	l := edge.LimitListener(inner,
		edge.ConnectionLimits{Most: 2, Proxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	accepted := make(chan net.Conn)
	ended := make(chan error, 1)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				ended <- err
				return
			}
			accepted <- conn
		}
	}()
	var open []net.Conn
	for range 3 {
		conn, err := net.Dial("tcp", inner.Addr().String())
		require.NoError(t, err)
		t.Cleanup(func() { _ = conn.Close() })
	}
	open = append(open, <-accepted, <-accepted)
	select {
	case <-accepted:
		require.Fail(t, "a third connection is accepted")
	case <-time.After(50 * time.Millisecond):
	}
	require.NoError(t, open[0].Close())
	_ = open[0].Close() // a second time frees nothing
	third := <-accepted
	require.NoError(t, l.Close())
	require.ErrorIs(t, <-ended, net.ErrClosed)
	require.NoError(t, open[1].Close())
	require.NoError(t, third.Close())
}
