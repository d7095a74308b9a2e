package booking_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/catalog"
	"holdfast/internal/mergepatch"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
	"holdfast/internal/timetable"
)

// everyDay returns hours that are the same each day, in minutes after midnight.
func everyDay(opens, closes int) timetable.Hours {
	var h timetable.Hours
	for day := time.Sunday; day <= time.Saturday; day++ {
		h.Weekly = append(h.Weekly, timetable.WeeklyHours{Weekday: day, Opens: opens, Closes: closes})
	}
	return h
}

func TestCreate_UntilClosing_EndsWhenTheResourceCloses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	early, late := b.newResource(t, 1, everyDay(10*60, 16*60)), b.newResource(t, 1, everyDay(10*60, 20*60))
	service := b.newService(t, catalog.ServiceSpec{
		Name: "For the rest of the day", Spec: timetable.Spec{
			Kind: timetable.KindSlot, UntilClosing: true, ResourceIDs: []uuid.UUID{early, late},
		},
	})
	at := func(hour int) timetable.When { return atTime(testtime.At(0, hour, 0, b.tenant.Location)) }
	ends := func() (list []string) {
		page, err := b.service.Availability(t.Context(), b.tenant, service,
			timetable.AvailabilityQuery{From: testtime.Date(0), To: testtime.Date(0), PartySize: 1})
		require.NoError(t, err)
		for day := range page.Days() {
			for _, s := range day.Slots {
				require.LessOrEqual(t, len(s.ResourceIDs), 1)
				list = append(list, s.EndsAt.Format("15:04"))
				if s.Remaining == 0 {
					list[len(list)-1] += " taken"
				}
			}
		}
		return list
	}
	require.Equal(t, []string{"16:00", "20:00"}, ends())
	for _, want := range []struct {
		resource uuid.UUID
		closes   string
	}{{early, "16:00"}, {late, "20:00"}} {
		made, _, err := create(t, b.service, b.tenant, newKey(), newBooking(service, at(10)))
		require.NoError(t, err)
		require.Equal(t, want.resource, made.ResourceID)
		require.Equal(t, want.closes, made.EndsAt.Format("15:04"))
	}
	require.Equal(t, []string{"16:00 taken", "20:00 taken"}, ends())
	_, _, err := create(t, b.service, b.tenant, newKey(), newBooking(service, at(10)))
	require.True(t, problem.Is(err, problem.SlotUnavailable), "%v", err)
	_, _, err = create(t, b.service, b.tenant, newKey(), newBooking(service, at(21)))
	require.True(t, problem.Is(err, problem.OutsideOpeningHours), "%v", err)
	b.requireNoOverlap(t)
}

// A service can be changed from one kind of length to another. Bookings by the former length still count.
func TestChangeService_LengthInAnotherUnit_BookingsOfTheFormerOneStillTakeTheirTime(t *testing.T) {
	t.Parallel()
	b := setup(t)
	resource := b.newResource(t, 1, timetable.Hours{})
	service := b.newService(t, catalog.ServiceSpec{
		Name: "Van", Spec: timetable.Spec{
			Kind: timetable.KindSlot, DurationMinutes: 60, SlotIntervalMinutes: 60, BufferAfterMinutes: 30,
			ResourceIDs: []uuid.UUID{resource},
		},
	})
	change := func(document string) (catalog.BookableService, error) {
		return b.catalog.ChangeService(t.Context(), b.tenant, service, mergepatch.Of[catalog.ServiceSpec](document), "")
	}
	s, err := change(`{"duration_minutes": null, "duration_days": 1, "buffer_after_minutes": null, "buffer_after_days": 1}`)
	require.NoError(t, err)
	require.Equal(t, []int{0, 1, 0, 1},
		[]int{s.DurationMinutes, s.DurationDays, s.BufferAfterMinutes, s.BufferAfterDays})
	made, _, err := create(t, b.service, b.tenant, newKey(),
		newBooking(service, atTime(testtime.At(0, 10, 0, b.tenant.Location))))
	require.NoError(t, err)
	require.Equal(t, testtime.At(1, 10, 0, b.tenant.Location).Unix(), made.EndsAt.Unix())

	s, err = change(`{"duration_days": null, "until_closing": true}`)
	require.NoError(t, err)
	require.Equal(t, []any{0, 0, true}, []any{s.DurationMinutes, s.DurationDays, s.UntilClosing})
	for _, refused := range []string{
		`{"until_closing": null}`, `{"duration_days": 1}`,
		`{"until_closing": null, "duration_days": 1, "duration_minutes": 60}`,
		`{"buffer_after_minutes": 30}`,
	} {
		_, err := change(refused)
		require.True(t, problem.Is(err, problem.ValidationFailed), "%s: %v", refused, err)
	}
	s, err = change(`{"until_closing": null, "duration_minutes": 60, "buffer_after_days": null}`)
	require.NoError(t, err)
	require.Equal(t, []any{60, false, 0}, []any{s.DurationMinutes, s.UntilClosing, s.BufferAfterDays})
	// the first booking is busy until 10:00 of day 2
	for hour, taken := range map[int]bool{8: true, 9: true, 10: false} {
		_, _, err = create(t, b.service, b.tenant, newKey(),
			newBooking(service, atTime(testtime.At(2, hour, 0, b.tenant.Location))))
		require.Equal(t, taken, problem.Is(err, problem.SlotUnavailable), "%d: %v", hour, err)
	}
}
