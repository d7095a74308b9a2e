package booking_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/lock"
	"holdfast/internal/problem"
	"holdfast/internal/timetable"
)

// setOutTogether runs n requests of a process that has one connection, which is in use until all of them wait for it:
// they set out together. Before, it makes a booking, for which it reads the service's rules. It returns what waits for
// them.
func (b *testBundle) setOutTogether(t *testing.T, before booking.CreateRequest, n int,
	run func(s *booking.Service, i int),
) (wait func()) {
	t.Helper()
	metrics := prometheus.NewRegistry()
	s := dbtest.Open(t, db.Config{URL: b.url, MaxConns: 1, Metrics: metrics})
	process := booking.NewService(s)
	blocks := b.newDateService(t, 1)
	for day, made := range []booking.CreateRequest{before, newBooking(blocks, onDate(future(1000)))} {
		_, _, err := create(t, process, b.tenant, newKey(), made)
		require.NoError(t, err, day)
	}
	release := b.blockDate(t, lock.Date(future(1001)))
	var wg sync.WaitGroup
	wg.Go(func() {
		_, _, err := create(t, process, b.tenant, newKey(), newBooking(blocks, onDate(future(1001))))
		if err != nil {
			t.Error(err)
		}
	})
	require.Eventually(t, func() bool { return b.lockWaiters(t) == 1 }, longestWait, time.Millisecond)
	for i := range n {
		wg.Go(func() { run(process, i) })
	}
	requireJoined(t, metrics, n+1)
	release()
	return wg.Wait
}

func TestTenantGroup_RequestsForSeveralDatesOfATenant_ShareATransactionAndKeepTheirOwnAnswers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newSlotService(t, 1, 60)
	made := make([]booking.Booking, 40)
	keys := make([]string, len(made))
	day := func(i int) timetable.When { return slotOn(future(i/2), 9+i%2, 0) }
	b.setOutTogether(t, newBooking(service, slotOn(future(100), 0, 0)), len(made), func(s *booking.Service, i int) {
		keys[i] = newKey()
		var err error
		if made[i], _, err = create(t, s, b.tenant, keys[i], newBooking(service, day(i))); err != nil {
			t.Errorf("%d: %v", i, err)
		}
	})()
	for i, m := range made {
		require.Equal(t, future(i/2), m.Date)
		require.Equal(t, 9+i%2, m.StartsAt.Hour())
		_, again, err := create(t, b.service, b.tenant, keys[i], newBooking(service, day(i)))
		require.NoError(t, err)
		require.True(t, again.Replayed)
		require.Equal(t, m.ID, bookingIn(t, again).ID)
	}
	require.Equal(t, 3+len(made), b.count(t, "SELECT count(*) FROM bookings"))
	require.LessOrEqual(t, b.transactions(t), 3+2, "all of them set out together")
}

func TestTenantGroup_OneDateLocked_OthersCommit(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newDateService(t, 1)
	const n, held = 12, 5
	release := b.blockDate(t, lock.Date(future(held)))
	errs := make([]error, n)
	wait := b.setOutTogether(t, newBooking(service, onDate(future(100))), n, func(s *booking.Service, i int) {
		_, _, errs[i] = create(t, s, b.tenant, newKey(), newBooking(service, onDate(future(i))))
	})
	require.Eventually(t, func() bool { return b.count(t, "SELECT count(*) FROM bookings") == 3+n-1 }, longestWait,
		time.Millisecond,
		"only the one whose lock is held waits")
	require.Eventually(t, func() bool { return b.lockWaiters(t) == 1 }, longestWait, time.Millisecond)
	release()
	wait()
	for i, err := range errs {
		require.NoError(t, err, "day %d", i)
	}
	require.Equal(t, 3+n, b.count(t, "SELECT count(*) FROM bookings"))
}

func TestTenantGroup_LapsedHoldOnLockedDate_IsNotExpired(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newDateService(t, 1)
	held := b.hold(t, service, onDate(future(0)))
	b.expireIn(t, held.ID, 0)
	release := b.blockDate(t, lock.Date(future(0)))
	const n = 6
	wait := b.setOutTogether(t, newBooking(service, onDate(future(100))), n, func(s *booking.Service, i int) {
		if _, _, err := create(t, s, b.tenant, newKey(), newBooking(service, onDate(future(i)))); err != nil {
			t.Errorf("day %d: %v", i, err)
		}
	})
	status := func() (is string) {
		require.NoError(t, b.sql.QueryRow(t.Context(), "SELECT status FROM bookings WHERE booking_id = $1",
			held.ID).Scan(&is))
		return is
	}
	require.Eventually(t, func() bool { return b.count(t, "SELECT count(*) FROM bookings") == 1+3+n-1 }, longestWait,
		time.Millisecond)
	require.Equal(t, "held", status(), "nobody has the lock of its date")
	release()
	wait()
	require.Equal(t, "expired", status())
	require.Equal(t, 1+3+n, b.count(t, "SELECT count(*) FROM bookings"))
}

func TestTenantGroup_OneFailsOrPanics_OthersSucceed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service, broken := b.newPanickingService(t, catalog.ServiceSpec{Name: "Tour", Spec: timetable.Spec{
		Kind: timetable.KindSlot, DurationMinutes: 60,
		SlotIntervalMinutes: 60,
	}})
	const n, taken, panics = 20, 0, 7
	b.occupyUnseen(t, service, future(taken))
	errs, keys := make([]error, n), make([]string, n)
	b.setOutTogether(t, newBooking(service, slotOn(future(100), 0, 0)), n, func(s *booking.Service, i int) {
		defer func() {
			if v := recover(); v != nil {
				errs[i] = fmt.Errorf("panic: %v", v)
			}
		}()
		keys[i] = newKey()
		made := newBooking(service, slotOn(future(i), 0, 0))
		if i == panics {
			made.ResourceIDs = []uuid.UUID{broken}
		}
		_, errs[i] = s.Create(t.Context(), b.tenant, request(t, keys[i]), made)
	})()
	for i, err := range errs {
		switch i {
		case taken:
			require.True(t, problem.Is(err, problem.SlotUnavailable), "%v", err)
		case panics:
			require.ErrorContains(t, err, "panic: ")
		default:
			require.NoError(t, err, "day %d", i)
		}
	}
	require.Equal(t, 1+3+n-2, b.count(t, "SELECT count(*) FROM bookings"))
	require.Equal(t, n-2, b.count(t, "SELECT count(*) FROM idempotency_keys WHERE key = ANY ($1)", keys))
	b.requireNoOverlap(t)
}

// TestTenantGroup_RowsThatSomebodyKeeps has all of a tenant's turns stuck on idempotency keys that somebody else is
// writing.
func TestTenantGroup_KeyRowLocked_OtherRequestsCommit(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newDateService(t, 1)
	_, _, err := create(t, b.service, b.tenant, newKey(), newBooking(service, onDate(future(100)))) // reads the rules
	require.NoError(t, err)
	tx, err := b.sql.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = tx.Rollback(context.Background()) }()
	stuck := make([]string, 4)
	for i := range stuck {
		stuck[i] = newKey()
		_, err := tx.Exec(t.Context(), `
			INSERT INTO idempotency_keys (tenant_id, key, fingerprint, status, location, etag, body, created_at, expires_at)
			VALUES ($1, $2, decode(repeat('00', 32), 'hex'), 201, '', '', '', now(), now() + interval '1 day')`, b.tenant.ID, stuck[i])
		require.NoError(t, err)
	}
	var waiting sync.WaitGroup
	results := make([]error, len(stuck))
	for i, key := range stuck {
		waiting.Go(func() {
			_, _, results[i] = create(t, b.service, b.tenant, key, newBooking(service, onDate(future(i))))
		})
		require.Eventually(t, func() bool {
			return b.count(t,
				"SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'transactionid' AND datname = current_database()") == i+1
		}, longestWait, time.Millisecond)
	}
	codes := race(20, func(i int) error {
		_, _, err := create(t, b.service, b.tenant, newKey(), newBooking(service, onDate(future(10+i))))
		return err
	})
	require.Equal(t, map[problem.Code]int{"": 20}, codes)
	require.NoError(t, tx.Rollback(t.Context()))
	waiting.Wait()
	for _, err := range results {
		require.NoError(t, err, "whose row was kept was only kept waiting")
	}
	require.Equal(t, 1+20+len(stuck), b.count(t, "SELECT count(*) FROM bookings"))
}

// TestTenantGroup_TwoProcessesForManyDates drops the constraint: only the locks, tried or waited for, keep them apart.
func TestTenantGroup_TwoProcessesForManyDates_EachDateIsSoldOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.dropConstraint(t)
	service := b.newDateService(t, 1)
	other, _ := b.process(t)
	processes := []*booking.Service{b.service, other}
	const dates, clients = 20, 4
	codes := race(dates*clients, func(i int) error {
		_, _, err := create(t, processes[i%2], b.tenant, newKey(), newBooking(service, onDate(future(i/clients))))
		return err
	})
	require.Equal(t, map[problem.Code]int{"": dates, problem.SlotUnavailable: dates * (clients - 1)}, codes)
	require.Equal(t, dates, b.count(t, "SELECT count(DISTINCT date) FROM bookings"))
	require.Equal(t, dates, b.count(t, "SELECT count(*) FROM bookings"))
}
