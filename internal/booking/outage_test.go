package booking_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/lock"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
)

// through returns the use cases of a process that reaches the database through a proxy.
func (b *testBundle) through(t testing.TB, proxy *dbtest.Proxy) *booking.Service {
	t.Helper()
	b.metrics = prometheus.NewRegistry()
	s := dbtest.Open(t, db.Config{URL: proxy.URL, MaxConns: 4, Metrics: b.metrics})
	return booking.NewService(s)
}

// trigger returns a function that is true as often as armed says.
func trigger() (armed *atomic.Int64, cut func() bool) {
	armed = new(atomic.Int64)
	return armed, func() bool { return armed.Load() > 0 && armed.Add(-1) >= 0 }
}

func TestCreate_ConnectionCutAroundTheCommit_HappensOnceAndIsAnswered(t *testing.T) {
	t.Parallel()
	for _, where := range []string{"before the database gets it", "after the database has done it"} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			setup(t).cutAroundTheCommit(t, where[0] == 'b')
		})
	}
}

// cutAroundTheCommit books while connections are cut, before or after the database gets the COMMIT.
func (b *testBundle) cutAroundTheCommit(t *testing.T, before bool) {
	t.Helper()
	service := b.newDateService(t, 1)
	proxy := dbtest.NewProxy(t, b.url)
	armed, cut := trigger()
	if before {
		proxy.BeforeCommit = cut
	} else {
		proxy.AfterCommit = cut
	}
	bookings := b.through(t, proxy)
	for day := range 10 {
		armed.Store(1)
		key, n := newKey(), newBooking(service, onDate(future(day)))
		_, first, err := create(t, bookings, b.tenant, key, n)
		require.NoError(t, err)
		_, again, err := create(t, b.service, b.tenant, key, n)
		require.NoError(t, err)
		require.Equal(t, first.Body, again.Body)
	}
	require.Equal(t, 10, b.count(t, "SELECT count(*) FROM bookings"))
}

func TestCreate_CommitLost_IsUnknownThenReplayed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newDateService(t, 1)
	proxy := dbtest.NewProxy(t, b.url)
	armed, cut := trigger()
	proxy.BeforeCommit = cut
	bookings := b.through(t, proxy)
	_, _, err := create(t, bookings, b.tenant, newKey(), newBooking(service, onDate(future(1)))) // reads the rules
	require.NoError(t, err)
	armed.Store(1000)
	key, n := newKey(), newBooking(service, onDate(future(0)))
	_, _, err = create(t, bookings, b.tenant, key, n)
	require.True(t, problem.Is(err, problem.OutcomeUnknown), "%v", err)
	armed.Store(0)
	_, _, err = create(t, bookings, b.tenant, key, n)
	require.NoError(t, err)
	require.Equal(t, 2, b.count(t, "SELECT count(*) FROM bookings"))
}

func TestCreate_EveryConnectionTerminatedAgainAndAgain_NothingIsLostOrDoubled(t *testing.T) {
	t.Parallel()
	setup(t).terminateAgainAndAgain(t)
}

// terminateAgainAndAgain books while the backends of those who book are terminated.
func (b *testBundle) terminateAgainAndAgain(t *testing.T) {
	t.Helper()
	service := b.newDateService(t, 1)
	s := dbtest.Open(t, db.Config{URL: b.url + "&application_name=victim", MaxConns: 8})
	bookings := booking.NewService(s)
	const clients = 8
	rounds, made := testtime.Rounds(15), 0
	for day := range rounds {
		killed := 0
		codes := race(clients+1, func(i int) error {
			if i < clients {
				_, _, err := create(t, bookings, b.tenant, newKey(), newBooking(service, onDate(future(day*clients+i))))
				return err
			}
			for killed == 0 {
				if err := b.sql.QueryRow(t.Context(), `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
					WHERE application_name = 'victim' AND datname = current_database()`).Scan(&killed); err != nil {
					return err
				}
			}
			return nil
		})
		made += codes[""] - 1
		require.Equal(t, clients+1, codes[""]+codes[problem.DatabaseUnavailable]+codes[problem.OutcomeUnknown], "%v",
			codes)
	}
	require.GreaterOrEqual(t, b.count(t, "SELECT count(*) FROM bookings"), made)
	_, _, err := create(t, bookings, b.tenant, newKey(), newBooking(service, onDate(future(rounds*clients))))
	require.NoError(t, err, "the process lives")
}

// blockDate holds the lock of a date from outside, as a frozen server would, until the returned function runs.
func (b *testBundle) blockDate(t testing.TB, d lock.Date) (release func()) {
	t.Helper()
	keys, err := lock.Dates(b.tenant.ID, d)
	require.NoError(t, err)
	conn, err := pgx.Connect(t.Context(), b.url)
	require.NoError(t, err)
	tx, err := conn.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), "SELECT pg_advisory_xact_lock($1)", keys.Keys()[0].ID())
	require.NoError(t, err)
	release = func() { _ = conn.Close(context.WithoutCancel(t.Context())) }
	t.Cleanup(release) // or a test that failed would wait for what waits for the lock
	return release
}

func TestCreate_LockHeldForTooLong_IsRefusedWithNothingWrittenAndTheKeyFree(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newDateService(t, 1)
	s := dbtest.Open(t, db.Config{URL: b.url, LockTimeout: 200 * time.Millisecond})
	bookings := booking.NewService(s)
	release := b.blockDate(t, lock.Date(future(0)))
	key, n := newKey(), newBooking(service, onDate(future(0)))
	codes := race(10, func(i int) error {
		if i > 0 {
			key, n := newKey(), newBooking(service, onDate(future(0)))
			_, _, err := create(t, bookings, b.tenant, key, n)
			return err
		}
		_, _, err := create(t, bookings, b.tenant, key, n)
		return err
	})
	require.Equal(t, map[problem.Code]int{problem.LockTimeout: 10}, codes)
	require.Zero(t, b.count(t, "SELECT count(*) FROM bookings"))
	require.Zero(t, b.count(t, "SELECT count(*) FROM customers"))
	release()
	_, _, err := create(t, bookings, b.tenant, key, n)
	require.NoError(t, err)
}
