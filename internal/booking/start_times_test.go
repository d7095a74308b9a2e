package booking_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/mergepatch"
	"holdfast/internal/problem"
	"holdfast/internal/timetable"
)

// atClock asks for a slot at a time of day of a date to come.
func (b *testBundle) atClock(t *testing.T, days int, clock string) timetable.When {
	t.Helper()
	of, err := time.ParseInLocation("2006-01-02 15:04", future(days).String()+" "+clock, b.tenant.Location)
	require.NoError(t, err)
	return at(of.Format(time.RFC3339))
}

// newTour returns a session service at times of its own, and a charter, on one boat that is always open.
func (b *testBundle) newTour(t *testing.T, capacity int, times ...timetable.Clock) (tour, charter, boat uuid.UUID) {
	t.Helper()
	boat = b.newResource(t, capacity, timetable.Hours{})
	tour = b.newService(t, catalog.ServiceSpec{Name: "Sunset tour", Spec: timetable.Spec{
		Kind: timetable.KindSlot, ResourceIDs: []uuid.UUID{boat}, DurationMinutes: 120, Price: 4500,
		Occupies: timetable.OccupiesSession, StartTimes: []timetable.StartTime{{At: times}},
	}})
	charter = b.newService(t, catalog.ServiceSpec{Name: "Charter", Spec: timetable.Spec{
		Kind: timetable.KindSlot, ResourceIDs: []uuid.UUID{boat}, DurationMinutes: 240, SlotIntervalMinutes: 60,
		Occupies: timetable.OccupiesWhole,
	}})
	return tour, charter, boat
}

// requireRefused requires that a request is refused for a field.
func requireRefused(t *testing.T, err error, field, code string) {
	t.Helper()
	var refused *problem.Error
	require.ErrorAs(t, err, &refused)
	require.Equal(t, problem.ValidationFailed, refused.Code)
	require.Equal(t, []string{field, code}, []string{refused.Fields[0].Name, refused.Fields[0].Code})
}

func TestStartTimes_OtherTimes_CantBeBookedQuotedOrMovedTo(t *testing.T) {
	t.Parallel()
	b := setup(t)
	tour, charter, _ := b.newTour(t, 8, "19:00", "21:30")
	_, _, err := create(t, b.service, b.tenant, newKey(), newBooking(tour, b.atClock(t, 10, "18:00")))
	requireRefused(t, err, "starts_at", "not_a_slot")
	quoted, err := b.service.Quote(t.Context(), b.tenant, newBooking(tour, b.atClock(t, 10, "20:00")))
	require.NoError(t, err)
	requireRefused(t, quoted.Refusal, "starts_at", "not_a_slot")

	made := b.booked(t, tour, b.atClock(t, 10, "19:00"))
	require.Equal(t, "19:00", made.StartsAt.Format("15:04"))
	_, err = reschedule(t, b.service, b.tenant, made.ID, booking.Move{When: b.atClock(t, 10, "20:30")})
	requireRefused(t, err, "starts_at", "not_a_slot")
	_, _, err = create(t, b.service, b.tenant, newKey(), newBooking(charter, b.atClock(t, 10, "16:00")))
	require.True(t, problem.Is(err, problem.SlotUnavailable), "the boat sails: %v", err)
	b.booked(t, charter, b.atClock(t, 10, "15:00"))

	page, err := b.service.Availability(t.Context(), b.tenant, tour,
		timetable.AvailabilityQuery{From: future(10), To: future(10), PartySize: 8})
	require.NoError(t, err)
	for day := range page.Days() {
		require.Len(t, day.Slots, 2)
		require.Equal(t, []timetable.Unavailable{timetable.InTheWay, ""},
			[]timetable.Unavailable{day.Slots[0].Reason, day.Slots[1].Reason}, "seven seats are left at 19:00")
		require.Equal(t, 7, day.Slots[0].Remaining)
	}
	b.requireNoOverlap(t)
}

func TestStartTimes_AreChanged_BookingsAtOtherTimesAreConflicts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	tour, _, _ := b.newTour(t, 8, "19:00", "21:30")
	early, late := b.booked(t, tour, b.atClock(t, 10, "19:00")), b.booked(t, tour, b.atClock(t, 10, "21:30"))
	_, err := b.catalog.ChangeService(t.Context(), b.tenant, tour,
		mergepatch.Of[catalog.ServiceSpec](`{"start_times": [{"at": ["18:00", "21:30"]}]}`), "")
	require.NoError(t, err)
	found, _, err := b.service.Conflicts(t.Context(), b.tenant, booking.ConflictQuery{ServiceID: &tour, Limit: 10})
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.Equal(t, early.ID, found[0].ID)
	require.Equal(t, []booking.Conflict{booking.NotASlot}, found[0].Conflicts)
	moved, err := reschedule(t, b.service, b.tenant, late.ID, booking.Move{When: b.atClock(t, 11, "18:00")})
	require.NoError(t, err)
	require.Equal(t, "18:00", moved.StartsAt.Format("15:04"))
}

func TestMinPartySize_SmallerParty_IsRefusedAndABookingKeepsItsOwn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	tour, _, _ := b.newTour(t, 8, "19:00")
	made := b.booked(t, tour, b.atClock(t, 10, "19:00"))
	_, err := b.catalog.ChangeService(t.Context(), b.tenant, tour,
		mergepatch.Of[catalog.ServiceSpec](`{"min_party_size": 3}`), "")
	require.NoError(t, err)
	few := newBooking(tour, b.atClock(t, 11, "19:00"))
	few.PartySize = 2
	_, _, err = create(t, b.service, b.tenant, newKey(), few)
	requireRefused(t, err, "party_size", "too_small")
	quoted, err := b.service.Quote(t.Context(), b.tenant, few)
	require.NoError(t, err)
	requireRefused(t, quoted.Refusal, "party_size", "too_small")
	few.PartySize = 3
	_, _, err = create(t, b.service, b.tenant, newKey(), few)
	require.NoError(t, err)

	_, err = reschedule(t, b.service, b.tenant, made.ID, booking.Move{When: b.atClock(t, 11, "19:00")})
	require.NoError(t, err, "a booking of one moves")
	_, err = reschedule(t, b.service, b.tenant, made.ID, booking.Move{PartySize: new(2)})
	requireRefused(t, err, "party_size", "too_small")
	page, err := b.service.Availability(t.Context(), b.tenant, tour,
		timetable.AvailabilityQuery{From: future(11), To: future(11), PartySize: 1, Prices: true})
	require.NoError(t, err)
	for day := range page.Days() {
		require.Equal(t, 4, day.Slots[0].Remaining)
	}
}

func TestSellGaps_NightsBetweenTwoStays_AreBookedWhole(t *testing.T) {
	t.Parallel()
	b := setup(t)
	room := b.newStayService(t, 1, func(s *catalog.ServiceSpec) {
		s.MinNights, s.SellGaps, s.BufferAfterDays = 3, true, 1
	})
	b.booked(t, room, stay(5, 9))
	last := b.booked(t, room, stay(13, 17))
	_, _, err := create(t, b.service, b.tenant, newKey(), newBooking(room, stay(10, 11)))
	requireRefused(t, err, "check_out", "too_small")
	gap := b.booked(t, room, stay(10, 12))
	_, err = change(t, b.service, b.tenant, gap.ID, booking.Cancel)
	require.NoError(t, err)
	_, err = change(t, b.service, b.tenant, last.ID, booking.Cancel)
	require.NoError(t, err)
	_, _, err = create(t, b.service, b.tenant, newKey(), newBooking(room, stay(10, 12)))
	requireRefused(t, err, "check_out", "too_small")
	b.requireNoOverlap(t)
}
