package booking_test

import (
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
	"holdfast/internal/timetable"
)

// requireNoDeadlock requires that PostgreSQL ended no transaction of the database for a deadlock.
func (b *testBundle) requireNoDeadlock(t testing.TB) {
	t.Helper()
	require.Zero(t, b.count(t, "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"))
}

// TestReschedule_TwoBookingsSwapTheirDates_NobodyGetsIn has two clients of two processes move each to the date of the
// other. As long as one unit is sold on each date, neither has left when the other one comes: both are refused, and
// both bookings stay as they are.
func TestReschedule_TwoBookingsSwapTheirDates_NobodyGetsIn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other, _ := b.process(t)
	service := b.newDateService(t, 1)
	one, two := b.booked(t, service, onDate(future(0))), b.booked(t, service, onDate(future(1)))
	for range testtime.Rounds(10) {
		codes := race(2, func(i int) error {
			if i == 0 {
				_, err := reschedule(t, b.service, b.tenant, one.ID, to(onDate(future(1))))
				return err
			}
			_, err := reschedule(t, other, b.tenant, two.ID, to(onDate(future(0))))
			return err
		})
		require.Equal(t, map[problem.Code]int{problem.SlotUnavailable: 2}, codes)
	}
	b.requireStory(t, one.ID, "booking.created")
	b.requireStory(t, two.ID, "booking.created")
	b.requireNoDeadlock(t)
}

// TestReschedule_SwapWithASpareUnit_BothGetIn is the swap on dates that sell two units: nothing is in the way of
// either.
func TestReschedule_SwapWithASpareUnit_BothGetIn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other, _ := b.process(t)
	service := b.newDateService(t, 2)
	one, two := b.booked(t, service, onDate(future(0))), b.booked(t, service, onDate(future(1)))
	types := []string{"booking.created"}
	for round := range testtime.Rounds(10) {
		codes := race(2, func(i int) error {
			if i == 0 {
				_, err := reschedule(t, b.service, b.tenant, one.ID, to(onDate(future((round+1)%2))))
				return err
			}
			_, err := reschedule(t, other, b.tenant, two.ID, to(onDate(future(round%2))))
			return err
		})
		require.Equal(t, map[problem.Code]int{"": 2}, codes)
		types = append(types, "booking.rescheduled")
	}
	b.requireStory(t, one.ID, types...)
	b.requireStory(t, two.ID, types...)
	b.requireNoOverlap(t)
	b.requireNoDeadlock(t)
	require.Equal(t, 2, b.count(t, "SELECT count(DISTINCT date) FROM bookings"))
}

// TestReschedule_OneLeavesWhileTheOtherComes_FollowsTheOrder has booking one go to the date of booking two while two
// goes to a third date. Two always succeeds. One succeeds if two left first, and is refused if not.
func TestReschedule_OneLeavesWhileTheOtherComes_FollowsTheOrder(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other, _ := b.process(t)
	service := b.newDateService(t, 1)
	for i, leavesFirst := range []bool{true, false} {
		day := 3 * i
		one, two := b.booked(t, service, onDate(future(day))), b.booked(t, service, onDate(future(day+1)))
		requests := []func() error{
			func() error {
				_, err := reschedule(t, b.service, b.tenant, one.ID, to(onDate(future(day+1))))
				return err
			},
			func() error {
				_, err := reschedule(t, other, b.tenant, two.ID, to(onDate(future(day+2))))
				return err
			},
		}
		comes, leaves := 0, 1
		if leavesFirst {
			requests[0], requests[1], comes, leaves = requests[1], requests[0], 1, 0
		}
		errs := b.inOrder(t, future(day+1), func() {}, requests...)
		require.NoError(t, errs[leaves])
		b.requireStory(t, two.ID, "booking.created", "booking.rescheduled")
		if leavesFirst {
			require.NoError(t, errs[comes])
			b.requireStory(t, one.ID, "booking.created", "booking.rescheduled")
			continue
		}
		require.True(t, problem.Is(errs[comes], problem.SlotUnavailable), "%v", errs[comes])
		b.requireStory(t, one.ID, "booking.created")
	}
	b.requireNoOverlap(t)
	b.requireNoDeadlock(t)
	require.Equal(t, 4, b.count(t, "SELECT count(*) FROM bookings WHERE status = 'confirmed'"))
}

// TestReschedule_ARivalWantsTheNewTime_FollowsTheOrder has a rival book the date that a booking goes to. The date that
// the booking leaves is free afterwards, and nobody's if the booking stayed.
func TestReschedule_ARivalWantsTheNewTime_FollowsTheOrder(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other, _ := b.process(t)
	service := b.newDateService(t, 1)
	for i, rivalFirst := range []bool{true, false} {
		from, next := future(2*i), future(2*i+1)
		made := b.booked(t, service, onDate(from))
		requests := []func() error{
			func() error {
				_, err := reschedule(t, b.service, b.tenant, made.ID, to(onDate(next)))
				return err
			},
			func() error {
				_, _, err := create(t, other, b.tenant, newKey(), newBooking(service, onDate(next)))
				return err
			},
		}
		if rivalFirst {
			requests[0], requests[1] = requests[1], requests[0]
		}
		errs := b.inOrder(t, next, func() {}, requests...)
		require.NoError(t, errs[0])
		require.True(t, problem.Is(errs[1], problem.SlotUnavailable), "%v", errs[1])
		_, _, err := create(t, other, b.tenant, newKey(), newBooking(service, onDate(from)))
		require.Equal(t, rivalFirst, problem.Is(err, problem.SlotUnavailable), "the date that was left or kept: %v",
			err)
		require.Equal(t, !rivalFirst, err == nil, "%v", err)
	}
	b.requireNoOverlap(t)
	b.requireNoDeadlock(t)
}

// TestReschedule_RivalsBookBothTimes_EachDateIsSoldOnce has rivals book the date that a booking leaves and the date
// that it goes to. Of the new date one wins, the booking or a rival. The old date goes to a rival if the booking left,
// and to nobody else if it didn't.
func TestReschedule_RivalsBookBothTimes_EachDateIsSoldOnce(t *testing.T) {
	t.Parallel()
	rounds := testtime.Rounds(6)
	b := setup(t)
	other, _ := b.process(t)
	service := b.newDateService(t, 1)
	var left []uuid.UUID
	for round := range rounds {
		from, to := onDate(future(2*round)), onDate(future(2*round+1))
		made := b.booked(t, service, from)
		left = append(left, made.ID)
		errs := make([]error, 5)
		var all sync.WaitGroup
		all.Go(func() {
			_, errs[0] = reschedule(t, b.service, b.tenant, made.ID, booking.Move{When: to})
		})
		for i, rival := range []struct {
			service *booking.Service
			when    timetable.When
		}{{other, to}, {b.service, to}, {other, from}, {b.service, from}} {
			all.Go(func() {
				_, _, errs[1+i] = create(t, rival.service, b.tenant, newKey(), newBooking(service, rival.when))
			})
		}
		all.Wait()
		won := func(errs ...error) (n int) {
			for _, err := range errs {
				if err == nil {
					n++
				} else {
					require.True(t, problem.Is(err, problem.SlotUnavailable), "%v", err)
				}
			}
			return n
		}
		require.Equal(t, 1, won(errs[0], errs[1], errs[2]), "the new date")
		if errs[0] == nil {
			require.LessOrEqual(t, won(errs[3], errs[4]), 1, "the date that was left")
		} else {
			require.Zero(t, won(errs[3], errs[4]), "the date that was kept")
		}
	}
	b.requireNoOverlap(t)
	b.requireNoDeadlock(t)
	require.Zero(t, b.count(t,
		"SELECT count(*) FROM (SELECT date FROM bookings GROUP BY date HAVING count(*) > 1) AS sold_twice"))
	require.Equal(t, rounds,
		b.count(t, "SELECT count(*) FROM bookings WHERE booking_id = ANY ($1) AND status = 'confirmed'", left),
		"nothing is lost")
}

// TestReschedule_OneBookingMovedByMany_HasOnePlaceAndOneVersionForEachMove has many clients of two processes move one
// booking at once, each to a date of its own. All succeed, one after the other.
func TestReschedule_OneBookingMovedByMany_HasOnePlaceAndOneVersionForEachMove(t *testing.T) {
	t.Parallel()
	const clients = 8
	b := setup(t)
	other, _ := b.process(t)
	service := b.newDateService(t, 1)
	made := b.booked(t, service, onDate(future(0)))
	codes := race(clients, func(i int) error {
		_, err := reschedule(t, []*booking.Service{b.service, other}[i%2], b.tenant, made.ID, to(onDate(future(1+i))))
		return err
	})
	require.Equal(t, map[problem.Code]int{"": clients}, codes)
	types := []string{"booking.created"}
	for range clients {
		types = append(types, "booking.rescheduled")
	}
	b.requireStory(t, made.ID, types...)
	require.Equal(t, 1, b.count(t, "SELECT count(*) FROM bookings"))
	taken := uuid.Nil
	require.NoError(t, b.sql.QueryRow(t.Context(), "SELECT booking_id FROM bookings WHERE date BETWEEN $1 AND $2",
		future(1).String(),
		future(clients).String()).Scan(&taken))
	require.Equal(t, made.ID, taken)
}
