package booking_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/mergepatch"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
	"holdfast/internal/timetable"
)

// A trip that a guest has booked takes no more guests while its skipper can't come, and takes them again afterwards.
func TestSession_SkipperCannotCome_NobodyJoins(t *testing.T) {
	t.Parallel()
	closed := func(t *testing.T, h harbour, archived bool) {
		t.Helper()
		var c catalog.Closure
		if archived {
			require.NoError(t, h.sql.QueryRow(t.Context(), "SELECT closure_id FROM closures").Scan(&c.ID))
			_, err := h.catalog.ArchiveClosure(t.Context(), h.tenant, request(t, newKey()), c.ID, true, "")
			require.NoError(t, err)
			return
		}
		c = catalog.Closure{Closure: timetable.Closure{ResourceID: &h.skippers[0], From: future(0), To: future(0)}}
		_, err := h.catalog.CreateClosure(t.Context(), h.tenant, request(t, newKey()), c)
		require.NoError(t, err)
	}
	blocked := func(t *testing.T, h harbour, archived bool) {
		t.Helper()
		if !archived {
			h.block(t, forced(h.hours(h.skippers[0], 0, 8, 12)))
			return
		}
		var id uuid.UUID
		require.NoError(t, h.sql.QueryRow(t.Context(), "SELECT block_id FROM blocks").Scan(&id))
		require.NoError(t, h.archiveBlock(t, id, catalog.Archiving{Archived: true}))
	}
	archived := func(t *testing.T, h harbour, archived bool) {
		t.Helper()
		_, err := h.catalog.ArchiveResource(t.Context(), h.tenant, request(t, newKey()), h.skippers[0],
			catalog.Archiving{Archived: !archived, Force: true}, "")
		require.NoError(t, err)
	}
	for name, turnAway := range map[string]func(t *testing.T, h harbour, back bool){
		"closed": closed, "blocked": blocked, "archived": archived,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHarbour(t, 1, 2, timetable.OccupiesSession)
			h.booked(t, h.trip, h.atHour(9))
			require.Contains(t, h.freeStarts(t, h.trip, 0), 9)

			turnAway(t, h, false)
			h.requireRefused(t, problem.SlotUnavailable, newBooking(h.trip, h.atHour(9)))
			require.NotContains(t, h.freeStarts(t, h.trip, 0), 9)

			turnAway(t, h, true)
			require.Contains(t, h.freeStarts(t, h.trip, 0), 9)
			h.booked(t, h.trip, h.atHour(9))
			h.requireNoOverlap(t)
		})
	}
}

// A tour keeps the skipper that it has. After the service's needs have changed, nobody joins a tour that lacks what
// they ask for.
func TestSession_ServiceGotOtherNeeds_IsJoinedOnlyIfItHasThem(t *testing.T) {
	t.Parallel()
	needs := func(h harbour, further string) string {
		return fmt.Sprintf(`{"resource_ids": null, "needs": [{"resource_ids": [%q]}%s]}`, h.boats[0], further)
	}
	for name, test := range map[string]struct {
		patch func(h harbour) string
		joins bool
	}{
		"another skipper": {func(h harbour) string {
			return needs(h,
				fmt.Sprintf(`, {"resource_ids": [%q]}`, h.skippers[1]))
		}, false},
		"one more skipper": {func(h harbour) string {
			return needs(h, fmt.Sprintf(`, {"resource_ids": [%q, %q]}`, h.skippers[1], h.skippers[0]))
		}, true},
		"no skipper": {func(h harbour) string {
			return fmt.Sprintf(`{"needs": null, "resource_ids": [%q]}`,
				h.boats[0])
		}, false},
		"a second skipper": {func(h harbour) string {
			return needs(h, fmt.Sprintf(`, {"resource_ids": [%q]}, {"resource_ids": [%q]}`, h.skippers[0],
				h.skippers[1]))
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHarbour(t, 1, 2, timetable.OccupiesSession)
			_, err := h.catalog.ChangeService(t.Context(), h.tenant, h.trip,
				mergepatch.Of[catalog.ServiceSpec](needs(h, fmt.Sprintf(`, {"resource_ids": [%q]}`, h.skippers[0]))),
				"")
			require.NoError(t, err)
			h.booked(t, h.trip, h.atHour(9))
			_, err = h.catalog.ChangeService(t.Context(), h.tenant, h.trip,
				mergepatch.Of[catalog.ServiceSpec](test.patch(h)), "")
			require.NoError(t, err)
			if !test.joins {
				require.NotContains(t, h.freeStarts(t, h.trip, 0), 9)
				h.requireRefused(t, problem.SlotUnavailable, newBooking(h.trip, h.atHour(9)))
				return
			}
			require.Contains(t, h.freeStarts(t, h.trip, 0), 9)
			joined := h.booked(t, h.trip, h.atHour(9))
			require.Equal(t, []uuid.UUID{h.boats[0], h.skippers[0]}, h.resourcesOf(t, joined.ID))
			h.requireNoOverlap(t)
		})
	}
}

// A session of dates begins at the time of its pick-up, not at midnight.
func TestSession_DateByTheClock_IsListedWhileItHasSeats(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newService(t, catalog.ServiceSpec{
		Name: "Day trip", Spec: timetable.Spec{
			Kind: timetable.KindDate, ResourceIDs: b.newResources(t, 1, 6), Starts: "09:00", Ends: "18:00",
			Occupies: timetable.OccupiesSession,
		},
	})
	for remaining := 6; remaining >= 0; remaining -= 2 {
		page, err := b.service.Availability(t.Context(), b.tenant, service,
			timetable.AvailabilityQuery{From: future(0), To: future(0), PartySize: 2})
		require.NoError(t, err)
		for day := range page.Days() {
			require.Equal(t, remaining, day.Remaining)
			require.Equal(t, remaining > 0, day.Available)
		}
		n := forParty(newBooking(service, onDate(future(0))), 2)
		if remaining == 0 {
			b.requireRefused(t, problem.SlotUnavailable, n)
			continue
		}
		_, _, err = create(t, b.service, b.tenant, newKey(), n)
		require.NoError(t, err)
	}
}

// Blocks are no bookings: they don't decide whose turn it is.
func TestNeeds_BlockedHours_DoNotCountAsBookings(t *testing.T) {
	t.Parallel()
	for _, choose := range []timetable.Choose{timetable.ChooseInTurn, timetable.ChooseLeastBooked} {
		b := setup(t)
		stylists := b.newResources(t, 2, 1)
		cut := b.newService(t, catalog.ServiceSpec{
			Name: "Cut", Spec: timetable.Spec{
				Kind: timetable.KindSlot, DurationMinutes: 60,
				Needs: []timetable.Need{{ResourceIDs: stylists, Choose: choose}},
			},
		})
		first := b.booked(t, cut, b.atHour(9))
		_, err := change(t, b.service, b.tenant, first.ID, booking.Cancel)
		require.NoError(t, err)
		b.block(t, b.hours(first.ResourceID, 0, 12, 14))
		require.Equal(t, first.ResourceID, b.booked(t, cut, b.atHour(9)).ResourceID, choose)
	}
}

func TestAvailability_ExceptABookingOfSeveralResources_ShowsItsTimeAsFree(t *testing.T) {
	t.Parallel()
	for _, o := range []timetable.Occupies{timetable.OccupiesWhole, timetable.OccupiesSession} {
		h := newHarbour(t, 1, 1, o)
		other := h.booked(t, h.trip, h.atHour(11))
		moves := h.booked(t, h.trip, h.atHour(9))
		block := h.block(t, h.hours(h.boats[0], 0, 14, 16))
		remaining := func(except uuid.UUID, hour int) (n int) {
			page, err := h.service.Availability(t.Context(), h.tenant, h.trip, timetable.AvailabilityQuery{
				From: future(0), To: future(0), PartySize: 1, ExceptBooking: &except,
			})
			require.NoError(t, err)
			for day := range page.Days() {
				for _, s := range day.Slots {
					if s.StartsAt.Equal(testtime.At(0, hour, 0, h.tenant.Location)) {
						n = s.Remaining
					}
				}
			}
			return n
		}
		require.Equal(t, 6, remaining(moves.ID, 9), o)
		require.NotEqual(t, 6, remaining(other.ID, 9), o)
		require.Zero(t, remaining(block.ID, 14), "a block is no booking")
	}
}

// A hold past its expiry doesn't hide what its session has of a further resource.
func TestNeeds_SessionBeginsWithALapsedHold_KeepsItsUnitsOfAFurtherResource(t *testing.T) {
	t.Parallel()
	b := setup(t)
	boat, radios := b.newResource(t, 6, timetable.Hours{}), b.newResource(t, 4, timetable.Hours{})
	trip := b.newService(t, catalog.ServiceSpec{
		Name: "Trip", Spec: timetable.Spec{
			Kind: timetable.KindSlot, DurationMinutes: 60, Occupies: timetable.OccupiesSession,
			Needs: []timetable.Need{{ResourceIDs: []uuid.UUID{boat}}, {ResourceIDs: []uuid.UUID{radios}, Units: 2}},
		},
	})
	held := b.hold(t, trip, b.atHour(9))
	b.booked(t, trip, b.atHour(9))
	b.expireIn(t, held.ID, -time.Minute)
	require.Equal(t, problem.BookingsInTheWay, problem.CodeOf(lowerCapacity(t, b, radios, 1)))
	require.NoError(t, lowerCapacity(t, b, radios, 2))
}

// The quote of a charter until closing that is refused ends with its date, and not when a skipper's hours end on the
// next one.
func TestQuote_UntilClosingWithASkipper_TheBoatsHoursDecideTheEnd(t *testing.T) {
	t.Parallel()
	b := setup(t)
	until := func(closes int) timetable.Hours {
		h := timetable.Hours{Weekly: []timetable.WeeklyHours{}}
		for day := time.Sunday; day <= time.Saturday; day++ {
			h.Weekly = append(h.Weekly, timetable.WeeklyHours{Weekday: day, Opens: 9 * 60, Closes: closes * 60})
		}
		return h
	}
	boat, skipper := b.newResource(t, 1, until(18)), b.newResource(t, 1, until(4))
	charter := b.newService(t, catalog.ServiceSpec{
		Name: "Charter", Spec: timetable.Spec{
			Kind: timetable.KindSlot, UntilClosing: true, SlotIntervalMinutes: 60, Occupies: timetable.OccupiesWhole,
			Needs: []timetable.Need{{ResourceIDs: []uuid.UUID{boat}}, {ResourceIDs: []uuid.UUID{skipper}}},
		},
	})
	b.booked(t, charter, b.atHour(10))
	q, err := b.service.Quote(t.Context(), b.tenant, newBooking(charter, b.atHour(12)))
	require.NoError(t, err)
	require.Equal(t, problem.SlotUnavailable, problem.CodeOf(q.Refusal))
	require.Equal(t, 12*time.Hour, q.Booking.EndsAt.Sub(q.Booking.StartsAt))
}
