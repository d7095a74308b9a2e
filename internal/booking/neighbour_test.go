package booking_test

import (
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/lock"
	"holdfast/internal/testtime"
)

// TestBook_200WaitersOnOneDate_OtherTenantBooksAsEver holds a date's lock, lets 200 requests of one process wait for
// it, and has another tenant book in the same process. All the waiters together hold two of the process's connections,
// so that three are enough for everybody.
func TestBook_200WaitersOnOneDate_OtherTenantBooksAsEver(t *testing.T) {
	t.Parallel()
	const waiters = 200
	b := setup(t)
	busy := *b
	busyService := busy.newDateService(t, 1)
	b.tenant = b.newTenant(t, "Europe/Berlin")
	service := b.newDateService(t, 1)
	proxy, metrics := dbtest.NewProxy(t, b.url), prometheus.NewRegistry()
	s := dbtest.Open(t, db.Config{URL: proxy.URL, MaxConns: 3, LockTimeout: longestWait, Metrics: metrics})
	process := booking.NewService(s)
	day := 0
	book := func() {
		day++
		_, _, err := create(t, process, b.tenant, newKey(), newBooking(service, onDate(future(day))))
		require.NoError(t, err)
	}
	// reads the rules
	_, _, err := create(t, process, busy.tenant, newKey(), newBooking(busyService, onDate(future(1))))
	require.NoError(t, err)

	release := busy.blockDate(t, lock.Date(future(0)))
	var waiting sync.WaitGroup
	for range waiters {
		waiting.Go(func() {
			_, _, _ = create(t, process, busy.tenant, newKey(), newBooking(busyService, onDate(future(0))))
		})
	}
	requireJoined(t, metrics, waiters)
	b.requireLockWaiters(t, 2)
	for range 3 { // reads the rules, prepares the statements
		book()
	}
	s.WaitForBackground()
	before, times := proxy.Trips(), testtime.Rounds(20)
	for range times {
		book()
	}
	require.Equal(t, 2*times, proxy.Trips()-before, "a booking takes two round trips, as without waiters")
	require.Equal(t, 2, b.lockWaiters(t), "all but two wait in the process and hold no connection")
	release()
	waiting.Wait()
	require.Equal(t, 2, b.count(t, "SELECT count(*) FROM bookings WHERE tenant_id = $1", busy.tenant.ID))
}

// lockWaiters returns how many of the database's sessions wait for an advisory lock.
func (b *testBundle) lockWaiters(t testing.TB) int {
	t.Helper()
	return b.count(t, `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
		AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`)
}
