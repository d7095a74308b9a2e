package booking_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/mergepatch"
	"holdfast/internal/problem"
	"holdfast/internal/timetable"
)

func TestCreate_DateByTheClock_TakesTheWholeDate(t *testing.T) {
	t.Parallel()
	b := setup(t)
	resource := b.newResource(t, 1, timetable.Hours{})
	service := b.newService(t, catalog.ServiceSpec{Name: "Van", Spec: timetable.Spec{
		Kind: timetable.KindDate, ResourceIDs: []uuid.UUID{resource}, Starts: "09:00",
		Ends: "18:00",
	}})
	hour := b.newService(t, catalog.ServiceSpec{Name: "Hour", Spec: timetable.Spec{
		Kind: timetable.KindSlot, ResourceIDs: []uuid.UUID{resource},
		DurationMinutes: 60,
	}})
	made := b.booked(t, service, onDate(future(10)))
	require.Equal(t, "09:00 18:00", made.StartsAt.Format("15:04 ")+made.EndsAt.Format("15:04"))
	require.Equal(t, future(10), made.Date)
	for _, when := range []timetable.When{slotOn(future(10), 0, 0), slotOn(future(10), 23, 0)} {
		_, _, err := create(t, b.service, b.tenant, newKey(), newBooking(hour, when))
		require.True(t, problem.Is(err, problem.SlotUnavailable), "%v", err)
	}
	b.booked(t, hour, slotOn(future(9), 23, 0))
	b.booked(t, service, onDate(future(11)))
	b.requireNoOverlap(t)
}

func TestCreate_DateThatEndsOnTheNext_TakesBoth(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newService(t, catalog.ServiceSpec{Name: "Van", Spec: timetable.Spec{
		Kind: timetable.KindDate, Starts: "18:00", Ends: "10:00",
		ResourceIDs: []uuid.UUID{b.newResource(t, 1, timetable.Hours{})},
	}})
	made := b.booked(t, service, onDate(future(10)))
	require.Equal(t, future(11).String(), made.EndsAt.Format("2006-01-02"))
	for day, free := range map[int]bool{8: true, 9: false, 11: false, 12: true} {
		page, err := b.service.Availability(t.Context(), b.tenant, service,
			timetable.AvailabilityQuery{From: future(day), To: future(day), PartySize: 1})
		require.NoError(t, err)
		for d := range page.Days() {
			require.Equal(t, free, d.Available, day)
		}
		_, _, err = create(t, b.service, b.tenant, newKey(), newBooking(service, onDate(future(day))))
		require.Equal(t, free, err == nil, "%d: %v", day, err)
	}
	b.requireNoOverlap(t)
}

// TestReschedule_DateWhoseServiceGotTimes_KeepsItsOwnUntilItMoves changes a service between its shapes.
func TestReschedule_DateWhoseServiceGotTimes_KeepsItsOwnUntilItMoves(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newDateService(t, 1)
	set := func(change string) {
		_, err := b.catalog.ChangeService(t.Context(), b.tenant, service, mergepatch.Of[catalog.ServiceSpec](change),
			"")
		require.NoError(t, err)
	}
	made := b.booked(t, service, onDate(future(10)))
	set(`{"starts": "09:00", "ends": "18:00"}`)
	kept, err := reschedule(t, b.service, b.tenant, made.ID,
		booking.Move{When: onDate(future(10)), Price: booking.PriceQuoted})
	require.NoError(t, err)
	require.EqualValues(t, 1, kept.Version)
	moved, err := reschedule(t, b.service, b.tenant, made.ID, to(onDate(future(11))))
	require.NoError(t, err)
	require.Equal(t, "09:00 18:00", moved.StartsAt.Format("15:04 ")+moved.EndsAt.Format("15:04"))
	set(`{"starts": null, "ends": null}`)
	moved, err = reschedule(t, b.service, b.tenant, made.ID, to(onDate(future(12))))
	require.NoError(t, err)
	require.Equal(t, "00:00 00:00", moved.StartsAt.Format("15:04 ")+moved.EndsAt.Format("15:04"))
	b.requireNoOverlap(t)
}
