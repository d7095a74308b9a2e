package booking_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/timetable"
)

// officeHours are open on each working day from 9 to 18.
func officeHours() timetable.Hours {
	var hours timetable.Hours
	for day := time.Monday; day <= time.Friday; day++ {
		hours.Weekly = append(hours.Weekly, timetable.WeeklyHours{Weekday: day, Opens: 9 * 60, Closes: 18 * 60})
	}
	return hours
}

// newDaysRental returns a service that rents a resource with office hours for three days. The date in 4 days is a
// Friday.
func (b *testBundle) newDaysRental(t testing.TB) (resource, service uuid.UUID) {
	t.Helper()
	resource = b.newResource(t, 1, officeHours())
	return resource, b.newService(t, catalog.ServiceSpec{
		Name: "Trailer", Spec: timetable.Spec{
			Kind: timetable.KindSlot, ResourceIDs: []uuid.UUID{resource}, DurationDays: 3, SlotIntervalMinutes: 60,
		},
	})
}

// Pick-up and return need open hours, what lies between doesn't: leihs 924, CommonsBooking 116 and 920.
func TestCreate_RentalOverAClosedWeekend_NeedsOpenPickUpAndReturn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	resource, service := b.newDaysRental(t)
	require.Equal(t, []int{9, 10, 11, 12, 13, 14, 15, 16, 17}, b.freeStarts(t, service, 4), "from Friday to Monday")
	for _, returnedOnAClosedDate := range []int{2, 3} {
		require.Empty(t, b.freeStarts(t, service, returnedOnAClosedDate))
		b.requireRefused(t, problem.OutsideOpeningHours,
			newBooking(service, slotOn(future(returnedOnAClosedDate), 10, 0)))
	}
	held := b.hold(t, service, slotOn(future(4), 9, 0))
	require.Equal(t, slotOn(future(7), 9, 0).StartsAt, new(held.EndsAt.Format(time.RFC3339)),
		"at the moment at which it opens")
	b.expireIn(t, held.ID, -time.Minute)
	b.syncClaims(t)
	_, err := b.confirm(t, held.ID, booking.AmendRequest{IfStillFree: true})
	require.NoError(t, err)
	_, err = reschedule(t, b.service, b.tenant, held.ID, to(slotOn(future(4), 12, 0)))
	require.NoError(t, err)
	b.requireNoOverlap(t)

	conflicts := func() (found []booking.Conflict) {
		list, _, err := b.service.Conflicts(t.Context(), b.tenant,
			booking.ConflictQuery{ResourceID: &resource, Limit: 10})
		require.NoError(t, err)
		for _, c := range list {
			found = append(found, c.Conflicts...)
		}
		return found
	}
	closeOn := func(days int) {
		_, err := b.catalog.CreateClosure(t.Context(), b.tenant, request(t, newKey()),
			catalog.Closure{Closure: timetable.Closure{ResourceID: &resource, From: future(days), To: future(days)}})
		require.NoError(t, err)
	}
	require.Empty(t, conflicts())
	closeOn(5)
	require.Empty(t, conflicts(), "the customer has it")
	closeOn(7)
	require.Equal(t, []booking.Conflict{booking.Closed}, conflicts(), "it can't be returned")
}

func TestCreateService_NoOpeningHoursFitItsLength_IsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	office, always, none := b.newResource(t, 1, officeHours()), b.newResource(t, 1, timetable.Hours{}),
		b.newResource(t, 1, timetable.Hours{
			Weekly: []timetable.WeeklyHours{},
		})
	mondays := b.newResource(t, 1,
		timetable.Hours{Weekly: []timetable.WeeklyHours{{Weekday: time.Monday, Opens: 9 * 60, Closes: 18 * 60}}})
	nights := b.newResource(t, 1, timetable.Hours{Weekly: []timetable.WeeklyHours{
		{Weekday: time.Saturday, Opens: 20 * 60, Closes: 24 * 60}, {Weekday: time.Sunday, Opens: 0, Closes: 6 * 60},
	}})
	overridden := timetable.Hours{
		Weekly:    officeHours().Weekly,
		Overrides: []timetable.DateHours{{Date: future(0), Opens: 0, Closes: 24 * 60}},
	}
	open := b.newResource(t, 1, overridden)
	lasting := func(minutes, days int) catalog.ServiceSpec {
		return catalog.ServiceSpec{Spec: timetable.Spec{DurationMinutes: minutes, DurationDays: days}}
	}
	several := func(lengths ...timetable.Length) (spec catalog.ServiceSpec) {
		for _, l := range lengths {
			spec.Durations.Durations = append(spec.Durations.Durations, timetable.Duration{Length: l})
		}
		return spec
	}
	for name, test := range map[string]struct {
		spec      catalog.ServiceSpec
		resources []uuid.UUID
		field     string // empty if it is made
	}{
		"as long as the day":              {lasting(9*60, 0), []uuid.UUID{office}, ""},
		"longer":                          {lasting(9*60+1, 0), []uuid.UUID{office}, "duration_minutes"},
		"longer, on another one":          {lasting(600, 0), []uuid.UUID{office, always}, ""},
		"a day":                           {lasting(0, 1), []uuid.UUID{office}, ""},
		"a day, on Mondays":               {lasting(0, 1), []uuid.UUID{mondays}, "duration_days"},
		"a week, on Mondays":              {lasting(0, 7), []uuid.UUID{mondays}, ""},
		"over midnight at the week's end": {lasting(600, 0), []uuid.UUID{nights}, ""},
		"longer than that":                {lasting(601, 0), []uuid.UUID{nights}, "duration_minutes"},
		"some date is open longer":        {lasting(1440, 0), []uuid.UUID{open}, ""},
		"hours may come":                  {lasting(600, 0), []uuid.UUID{none}, ""},
		"one of several fits": {
			several(timetable.Length{Minutes: 600}, timetable.Length{Minutes: 60}), []uuid.UUID{office}, "",
		},
		"none of several fits": {
			several(timetable.Length{Minutes: 600}, timetable.Length{Days: 1}), []uuid.UUID{mondays}, "durations",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := test.spec
			spec.Name, spec.Kind, spec.ResourceIDs, spec.SlotIntervalMinutes = "Slot", timetable.KindSlot,
				test.resources, 60
			_, err := b.catalog.CreateService(t.Context(), b.tenant, request(t, newKey()), spec)
			if test.field == "" {
				require.NoError(t, err)
				return
			}
			require.True(t, problem.Is(err, problem.ValidationFailed), "%v", err)
			require.ErrorContains(t, err, test.field+": too_large")
		})
	}
}

// A request that was served gets its response again, whatever the hours are by then.
func TestCreateService_HoursWereShortenedMeanwhile_IsReplayed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	resource := b.newResource(t, 1, timetable.Hours{})
	spec := catalog.ServiceSpec{
		Name: "Day", Spec: timetable.Spec{
			Kind: timetable.KindSlot, ResourceIDs: []uuid.UUID{resource}, DurationMinutes: 1440,
			SlotIntervalMinutes: 60,
		},
	}
	key := newKey()
	create := func() idempotency.Outcome {
		resp, err := b.catalog.CreateService(t.Context(), b.tenant, request(t, key), spec)
		require.NoError(t, err)
		return resp
	}
	made := create()
	_, err := b.catalog.SetHours(t.Context(), b.tenant, resource, officeHours(), "")
	require.NoError(t, err)
	require.Equal(t, made.Body, create().Body)
}
