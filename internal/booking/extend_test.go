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
)

func extend(t testing.TB, s *booking.Service, b *testBundle, id uuid.UUID, minutes int) (booking.Booking, error) {
	t.Helper()
	resp, err := s.Extend(t.Context(), b.tenant, request(t, newKey()), id, minutes, "")
	if err != nil {
		return booking.Booking{}, err
	}
	return bookingIn(t, resp), nil
}

func TestExtend_HoldThatLasts_EndsLaterAndItsEventMoves(t *testing.T) {
	t.Parallel()
	b := setup(t)
	held := b.hold(t, b.newDateService(t, 1), onDate(future(0)))
	extended, err := extend(t, b.service, b, held.ID, 30)
	require.NoError(t, err)
	require.EqualValues(t, 2, extended.Version)
	require.WithinDuration(t, time.Now().Add(30*time.Minute), *extended.HoldExpiresAt, longestWait)
	require.Equal(t, 1, b.count(t, `SELECT count(*) FROM scheduled_events e JOIN bookings b ON b.booking_id = e.subject_id
		WHERE e.kind = 'booking.hold_expiry' AND e.status = 'pending' AND e.due_at = b.hold_expires_at AND b.hold_expires_at = $1`, *extended.HoldExpiresAt))

	same, err := extend(t, b.service, b, held.ID, 10)
	require.NoError(t, err)
	require.Equal(t, extended, same, "a hold that lasts longer stays as it is")
	b.requireStory(t, held.ID, "booking.held", "booking.updated")
}

func TestExtend_WhatIsNoHoldThatLasts_IsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newDateService(t, 10)
	_, err := extend(t, b.service, b, uuid.New(), 5)
	require.True(t, problem.Is(err, problem.NotFound), "%v", err)
	held := b.hold(t, service, onDate(future(0)))
	_, err = b.service.Extend(t.Context(), b.tenant, request(t, newKey()), held.ID, 5, `"2"`)
	require.True(t, problem.Is(err, problem.VersionMismatch), "%v", err)
	for _, minutes := range []int{0, -1, booking.MaxHoldMinutes + 1} {
		_, err = extend(t, b.service, b, held.ID, minutes)
		require.True(t, problem.Is(err, problem.ValidationFailed), "%v", err)
	}
	for status, code := range map[booking.Status]problem.Code{
		booking.Held: problem.HoldExpired, booking.Expired: problem.HoldExpired, booking.Confirmed: problem.InvalidState,
		booking.Cancelled: problem.InvalidState, booking.Completed: problem.InvalidState, booking.NoShow: problem.InvalidState,
	} {
		_, err := b.sql.Exec(t.Context(), `UPDATE bookings SET status = $1, hold_expires_at = now()`, status)
		require.NoError(t, err)
		_, err = extend(t, b.service, b, held.ID, 5)
		require.True(t, problem.Is(err, code), "%s: %v", status, err)
	}
	b.requireStory(t, held.ID, "booking.held")
}

func TestExtend_BeyondTheLongestHold_IsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	held := b.hold(t, b.newDateService(t, 1), onDate(future(0)))
	_, err := b.sql.Exec(t.Context(), `UPDATE bookings SET created_at = created_at - interval '6 days'`)
	require.NoError(t, err)
	_, err = extend(t, b.service, b, held.ID, 2*24*60)
	require.True(t, problem.Is(err, problem.ValidationFailed), "the longest hold counts from its start: %v", err)
	_, err = extend(t, b.service, b, held.ID, 23*60)
	require.NoError(t, err)
	b.requireStory(t, held.ID, "booking.held", "booking.updated")
}

func TestExtend_Replayed_GivesTheFirstAnswer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	held := b.hold(t, b.newDateService(t, 1), onDate(future(0)))
	key := newKey()
	first, err := b.service.Extend(t.Context(), b.tenant, request(t, key), held.ID, 30, `"1"`)
	require.NoError(t, err)
	b.expireIn(t, held.ID, 0)
	other, _ := b.process(t)
	for _, s := range []*booking.Service{b.service, other} {
		again, err := s.Extend(t.Context(), b.tenant, request(t, key), held.ID, 30, `"1"`)
		require.NoError(t, err)
		require.True(t, again.Replayed)
		require.Equal(t, first.Body, again.Body)
	}
	b.requireStory(t, held.ID, "booking.held", "booking.updated")
}

// TestExtend_InOrderWithTheExpiry_FirstOneWins forces both orders: the date is locked while the extension and the event of the expiry queue up. The
// event is due, because it was planned for the end that the hold had at first.
func TestExtend_InOrderWithTheExpiry_FirstOneWins(t *testing.T) {
	t.Parallel()
	t.Run("the extension first", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		held := b.hold(t, b.newDateService(t, 1), onDate(future(0)))
		_, err := b.sql.Exec(t.Context(), `UPDATE scheduled_events SET due_at = now()`)
		require.NoError(t, err)
		expiry := b.expiry(t, longestWait)
		release := b.blockDate(t, lock.Date(future(0)))
		var both sync.WaitGroup
		both.Go(func() {
			_, err := extend(t, b.service, b, held.ID, 30)
			if err != nil {
				t.Errorf("extend: %v", err)
			}
		})
		require.Eventually(t, func() bool { return b.lockWaiters(t) == 1 }, longestWait, time.Millisecond)
		both.Go(func() { expiry.run(t.Context()) })
		require.Eventually(t, func() bool { return b.lockWaiters(t) == 2 }, longestWait, time.Millisecond)
		release()
		both.Wait()
		b.requireStory(t, held.ID, "booking.held", "booking.updated")
		require.Equal(t, 1, b.count(t, `SELECT count(*) FROM scheduled_events e JOIN bookings b ON b.booking_id = e.subject_id
			WHERE e.kind = 'booking.hold_expiry' AND e.status = 'pending' AND e.due_at = b.hold_expires_at AND b.status = 'held'`))
	})
	t.Run("the expiry first", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		held := b.hold(t, b.newDateService(t, 1), onDate(future(0)))
		b.expireIn(t, held.ID, 0)
		expiry := b.expiry(t, longestWait)
		release := b.blockDate(t, lock.Date(future(0)))
		var both sync.WaitGroup
		both.Go(func() { expiry.run(t.Context()) })
		require.Eventually(t, func() bool { return b.lockWaiters(t) == 1 }, longestWait, time.Millisecond)
		both.Go(func() {
			_, err := extend(t, b.service, b, held.ID, 30)
			if !problem.Is(err, problem.HoldExpired) {
				t.Errorf("extend: %v", err)
			}
		})
		require.Eventually(t, func() bool { return b.lockWaiters(t) == 2 }, longestWait, time.Millisecond)
		release()
		both.Wait()
		b.requireStory(t, held.ID, "booking.held", "booking.expired")
	})
}

// TestExtend_InOrderWithARival_FirstOneWins forces both orders of an extension and of a rival's booking around the moment of the expiry.
func TestExtend_InOrderWithARival_FirstOneWins(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newDateService(t, 1)
	extended := b.hold(t, service, onDate(future(0)))
	_, err := extend(t, b.service, b, extended.ID, 30)
	require.NoError(t, err)
	_, _, err = create(t, b.service, b.tenant, newKey(), newBooking(service, onDate(future(0))))
	require.True(t, problem.Is(err, problem.SlotUnavailable), "%v", err)

	lapsed := b.hold(t, service, onDate(future(1)))
	b.expireIn(t, lapsed.ID, 0)
	b.booked(t, service, onDate(future(1)))
	_, err = extend(t, b.service, b, lapsed.ID, 30)
	require.True(t, problem.Is(err, problem.HoldExpired), "%v", err)
	b.requireStory(t, lapsed.ID, "booking.held", "booking.expired")
	b.requireNoOverlap(t)
}

func TestExtend_RacesRebookingAtTheExpiry_OneWins(t *testing.T) {
	t.Parallel()
	const rounds, workers = 400, 8
	b := setup(t)
	other, _ := b.process(t)
	service := b.newDateService(t, 1)
	var mu sync.Mutex
	extended, rebooked := 0, 0
	days := make(chan int)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for day := range days {
				held := b.hold(t, service, onDate(future(day)))
				// On a busy machine the hold of most rounds ends before either of the two begins. In the longer rounds there is time for both.
				span := 12 * time.Millisecond
				if day%8 == 0 {
					span *= 50
				}
				b.expireIn(t, held.ID, span)
				errs := make([]error, 2)
				var race sync.WaitGroup
				// The pauses are the test: they spread both around the moment of the expiry.
				race.Go(func() {
					time.Sleep(rand.N(span * 7 / 6))
					_, errs[0] = extend(t, b.service, b, held.ID, 60)
				})
				race.Go(func() {
					time.Sleep(rand.N(span * 5 / 3))
					_, _, errs[1] = create(t, other, b.tenant, newKey(), newBooking(service, onDate(future(day))))
				})
				race.Wait()
				mu.Lock()
				switch {
				case errs[0] == nil && errs[1] == nil:
					t.Error("both won")
				case errs[0] == nil:
					extended++
				case errs[1] == nil:
					rebooked++
				}
				mu.Unlock()
				if errs[0] != nil && !problem.Is(errs[0], problem.HoldExpired) || errs[1] != nil && !problem.Is(errs[1], problem.SlotUnavailable) {
					t.Errorf("extend: %v; create: %v", errs[0], errs[1])
				}
			}
		})
	}
	for day := range rounds {
		days <- day
	}
	close(days)
	wg.Wait()
	t.Logf("extended %d, rebooked %d", extended, rebooked)
	require.Positive(t, extended)
	require.Positive(t, rebooked)
	b.requireNoOverlap(t)
	require.Equal(t, extended, b.count(t, "SELECT count(*) FROM bookings WHERE status = 'held' AND hold_expires_at > now()"))
	require.Equal(t, rebooked, b.count(t, "SELECT count(*) FROM bookings WHERE status = 'confirmed'"))
}
