package booking_test

import (
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/lock"
	"holdfast/internal/problem"
)

func extend(t testing.TB, s *booking.Service, b *testBundle, id uuid.UUID, minutes int) (booking.Booking, error) {
	t.Helper()
	resp, err := s.Extend(t.Context(), b.tenant, request(t, newKey()), id, booking.ExtendRequest{HoldMinutes: minutes},
		"")
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
	require.Equal(t, 1, b.count(t,
		"SELECT count(*) FROM bookings WHERE hold_expires_at = updated_at + interval '30 minutes'"))
	require.Equal(t, 1, b.count(t, `SELECT count(*) FROM scheduled_events e JOIN bookings b ON b.booking_id = e.subject_id
		WHERE e.kind = 'booking.hold_expiry' AND e.status = 'pending' AND e.due_at = b.hold_expires_at AND b.hold_expires_at = $1`,
		*extended.HoldExpiresAt))

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
	_, err = b.service.Extend(t.Context(), b.tenant, request(t, newKey()), held.ID,
		booking.ExtendRequest{HoldMinutes: 5}, `"2"`)
	require.True(t, problem.Is(err, problem.VersionMismatch), "%v", err)
	for _, minutes := range []int{0, -1, booking.MaxHoldMinutes + 1} {
		_, err = extend(t, b.service, b, held.ID, minutes)
		require.True(t, problem.Is(err, problem.ValidationFailed), "%v", err)
	}
	for status, code := range map[booking.Status]problem.Code{
		booking.Held: problem.HoldExpired, booking.Expired: problem.HoldExpired,
		booking.Confirmed: problem.InvalidState,
		booking.Cancelled: problem.InvalidState, booking.Completed: problem.InvalidState,
		booking.NoShow: problem.InvalidState,
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
	_, err := b.sql.Exec(t.Context(), `UPDATE bookings SET created_at = now() - interval '6 days'`)
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
	first, err := b.service.Extend(t.Context(), b.tenant, request(t, key), held.ID,
		booking.ExtendRequest{HoldMinutes: 30}, `"1"`)
	require.NoError(t, err)
	b.expireIn(t, held.ID, 0)
	other, _ := b.process(t)
	for _, s := range []*booking.Service{b.service, other} {
		again, err := s.Extend(t.Context(), b.tenant, request(t, key), held.ID, booking.ExtendRequest{HoldMinutes: 30},
			`"1"`)
		require.NoError(t, err)
		require.True(t, again.Replayed)
		require.Equal(t, first.Body, again.Body)
	}
	b.requireStory(t, held.ID, "booking.held", "booking.updated")
}

// TestExtend_WhileTheEventOfTheExpiryWaits_HoldLasts has the event of a hold's end read the hold when it has ended, and
// get the date's lock when an extension has let the hold last again.
func TestExtend_WhileTheEventOfTheExpiryWaits_HoldLasts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	held := b.hold(t, b.newDateService(t, 1), onDate(future(0)))
	expiry := b.expiry(t, longestWait)
	release := b.blockDate(t, lock.Date(future(0)))
	var both sync.WaitGroup
	both.Go(func() {
		if _, err := extend(t, b.service, b, held.ID, 30); err != nil {
			t.Errorf("extend: %v", err)
		}
	})
	b.requireLockWaiters(t, 1)
	b.expireIn(t, held.ID, 0)
	both.Go(func() { expiry.run(t.Context()) })
	b.requireLockWaiters(t, 2)
	b.expireIn(t, held.ID, longestWait)
	release()
	both.Wait()
	b.requireStory(t, held.ID, "booking.held", "booking.updated")
	require.Equal(t, 1, b.count(t, `SELECT count(*) FROM scheduled_events e JOIN bookings b ON b.booking_id = e.subject_id
		WHERE e.kind = 'booking.hold_expiry' AND e.status = 'pending' AND e.due_at = b.hold_expires_at AND b.status = 'held'`))
}
