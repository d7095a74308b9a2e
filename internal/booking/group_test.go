package booking_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/customer"
	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/lock"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
	"holdfast/internal/timetable"
)

// groups are how many transactions n requests may take that wait together: two that are in the database already, the
// rest, and as many again for those that came late.
const groups = 6

// together runs n requests for one date while somebody else holds its lock, so that they wait together, and then lets
// go. It returns their errors.
func (b *testBundle) together(t *testing.T, day civil.Date, n int, run func(i int) error) []error {
	t.Helper()
	release := b.blockDate(t, lock.Date(day))
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { errs[i] = run(i) })
	}
	requireJoined(t, b.metrics, n)
	release()
	wg.Wait()
	return errs
}

// transactions returns how many transactions wrote the bookings that there are.
func (b *testBundle) transactions(t *testing.T) int {
	t.Helper()
	return b.count(t, "SELECT count(DISTINCT xmin::text) FROM bookings")
}

func TestGroup_SameDate_ShareACommitAndKeepTheirOwnResponses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newSlotService(t, 1, 60)
	made := make([]booking.Booking, 24)
	keys := make([]string, len(made))
	for i, err := range b.together(t, future(0), len(made), func(i int) (err error) {
		keys[i] = newKey()
		made[i], _, err = create(t, b.service, b.tenant, keys[i], newBooking(service, slotOn(future(0), i, 0)))
		return err
	}) {
		require.NoError(t, err, "hour %d", i)
		require.Equal(t, i, made[i].StartsAt.Hour())
		_, again, err := create(t, b.service, b.tenant, keys[i], newBooking(service, slotOn(future(0), i, 0)))
		require.NoError(t, err)
		require.True(t, again.Replayed)
		require.Equal(t, made[i].ID, bookingIn(t, again).ID)
	}
	require.Equal(t, len(made), b.count(t, "SELECT count(*) FROM bookings"))
	require.LessOrEqual(t, b.transactions(t), groups)
}

// TestGroup_TwoRequestsForOneUnit_SecondIsRefused drops the constraint: only what members know of each other keeps them
// apart.
func TestGroup_TwoRequestsForOneUnit_SecondIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.dropConstraint(t)
	one, three := b.newDateService(t, 1), b.newDateService(t, 3)
	limit := 2
	limited := b.newService(t, catalog.ServiceSpec{
		Name: "Day", Spec: timetable.Spec{
			Kind: timetable.KindDate, ResourceIDs: []uuid.UUID{b.newResource(t, 9, timetable.Hours{})},
			MaxPerDay: &limit,
		},
	})
	services := []uuid.UUID{one, three, limited}
	codes := make(map[string]int)
	for i, err := range b.together(t, future(0), 30, func(i int) error {
		n := newBooking(services[i%3], onDate(future(0)))
		n.Customer.Email = "same@example.com"
		_, _, err := create(t, b.service, b.tenant, newKey(), n)
		return err
	}) {
		if err != nil {
			require.True(t, problem.Is(err, problem.SlotUnavailable), "%v", err)
			continue
		}
		codes[services[i%3].String()]++
	}
	require.Equal(t, map[string]int{one.String(): 1, three.String(): 3, limited.String(): 2}, codes)
	require.Equal(t, 6, b.count(t, "SELECT count(*) FROM bookings"))
	require.Equal(t, 1, b.count(t, "SELECT count(*) FROM customers"))
	require.LessOrEqual(t, b.transactions(t), groups)
	b.requireNoOverlap(t)
}

func TestGroup_HoldPastItsExpiry_IsFreedOnceAndReusedOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.dropConstraint(t)
	service := b.newDateService(t, 1)
	n, minutes := newBooking(service, onDate(future(0))), 1
	n.HoldMinutes = &minutes
	held, _, err := create(t, b.service, b.tenant, newKey(), n)
	require.NoError(t, err)
	_, err = b.sql.Exec(t.Context(), "UPDATE bookings SET hold_expires_at = now() - interval '1 second'")
	require.NoError(t, err)
	b.syncClaims(t)
	winners := 0
	for _, err := range b.together(t, future(0), 20, func(int) error {
		_, _, err := create(t, b.service, b.tenant, newKey(), newBooking(service, onDate(future(0))))
		return err
	}) {
		if err == nil {
			winners++
		} else {
			require.True(t, problem.Is(err, problem.SlotUnavailable), "%v", err)
		}
	}
	require.Equal(t, 1, winners)
	require.Equal(t, 1, b.count(t, "SELECT count(*) FROM bookings WHERE booking_id = $1 AND status = 'expired'",
		held.ID))
	require.Equal(t, 2, b.count(t, "SELECT count(*) FROM bookings"))
}

// occupyUnseen has somebody who takes no lock occupy the first hour of a day in a way that the store doesn't look for,
// with a booking that is longer than any service's: the constraint refuses what the rules allow.
func (b *testBundle) occupyUnseen(t *testing.T, service uuid.UUID, day civil.Date) {
	t.Helper()
	_, err := b.sql.Exec(t.Context(), `
		INSERT INTO customers (tenant_id, customer_id, email, name, created_at) VALUES ($1, $1, 'x@example.com', 'x', now())`, b.tenant.ID)
	require.NoError(t, err)
	_, err = b.sql.Exec(t.Context(), dbtest.InsertBookings(`
		SELECT sr.tenant_id, sr.tenant_id, sr.service_id, sr.resource_id, sr.tenant_id, 'confirmed', at - interval '9 days', at, 'UTC',
			'{[1,2)}', at - interval '9 days', at, NULL, 0, 0
		FROM service_resources sr, LATERAL (SELECT ($2::date + time '01:00') AT TIME ZONE 'Europe/Berlin' AS at) AS t
		WHERE sr.service_id = $1 ORDER BY sr.position LIMIT 1`), service, day.String())
	require.NoError(t, err)
}

func TestGroup_RequestsForOneNewCustomer_HistoryNamesTheOneThatMadeIt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newSlotService(t, 1, 60)
	for i, err := range b.together(t, future(0), 20, func(i int) error {
		n := newBooking(service, slotOn(future(0), i, 0))
		n.Customer = &customer.Customer{Email: "ada@example.com", Name: fmt.Sprint("Ada ", i)}
		_, err := b.service.Create(db.WithActor(t.Context(), db.Actor{RequestID: fmt.Sprint("request-", i)}), b.tenant,
			request(t, newKey()), n)
		return err
	}) {
		require.NoError(t, err, "hour %d", i)
	}
	// The ids of changes are in the order in which one process made them.
	var first, maker string
	require.NoError(t, b.sql.QueryRow(t.Context(),
		`SELECT request_id FROM changes WHERE type = 'booking.created' ORDER BY change_id LIMIT 1`).Scan(&first))
	require.NoError(t, b.sql.QueryRow(t.Context(),
		`SELECT request_id FROM changes WHERE type = 'customer.created'`).Scan(&maker))
	require.Equal(t, first, maker)
}

func TestGroup_OneFailsOrPanics_OthersSucceed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service, broken := b.newPanickingService(t, catalog.ServiceSpec{Name: "Tour", Spec: timetable.Spec{
		Kind: timetable.KindSlot, DurationMinutes: 60,
		SlotIntervalMinutes: 60,
	}})
	b.occupyUnseen(t, service, future(0))
	const taken, panics = 0, 7 // hours
	keys := make([]string, 20)
	for hour, err := range b.together(t, future(0), len(keys), func(hour int) (err error) {
		keys[hour] = newKey()
		defer func() {
			if v := recover(); v != nil {
				err = fmt.Errorf("panic: %v", v)
			}
		}()
		made := newBooking(service, slotOn(future(0), hour, 0))
		if hour == panics {
			made.ResourceIDs = []uuid.UUID{broken}
		}
		_, err = b.service.Create(t.Context(), b.tenant, request(t, keys[hour]), made)
		return err
	}) {
		switch hour {
		case taken:
			require.True(t, problem.Is(err, problem.SlotUnavailable), "%v", err)
		case panics:
			require.ErrorContains(t, err, "panic: ")
		default:
			require.NoError(t, err, "hour %d", hour)
		}
	}
	require.Equal(t, 1+18, b.count(t, "SELECT count(*) FROM bookings"))
	require.Equal(t, 18, b.count(t, "SELECT count(*) FROM idempotency_keys WHERE key = ANY ($1)", keys))
	b.requireNoOverlap(t)
}

func TestGroup_ClientDisconnects_OnlyItIsNotBooked(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newSlotService(t, 1, 60)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var gone atomic.Int64
	release := b.blockDate(t, lock.Date(future(0)))
	errs := make([]error, 24)
	keys := make([]string, len(errs))
	var wg sync.WaitGroup
	book := func(ctx context.Context, hour int) {
		keys[hour] = newKey()
		wg.Go(func() {
			_, errs[hour] = b.service.Create(ctx, b.tenant, request(t, keys[hour]),
				newBooking(service, slotOn(future(0), hour, 0)))
			if errs[hour] != nil {
				gone.Add(1)
			}
		})
	}
	for hour := range 2 { // these are in the database
		book(t.Context(), hour)
		require.Eventually(t, func() bool { return b.lockWaiters(t) == hour+1 }, longestWait, time.Millisecond)
	}
	for hour := 2; hour < len(errs); hour++ { // of these, every other goes away, the one that leads among them
		who := ctx
		if hour%2 == 1 {
			who = t.Context()
		}
		book(who, hour)
	}
	requireJoined(t, b.metrics, len(errs))
	cancel()
	require.Eventually(t, func() bool { return gone.Load() == 11 }, longestWait, time.Millisecond,
		"a request whose client has gone stops waiting")
	release()
	wg.Wait()
	for hour, err := range errs {
		if hour > 1 && hour%2 == 0 {
			require.ErrorIs(t, err, context.Canceled)
			require.Zero(t, b.count(t, "SELECT count(*) FROM idempotency_keys WHERE key = $1", keys[hour]))
			continue
		}
		require.NoError(t, err, "hour %d", hour)
	}
	require.Equal(t, 13, b.count(t, "SELECT count(*) FROM bookings"))
}

func TestGroup_ConnectionCutAroundTheCommit_EachHappensOnceAndIsAnswered(t *testing.T) {
	t.Parallel()
	for _, where := range []string{"before the database gets it", "after the database has done it"} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			service := b.newSlotService(t, 1, 60)
			proxy := dbtest.NewProxy(t, b.url)
			armed, cut := trigger()
			if where[0] == 'b' {
				proxy.BeforeCommit = cut
			} else {
				proxy.AfterCommit = cut
			}
			bookings := b.through(t, proxy)
			// reads the rules
			_, _, err := create(t, bookings, b.tenant, newKey(), newBooking(service, slotOn(future(1), 0, 0)))
			require.NoError(t, err)
			armed.Store(2)
			taken := 0
			for _, err := range b.together(t, future(0), 48, func(i int) error { // two for each hour
				_, _, err := create(t, bookings, b.tenant, newKey(), newBooking(service, slotOn(future(0), i%24, 0)))
				return err
			}) {
				if err != nil {
					require.True(t, problem.Is(err, problem.SlotUnavailable), "%v", err)
					taken++
				}
			}
			require.Equal(t, 24, taken)
			require.Equal(t, 1+24, b.count(t, "SELECT count(*) FROM bookings"))
			require.Less(t, armed.Load(), int64(2), "a connection was cut")
		})
	}
}

func TestGroup_ClientsWhosePatienceEndsWhileTheLockIsWaitedFor_AreNotBookedAndTheOthersAre(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newSlotService(t, 1, 60)
	release := b.blockDate(t, lock.Date(future(0)))
	soon, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	errs := make([]error, 24)
	var wg sync.WaitGroup
	for hour := range errs {
		ctx := t.Context()
		if hour%2 == 0 {
			ctx = soon
		}
		wg.Go(func() {
			_, errs[hour] = b.service.Create(ctx, b.tenant, request(t, newKey()),
				newBooking(service, slotOn(future(0), hour, 0)))
		})
	}
	<-soon.Done()
	release()
	wg.Wait()
	for hour, err := range errs {
		require.Equal(t, hour%2 == 0, err != nil, "hour %d: %v", hour, err)
	}
	require.Equal(t, 12, b.count(t, "SELECT count(*) FROM bookings"))
}

func TestCreate_LockThatIsHeldLongerThanItsClientWaits_IsGivenUpInTime(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newDateService(t, 1)
	release := b.blockDate(t, lock.Date(future(0)))
	s := dbtest.Open(t, db.Config{URL: b.url, LockTimeout: time.Hour})
	ended := make(chan error, 1)
	go func() {
		ctx := withDeadline{t.Context(), testtime.Now().Add(300 * time.Millisecond)}
		_, err := booking.NewService(s).Create(ctx, b.tenant, request(t, newKey()),
			newBooking(service, onDate(future(0))))
		ended <- err
	}()
	select {
	case err := <-ended:
		require.True(t, problem.Is(err, problem.LockTimeout), "%v", err)
	case <-time.After(longestWait):
		release()
		require.Fail(t, "the request waits for the lock timeout")
	}
}

// withDeadline has a deadline and doesn't end at it: what ends then is what looked at the deadline.
type withDeadline struct {
	context.Context //nolint:containedctx // it is a context

	at time.Time
}

func (d withDeadline) Deadline() (time.Time, bool) { return d.at, true }
