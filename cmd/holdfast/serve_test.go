package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db/dbtest"
	"holdfast/internal/lock"
	"holdfast/internal/postgres"
	"holdfast/internal/postgres/pgtest"
	"holdfast/internal/testtime"
)

// demo is what a server with --demo gives to people.
type demo struct {
	adminKey, apiKey string
	printed          string   // a script that sets variables and makes the calls
	calls            []string // of the script
}

func startDemo(t testing.TB, dir string) (*proc, demo) {
	t.Helper()
	p := command(t, dir, nil, "serve", "--demo")
	p.launch(t)
	p.url = p.await(t, regexp.MustCompile(`Holdfast serves (\S+)`), p.Stdout)[1]
	const calls = 4
	d := demo{printed: p.await(t, regexp.MustCompile(`(?ms)^Try it:\n(.*/payments -d .*?\n)`), p.Stdout)[1]}
	d.adminKey = p.keyIn(t, `The key of the admin API is in (\S+)`)
	d.apiKey = p.keyIn(t, `The API key of the tenant demo is in (\S+)`)
	for line := range strings.Lines(d.printed) {
		if strings.HasPrefix(line, "curl ") {
			d.calls = append(d.calls, line)
		}
		require.NotContains(t, line, d.apiKey, "a key that is printed stays in the terminal's history")
	}
	require.Len(t, d.calls, calls)
	return p, d
}

// keyIn returns the key in a file that the process printed.
func (p *proc) keyIn(t testing.TB, pattern string) string {
	t.Helper()
	key, err := os.ReadFile(p.await(t, regexp.MustCompile(pattern), p.Stdout)[1])
	require.NoError(t, err)
	return strings.TrimSpace(string(key))
}

// paste runs the printed calls in a shell, as people do, and returns the booking's date and id.
func (d demo) paste(t testing.TB) (date, id string) {
	t.Helper()
	var free struct {
		Data []struct {
			Date      string
			Available bool
		}
	}
	var booked struct{ ID, Date, Status string }
	var list struct{ Data []struct{ ID string } }
	var paid struct {
		BookingID    string `json:"booking_id"`
		Kind, Status string
	}
	output, err := exec.Command("sh", "-c", d.printed).CombinedOutput()
	require.NoError(t, err, "%s", output)
	answers := json.NewDecoder(bytes.NewReader(output))
	for _, into := range []any{&free, &booked, &list, &paid} {
		require.NoError(t, answers.Decode(into), "%s", output)
	}
	require.Len(t, free.Data, 1)
	require.True(t, free.Data[0].Available)
	require.NotEmpty(t, booked.ID)
	require.Equal(t, "confirmed", booked.Status)
	require.Equal(t, free.Data[0].Date, booked.Date)
	require.Len(t, list.Data, 1)
	require.Equal(t, booked.ID, list.Data[0].ID)
	require.Equal(t, booked.ID, paid.BookingID)
	require.Equal(t, "deposit", paid.Kind)
	require.Equal(t, "succeeded", paid.Status)
	return booked.Date, booked.ID
}

func TestServe_DemoOnAnEmptyDirectory_PrintsCallsThatWorkWhenPasted(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("the printed calls need curl, which isn't installed")
	}
	dir := newDir(t)
	p, first := startDemo(t, dir)
	date, id := first.paste(t)
	a, err := p.send(http.MethodPost, "/admin/v1/tenants", first.adminKey, "made-by-hand", map[string]any{
		"slug": "another", "name": "Another", "time_zone": "UTC", "currency": "EUR",
	})
	require.NoError(t, err)
	require.Equal(t, http.StatusCreated, a.status, "%s", a)
	p.stop(t)

	p, second := startDemo(t, dir)
	require.Equal(t, first.adminKey, second.adminKey)
	require.Equal(t, first.apiKey, second.apiKey)
	nextDate, nextID := second.paste(t)
	require.NotEqual(t, date, nextDate, "the first date is taken")
	require.ElementsMatch(t, []string{id, nextID},
		query[string](t, p.databaseURL(t), "SELECT booking_id::text FROM bookings"))
	require.Equal(t, []int{2}, query[int](t, p.databaseURL(t), "SELECT count(*) FROM tenants"), "the demo is made once")
}

// holdDate takes the lock of a date, as a booking does that takes long, until the returned function is called.
func holdDate(t testing.TB, url string, s shop, at time.Time) (release func()) {
	t.Helper()
	year, month, day := at.UTC().Date()
	keys, err := lock.Dates(s.tenant, lock.Date{Year: year, Month: month, Day: day})
	require.NoError(t, err)
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(ctx) })
	_, err = conn.Exec(ctx, "SELECT pg_advisory_lock($1)", keys.Keys()[0].ID())
	require.NoError(t, err)
	return func() { _ = conn.Close(ctx) }
}

func TestServe_ToldToStop_AnswersWhatIsInFlightAndRefusesTheRest(t *testing.T) {
	t.Parallel()
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			dir := filledDir(t)
			p := start(t, dir)
			s := newShop(t, p)
			url := p.databaseURL(t)
			release := holdDate(t, url, s, slot(0, 10))
			inFlight := make(chan result, 1)
			go func() {
				a, err := s.book(p, "in-flight", slot(0, 10))
				inFlight <- result{a, err}
			}()
			require.Eventually(t, func() bool {
				return query[int](t, url, "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'advisory'")[0] == 1
			}, waitLimit, poll)

			require.NoError(t, p.Signal(signal))
			p.await(t, regexp.MustCompile("shutting down"), p.Stderr)
			var refused answer
			for i := 0; refused.status != http.StatusServiceUnavailable; i++ {
				var err error
				refused, err = s.book(p, "too-late-"+strconv.Itoa(i), slot(1, i))
				require.NoError(t, err)
				require.Less(t, i, 20, "%s", refused) // one or two may come before the signal is acted on
			}
			require.Equal(t, "503 shutting_down", refused.outcome())
			require.NotEmpty(t, refused.header.Get("Retry-After"))
			ready, err := p.send(http.MethodGet, "/readyz", "", "", nil)
			require.NoError(t, err)
			require.Equal(t, "503 shutting_down", ready.outcome())
			require.True(t, p.alive(), "it waits for the request that is running")

			release()
			booked := <-inFlight
			require.NoError(t, booked.err)
			require.Equal(t, http.StatusCreated, booked.status, "%s", booked)
			require.Zero(t, p.wait(t))
			require.Empty(t, databaseProcesses(t, dir))
			require.False(t, postgres.InUse(dir))
			_, err = s.book(p, "after-the-end", slot(2, 0))
			require.ErrorIs(t, err, syscall.ECONNREFUSED)

			p = start(t, dir)
			require.Contains(t, query[string](t, p.databaseURL(t), "SELECT booking_id::text FROM bookings"),
				booked.id())
		})
	}
}

func TestServe_ToldToStopWithADelay_FailsReadyzAndServesMeanwhile(t *testing.T) {
	t.Parallel()
	p := start(t, newDir(t), "HOLDFAST_DATABASE_URL="+dbtest.Database(t), "HOLDFAST_ANNOUNCE_DELAY=10m")
	s := newShop(t, p)
	require.NoError(t, p.Signal(syscall.SIGTERM))
	require.Eventually(t, func() bool {
		ready, err := p.send(http.MethodGet, "/readyz", "", "", nil)
		return err == nil && ready.outcome() == "503 shutting_down"
	}, waitLimit, poll)
	s.mustBook(t, p, "meanwhile", slot(0, 10))
}

func TestServe_ToldToStopWithAnUnusedConnection_DoesNotWaitForIt(t *testing.T) {
	t.Parallel()
	p := start(t, newDir(t), "HOLDFAST_DATABASE_URL="+dbtest.Database(t))
	for range 3 {
		conn, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
		require.NoError(t, err)
		t.Cleanup(func() { _ = conn.Close() })
	}
	newShop(t, p) // by now the connections are accepted
	p.stop(t)
}

// The server waits for closeGrace, and not for the five seconds that net/http gives to a connection on which nothing
// was sent.
func TestClose_UnusedConnection_IsClosedAfterTheGrace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		accept := make(pipeListener)
		server := &http.Server{Handler: http.NotFoundHandler(), ReadHeaderTimeout: time.Hour}
		served := make(chan error, 1)
		go func() { served <- server.Serve(accept) }()
		client, conn := net.Pipe()
		accept <- conn
		synctest.Wait()
		began := testtime.Now()
		require.NoError(t, closeServer(t.Context(), server))
		require.Equal(t, closeGrace, testtime.Now().Sub(began))
		_, err := client.Read(make([]byte, 1))
		require.ErrorIs(t, err, io.EOF)
		require.ErrorIs(t, <-served, http.ErrServerClosed)
	})
}

// pipeListener accepts the connections that it is given.
type pipeListener chan net.Conn

func (l pipeListener) Accept() (net.Conn, error) {
	conn, open := <-l
	if !open {
		return nil, net.ErrClosed
	}
	return conn, nil
}

func (l pipeListener) Close() error {
	close(l)
	return nil
}

func (l pipeListener) Addr() net.Addr { return &net.UnixAddr{} }

func TestServe_DirectoryInUse_SaysSoAndLeavesTheFirstAlone(t *testing.T) {
	t.Parallel()
	dir := filledDir(t)
	first := start(t, dir)
	s := newShop(t, first)
	second, code := run(t, dir, nil, "serve")
	require.NotZero(t, code)
	require.Contains(t, second.log(), "in use")
	require.Contains(t, second.log(), "process "+strconv.Itoa(first.PID()))
	s.mustBook(t, first, "unharmed", slot(0, 10))
	require.True(t, first.alive())
	require.NotContains(t, first.log(), "unexpectedly")
}

func TestServe_AddressInUse_SaysSoAndStopsItsDatabase(t *testing.T) {
	t.Parallel()
	first := start(t, newDir(t), "HOLDFAST_DATABASE_URL="+dbtest.Database(t))
	dir := filledDir(t)
	second, code := run(t, dir, []string{"HOLDFAST_ADDR=" + strings.TrimPrefix(first.url, "http://")}, "serve")
	require.NotZero(t, code)
	require.Contains(t, second.log(), "address already in use")
	require.Empty(t, databaseProcesses(t, dir))
	require.False(t, postgres.InUse(dir))
}

func TestServe_TwoServersOnOneDatabase_SellASlotOnce(t *testing.T) {
	t.Parallel()
	const clients = 60
	url := pgtest.Database(t, nil)
	servers := make([]*proc, 2)
	for i := range servers { // at once, so that both find an empty database
		servers[i] = command(t, newDir(t),
			[]string{"HOLDFAST_DATABASE_URL=" + url, "HOLDFAST_ADMIN_KEY=" + testAdminKey}, "serve")
		servers[i].launch(t)
	}
	for _, p := range servers {
		p.awaitServing(t)
	}
	s := newShop(t, servers[0])
	var sold []string
	for i, p := range servers { // so that both know the service by the time it matters
		sold = append(sold, s.mustBook(t, p, "early-"+strconv.Itoa(i), slot(1, i)).id())
	}
	outcomes := make(map[string]int)
	for _, r := range everybody(clients, func(i int) (answer, error) {
		return s.book(servers[i%2], "client-"+strconv.Itoa(i), slot(0, 10))
	}, nil) {
		require.NoError(t, r.err)
		outcomes[r.outcome()]++
		if r.status == http.StatusCreated {
			sold = append(sold, r.id())
		}
	}
	require.Equal(t, map[string]int{"201": 1, "409 slot_unavailable": clients - 1}, outcomes)
	s.requireSold(t, url, sold)
	for _, p := range servers {
		a, err := p.send(http.MethodGet, "/v1/bookings/"+sold[len(sold)-1], s.key, "", nil)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, a.status, "%s", a)
		p.stop(t)
	}
}
