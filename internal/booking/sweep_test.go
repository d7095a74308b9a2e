package booking_test

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/lock"
	"holdfast/internal/problem"
	"holdfast/internal/store"
	"holdfast/internal/store/storetest"
)

// sweep returns the hold sweep as another server process would have it.
func (b *testBundle) sweep(t testing.TB, lockTimeout time.Duration) *booking.HoldSweep {
	t.Helper()
	return booking.NewHoldSweep(storetest.Open(t, store.Config{URL: b.url, MaxConns: 4, LockTimeout: lockTimeout}), nil, nil)
}

func TestHoldSweep_MarksLapsedHoldsOfAllTenants_AndLeavesLiveOnes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newDateService(t, 1)
	live := b.hold(t, service, onDate(future(0)))
	lapsed := b.hold(t, service, onDate(future(1)))
	b.expireIn(t, lapsed.ID, 0)
	first := b.tenant
	b.tenant = b.newTenant(t, "Pacific/Auckland")
	other := b.hold(t, b.newSlotService(t, 1, 60), at(future(2).String()+"T10:00:00+12:00"))
	b.expireIn(t, other.ID, 0)

	n, err := b.sweep(t, 0).Once(t.Context())
	require.NoError(t, err)
	require.Equal(t, 2, n)
	got, err := b.service.Get(t.Context(), b.tenant, other.ID)
	require.NoError(t, err)
	require.Equal(t, booking.Expired, got.Status)
	b.tenant = first
	expired := booking.Expired
	list, err := b.service.List(t.Context(), b.tenant, booking.Filter{Status: &expired, Limit: 10})
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, lapsed.ID, list[0].ID)
	require.EqualValues(t, 2, list[0].Version)
	_, err = change(t, b.service, b.tenant, live.ID, booking.Confirm)
	require.NoError(t, err)
	n, err = b.sweep(t, 0).Once(t.Context())
	require.NoError(t, err)
	require.Zero(t, n, "a second sweep finds nothing")
}

func TestHoldSweep_DateThatIsLocked_WaitsAndDoesNotHoldUpOthers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newDateService(t, 1)
	held := b.hold(t, service, onDate(future(0)))
	other := b.hold(t, service, onDate(future(1)))
	b.expireIn(t, held.ID, 0)
	b.expireIn(t, other.ID, 0)
	keys, err := lock.Calendar(b.tenant.ID, lock.Date(future(0)))
	require.NoError(t, err)
	tx, err := b.sql.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), "SELECT pg_advisory_xact_lock($1)", keys.Keys()[0].ID())
	require.NoError(t, err)

	n, err := b.sweep(t, 300*time.Millisecond).Once(t.Context())
	require.True(t, problem.Is(err, problem.LockTimeout), "%v", err)
	require.Equal(t, 1, n)
	require.Equal(t, 1, b.count(t, "SELECT count(*) FROM bookings WHERE status = 'held'"), "nothing is marked without its date's lock")
	require.NoError(t, tx.Rollback(t.Context()))
	n, err = b.sweep(t, 0).Once(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, n)
}

func TestHoldSweep_OnSeveralInstances_MarksEachHoldOnce(t *testing.T) {
	t.Parallel()
	const holds, instances = 60, 4
	b := setup(t)
	service := b.newDateService(t, 2)
	var all []uuid.UUID
	for i := range holds {
		all = append(all, b.hold(t, service, onDate(future(i/2))).ID)
	}
	for _, id := range all {
		b.expireIn(t, id, 0)
	}
	var marked sync.Map
	codes := race(instances, func(i int) error {
		n, err := b.sweep(t, 0).Once(t.Context())
		marked.Store(i, n)
		return err
	})
	require.Equal(t, map[problem.Code]int{"": instances}, codes)
	sum := 0
	marked.Range(func(_, n any) bool { sum += n.(int); return true })
	require.Equal(t, holds, sum)
	require.Equal(t, holds, b.count(t, "SELECT count(*) FROM bookings WHERE status = 'expired' AND version = 2"))
}

// TestHoldSweep_AtTheMomentOfAConfirmation races the two: the confirmation wins before the expiry, the sweep after it.
func TestHoldSweep_RacesConfirm_OneWins(t *testing.T) {
	t.Parallel()
	const rounds, workers = 400, 8
	b := setup(t)
	service := b.newDateService(t, 1)
	sweeps := []*booking.HoldSweep{b.sweep(t, 0), b.sweep(t, 0)}
	var mu sync.Mutex
	confirmed := map[uuid.UUID]bool{}
	days := make(chan int)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for day := range days {
				held := b.hold(t, service, onDate(future(day)))
				b.expireIn(t, held.ID, 12*time.Millisecond)
				var err error
				var both sync.WaitGroup
				// The pauses are the test: they spread both around the moment of the expiry.
				both.Go(func() {
					time.Sleep(time.Duration(rand.IntN(16_000)) * time.Microsecond)
					_, err = change(t, b.service, b.tenant, held.ID, booking.Confirm)
				})
				both.Go(func() {
					time.Sleep(time.Duration(10_000+rand.IntN(6_000)) * time.Microsecond)
					_, sweepErr := sweeps[day%2].Once(t.Context())
					if sweepErr != nil {
						t.Errorf("sweep: %v", sweepErr)
					}
				})
				both.Wait()
				if err != nil && !problem.Is(err, problem.HoldExpired) {
					t.Errorf("confirm: %v", err)
				}
				mu.Lock()
				confirmed[held.ID] = err == nil
				mu.Unlock()
			}
		})
	}
	for day := range rounds {
		days <- day
	}
	close(days)
	wg.Wait()
	_, err := sweeps[0].Once(t.Context()) // holds whose sweep was too early
	require.NoError(t, err)
	won := 0
	for id, ok := range confirmed {
		got, err := b.service.Get(t.Context(), b.tenant, id)
		require.NoError(t, err)
		want := booking.Expired
		if ok {
			want = booking.Confirmed
			won++
		}
		require.Equal(t, want, got.Status)
		require.EqualValues(t, 2, got.Version)
	}
	t.Logf("confirmed %d of %d", won, rounds)
	require.Positive(t, won)
	require.Less(t, won, rounds)
}
