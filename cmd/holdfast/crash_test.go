package main

import (
	"fmt"
	"maps"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db/dbtest"
	"holdfast/internal/postgres"
)

// load is a number of clients that book one slot after the other. As a client should, each repeats a request
// with the same key until it learns what became of it.
type load struct {
	stopping atomic.Bool
	clients  sync.WaitGroup

	mu       sync.Mutex
	booked   map[string]string // id by key
	outcomes map[string]int    // how often each was answered
}

const loadDays = 400

func startLoad(t testing.TB, p *proc, s shop, clients int) *load {
	t.Helper()
	l := &load{booked: make(map[string]string), outcomes: make(map[string]int)}
	t.Cleanup(func() { l.stopping.Store(true) }) // also if the test fails before
	var next atomic.Int64
	for range clients {
		l.clients.Go(func() {
			for !l.stopping.Load() {
				n := int(next.Add(1))
				key := fmt.Sprintf("load-%d", n)
				limit := time.After(waitLimit)
				for given := false; !given && !l.ask(p, s, key, slot(n%loadDays, n/loadDays)); {
					select {
					case <-time.After(10 * time.Millisecond):
					case <-limit:
						given = true
					}
				}
			}
		})
	}
	return l
}

// ask sends a request once and reports whether the slot was booked.
func (l *load) ask(p *proc, s shop, key string, at time.Time) bool {
	a, err := s.book(p, key, at)
	l.note(a, err)
	if err != nil || a.status != http.StatusCreated {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.booked[key] = a.id()
	return true
}

// note counts an answer.
func (l *load) note(a answer, err error) {
	outcome := a.outcome()
	switch {
	case err != nil:
		outcome = err.Error()
	case a.status == http.StatusServiceUnavailable && a.header.Get("Retry-After") == "":
		outcome += " without Retry-After"
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.outcomes[outcome]++
}

// addReader adds a client that reads what is there and what isn't, with a key that fits and one that doesn't.
func (l *load) addReader(p *proc, s shop) {
	date := slot(0, 0).Format(time.DateOnly)
	unknown := s.key[:len(s.key)-4] + "none"
	l.clients.Go(func() {
		for !l.stopping.Load() {
			for _, read := range []struct{ path, key string }{
				{"/v1/services/" + s.service + "/availability?from=" + date + "&to=" + date, s.key},
				{"/v1/bookings?from=" + date + "&to=" + date, s.key},
				{"/v1/bookings/" + uuid.NewString(), s.key},
				{"/v1/services", unknown},
				{"/healthz", ""},
				{"/readyz", ""},
			} {
				l.note(p.send(http.MethodGet, read.path, read.key, "", nil))
			}
			<-time.After(5 * time.Millisecond)
		}
	})
}

func (l *load) bookings() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.booked)
}

// awaitBookings returns when n more bookings are made.
func (l *load) awaitBookings(t testing.TB, n int) {
	t.Helper()
	want := l.bookings() + n
	require.Eventually(t, func() bool { return l.bookings() >= want }, waitLimit, poll)
}

// stop ends the load when every request that was begun is answered, and returns how often the database was
// said to be unavailable. Any other failure fails the test.
func (l *load) stop(t testing.TB) (failures int) {
	t.Helper()
	l.stopping.Store(true)
	l.clients.Wait()
	t.Logf("answers: %v", l.outcomes)
	for outcome, n := range l.outcomes {
		switch outcome {
		case "200", "201", "401 unauthenticated", "404 not_found":
		case "503 database_unavailable", "503 outcome_unknown":
			failures += n
		default:
			require.FailNow(t, "an answer that nobody expects", "%s", outcome)
		}
	}
	return failures
}

func TestServe_KilledServerStartsAgain_NothingAcknowledgedIsLost(t *testing.T) {
	t.Parallel()
	dir := filledDir(t)
	p := start(t, dir)
	s := newShop(t, p)
	load := startLoad(t, p, s, 4)
	load.awaitBookings(t, 50)
	require.Zero(t, load.stop(t))
	require.NotEmpty(t, databaseProcesses(t, dir))
	p.Kill()
	if runtime.GOOS == "linux" { // elsewhere the next start ends it
		require.Eventually(t, func() bool { return len(databaseProcesses(t, dir)) == 0 }, waitLimit, poll,
			"the database ends by itself")
	}
	require.False(t, postgres.InUse(dir))

	p = start(t, dir)
	acknowledged := slices.Collect(maps.Values(load.booked))
	s.requireSold(t, p.databaseURL(t), acknowledged)
	for _, id := range acknowledged[:10] {
		a, err := p.send(http.MethodGet, "/v1/bookings/"+id, s.key, "", nil)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, a.status, "%s", a)
		require.Equal(t, id, a.id())
	}
	s.mustBook(t, p, "afterwards", slot(0, 23))
}

func TestServe_DatabaseIsKilledUnderLoad_AnswersUnavailableAndGoesOnByItself(t *testing.T) {
	t.Parallel()
	dir := filledDir(t)
	p := start(t, dir)
	s := newShop(t, p)
	url := p.databaseURL(t)
	load := startLoad(t, p, s, 8)
	load.addReader(p, s)
	kill := func(pid int) {
		load.awaitBookings(t, 20)
		require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
		load.awaitBookings(t, 20)
	}
	kill(postmaster(t, dir))
	// A killed backend, as by a machine short of memory: PostgreSQL ends all others and recovers.
	kill(query[int](t, url, "SELECT max(pid) FROM pg_stat_activity WHERE application_name = 'holdfast'")[0])
	kill(postmaster(t, dir))
	t.Logf("%d requests failed", load.stop(t))
	require.True(t, p.alive())
	require.Equal(t, 2, strings.Count(p.log(), "the database is running again"))
	s.requireSold(t, url, slices.Collect(maps.Values(load.booked)))
}

func TestServe_ConnectionsAreTerminated_OnlyRequestsInFlightFail(t *testing.T) {
	t.Parallel()
	const clients, rounds = 8, 5
	url := dbtest.Database(t)
	p := start(t, newDir(t), "HOLDFAST_DATABASE_URL="+url)
	s := newShop(t, p)
	terminate := func() int {
		return query[int](t, url, `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
			WHERE application_name = 'holdfast' AND datname = current_database() AND pid <> pg_backend_pid()`)[0]
	}
	load := startLoad(t, p, s, 16)
	load.awaitBookings(t, 60)
	require.Zero(t, load.stop(t))
	require.Greater(t, terminate(), 1, "idle connections")
	idle := slices.Collect(maps.Values(load.booked))
	for i := range 20 {
		idle = append(idle, s.mustBook(t, p, fmt.Sprintf("idle-%d", i), slot(loadDays+i, 0)).id())
	}

	s.requireSold(t, url, idle)
	busy := newShop(t, p)
	load = startLoad(t, p, busy, clients-1)
	load.addReader(p, busy)
	terminated := 0
	for range rounds {
		load.awaitBookings(t, 20)
		terminated += terminate()
	}
	load.awaitBookings(t, 20)
	failures := load.stop(t)
	t.Logf("%d connections terminated, %d requests failed", terminated, failures)
	require.GreaterOrEqual(t, terminated, rounds)
	require.LessOrEqual(t, failures, clients*rounds)
	require.True(t, p.alive())
	busy.requireSold(t, url, slices.Collect(maps.Values(load.booked)))
}

// cutter passes requests on to a server and lets no answer through: when the first byte of one arrives, it cuts
// the client off. What the server has begun to answer, it has committed.
func cutter(t testing.TB, server string) (url string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go cut(client, strings.TrimPrefix(server, "http://"))
		}
	}()
	return "http://" + listener.Addr().String()
}

func cut(client net.Conn, address string) {
	defer func() { _ = client.Close() }()
	server, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	go func() {
		buffer := make([]byte, 4096)
		for {
			n, err := client.Read(buffer)
			if err != nil {
				return
			}
			if _, err := server.Write(buffer[:n]); err != nil {
				return
			}
		}
	}()
	_, _ = server.Read(make([]byte, 1))
}

func TestServe_KilledBetweenCommitAndAnswer_RetryGetsTheBookingThatWasMade(t *testing.T) {
	t.Parallel()
	url := dbtest.Database(t)
	p := start(t, newDir(t), "HOLDFAST_DATABASE_URL="+url)
	s := newShop(t, p)
	const key = "cut-off"
	// Every request on a connection of its own: net/http repeats one that has an idempotency key by itself when
	// a connection that was used before breaks.
	lonely := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	_, err := sendTo(lonely, cutter(t, p.url), http.MethodPost, "/v1/bookings", s.key, key, s.order(key, slot(0, 10)))
	require.Error(t, err, "the client never learns of the booking")
	p.Kill()

	p = start(t, newDir(t), "HOLDFAST_DATABASE_URL="+url)
	made := query[string](t, url, "SELECT booking_id::text FROM bookings WHERE tenant_id = $1", s.tenant)
	require.Len(t, made, 1)
	for range 2 {
		a := s.mustBook(t, p, key, slot(0, 10))
		require.Equal(t, made[0], a.id())
		require.Equal(t, "true", a.header.Get("Idempotent-Replayed"))
	}
	a, err := s.book(p, "another", slot(0, 10))
	require.NoError(t, err)
	require.Equal(t, "409 slot_unavailable", a.outcome())
	s.requireSold(t, url, made)
}

func TestServe_KilledWith32RequestsInFlight_EveryKeyIsAnsweredAndEverySlotIsSoldOnce(t *testing.T) {
	t.Parallel()
	const requests, slots = 32, 16 // two clients want each slot
	url := dbtest.Database(t)
	env := "HOLDFAST_DATABASE_URL=" + url
	p := start(t, newDir(t), env)
	s := newShop(t, p)
	var sold []string
	answered, cutOff := 0, 0
	for round, answersBeforeKill := range []int{0, 1, 8, 16} {
		key := func(i int) string { return fmt.Sprintf("round-%d-%d", round, i) }
		when := func(i int) time.Time { return slot(round*4+i%4, i%slots/4) } // on four dates
		release := holdDate(t, url, s, when(0))                               // eight requests can't be answered
		before := everybody(requests, func(i int) (answer, error) { return s.book(p, key(i), when(i)) },
			func(arrived <-chan struct{}) {
				for range answersBeforeKill {
					<-arrived
				}
				p.Kill()
			})
		release()
		p = start(t, newDir(t), env)
		after := everybody(requests, func(i int) (answer, error) { return s.book(p, key(i), when(i)) }, nil)
		winners := make(map[int]string)
		for i, a := range after {
			require.NoError(t, a.err)
			require.Contains(t, []string{"201", "409 slot_unavailable"}, a.outcome(), "no key is stuck")
			if a.status == http.StatusCreated {
				require.NotContains(t, winners, i%slots, "one winner a slot")
				winners[i%slots] = a.id()
			}
			if before[i].err != nil {
				cutOff++
				continue
			}
			answered++
			require.Equal(t, before[i].outcome(), a.outcome(), "what was answered stays true")
			if a.status == http.StatusCreated {
				require.Equal(t, string(before[i].body), string(a.body))
				require.Equal(t, "true", a.header.Get("Idempotent-Replayed"))
			}
		}
		require.Len(t, winners, slots)
		sold = slices.AppendSeq(sold, maps.Values(winners))
	}
	t.Logf("%d requests answered before the kill, %d cut off", answered, cutOff)
	require.NotZero(t, answered)
	require.NotZero(t, cutOff)
	s.requireSold(t, url, sold)
	// Each booking is the stored answer of exactly one key.
	require.ElementsMatch(t, sold, query[string](t, url, `SELECT change_subject_id::text FROM idempotency_keys
		WHERE tenant_id = $1 AND starts_with(key, 'round-')`, s.tenant))
}

// result is an answer, or why there is none.
type result struct {
	answer
	err error
}

// everybody makes n requests at once and returns their results. meanwhile, if any, runs beside them and is told of
// each result.
func everybody(n int, request func(i int) (answer, error), meanwhile func(arrived <-chan struct{})) []result {
	results := make([]result, n)
	begin, arrived := make(chan struct{}), make(chan struct{}, n)
	var clients sync.WaitGroup
	for i := range n {
		clients.Go(func() {
			<-begin
			results[i].answer, results[i].err = request(i)
			arrived <- struct{}{}
		})
	}
	close(begin)
	if meanwhile != nil {
		meanwhile(arrived)
	}
	clients.Wait()
	return results
}
