package booking_test

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/postgres/pgtest"
	"holdfast/internal/problem"
	"holdfast/internal/timetable"
)

// setupPooled is setup behind a PgBouncer in transaction mode that has fewer backends than a process has connections.
// b.sql goes around it.
func setupPooled(t *testing.T) *testBundle {
	t.Helper()
	direct := dbtest.Database(t)
	pooled := pgtest.PgBouncer(t, direct, map[string]string{"default_pool_size": "5"})
	b := &testBundle{url: pooled, sql: dbtest.SQL(t, direct)}
	b.service, b.tenants = b.process(t)
	b.catalog = catalog.NewService(dbtest.Open(t, db.Config{URL: b.url, MaxConns: 1}))
	b.tenant = b.newTenant(t, "Europe/Berlin")
	return b
}

func TestPooler_BookingsAreMadeReplayedRefusedAndChanged(t *testing.T) {
	t.Parallel()
	b := setupPooled(t)
	other, _ := b.process(t)
	service := b.newDateService(t, 1)
	for day := range 20 { // often enough for every connection to meet every backend
		key, minutes := newKey(), 5
		n := newBooking(service, onDate(future(day)))
		n.HoldMinutes = &minutes
		made, first, err := create(t, b.service, b.tenant, key, n)
		require.NoError(t, err)
		for _, s := range []*booking.Service{b.service, other} {
			_, again, err := create(t, s, b.tenant, key, n)
			require.NoError(t, err)
			require.True(t, again.Replayed)
			require.Equal(t, first.Body, again.Body)
			_, _, err = create(t, s, b.tenant, newKey(), newBooking(service, onDate(future(day))))
			require.True(t, problem.Is(err, problem.SlotUnavailable), "%v", err)
		}
		confirmed, err := change(t, other, b.tenant, made.ID, booking.Confirm)
		require.NoError(t, err)
		require.Equal(t, booking.Confirmed, confirmed.Status)
	}
	page, err := other.Availability(t.Context(), b.tenant, service,
		timetable.AvailabilityQuery{From: future(0), To: future(20), PartySize: 1})
	require.NoError(t, err)
	for i, day := range daysOf(page) {
		require.Equal(t, i == 20, day.Available, day.Date)
	}
}

func TestPooler_200ClientsOfTwoProcessesForOneSlot_ExactlyOneWins(t *testing.T) {
	t.Parallel()
	b := setupPooled(t)
	other, _ := b.process(t)
	service := b.newSlotService(t, 1, 60)
	services := []*booking.Service{b.service, other}
	codes := race(200, func(i int) error {
		_, _, err := create(t, services[i%2], b.tenant, newKey(), newBooking(service, slotOn(future(0), 10, 0)))
		return err
	})
	require.Equal(t, map[problem.Code]int{"": 1, problem.SlotUnavailable: 199}, codes)
	b.requireNoOverlap(t)
	require.Equal(t, 1, b.count(t, "SELECT count(*) FROM bookings"))
}

// TestPooler_ManyTenantsAtOnce_KeepToThemselves shares a few backends between tenants, whose settings must end with
// their transactions.
func TestPooler_ManyTenantsAtOnce_KeepToThemselves(t *testing.T) {
	t.Parallel()
	b := setupPooled(t)
	const tenants, each = 4, 10
	var sold atomic.Int64
	bundles := make([]*testBundle, tenants)
	for i := range bundles {
		mine := *b
		mine.tenant = b.newTenant(t, "UTC")
		bundles[i] = &mine
	}
	codes := race(tenants*each, func(i int) error {
		mine := bundles[i%tenants]
		service := mine.newDateService(t, 1)
		_, _, err := create(t, mine.service, mine.tenant, newKey(), newBooking(service, onDate(future(0))))
		sold.Add(1)
		return err
	})
	require.Equal(t, map[problem.Code]int{"": tenants * each}, codes)
	for _, mine := range bundles {
		require.Equal(t, each, b.count(t, "SELECT count(*) FROM bookings WHERE tenant_id = $1", mine.tenant.ID))
	}
	require.Zero(t, b.count(t,
		"SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = "+
			"current_database())"))
}

func TestPooler_BackendsTerminatedAgainAndAgain_NothingIsLostOrDoubled(t *testing.T) {
	t.Parallel()
	setupPooled(t).terminateAgainAndAgain(t)
}

func TestPooler_ConnectionCutAroundTheCommit_HappensOnceAndIsAnswered(t *testing.T) {
	t.Parallel()
	b := setupPooled(t)
	b.cutAroundTheCommit(t, true)
	b = setupPooled(t)
	b.cutAroundTheCommit(t, false)
}

func TestPooler_Create_TakesTwoRoundTrips(t *testing.T) {
	t.Parallel()
	setupPooled(t).countRoundTrips(t)
}
