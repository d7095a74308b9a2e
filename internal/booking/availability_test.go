package booking_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/catalog"
	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/testtime"
	"holdfast/internal/timetable"
	"holdfast/internal/timezone"
)

// daysOf returns the days of a page.
func daysOf(page *timetable.AvailabilityPage) (days []timetable.Day) {
	for d := range page.Days() {
		d.Slots = slices.Clone(d.Slots)
		for i := range d.Slots {
			d.Slots[i].ResourceIDs = slices.Clone(d.Slots[i].ResourceIDs)
		}
		days = append(days, d)
	}
	return days
}

// newDenseService returns a service with a slot every minute on many always-open resources.
func (b *testBundle) newDenseService(t *testing.T, resources int) uuid.UUID {
	t.Helper()
	var ids []uuid.UUID
	for range resources {
		ids = append(ids, b.newResource(t, 1, timetable.Hours{}))
	}
	return b.newService(t, catalog.ServiceSpec{Name: "Minute", Spec: timetable.Spec{
		Kind: timetable.KindSlot, ResourceIDs: ids, DurationMinutes: 5,
		SlotIntervalMinutes: 1,
	}})
}

func TestAvailability_YearOfQuarterHours_FillsAPageAndTellsTheNext(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newService(t, catalog.ServiceSpec{
		Name: "Quarter", Spec: timetable.Spec{
			Kind: timetable.KindSlot, ResourceIDs: []uuid.UUID{b.newResource(t, 1, timetable.Hours{})},
			DurationMinutes:     15,
			SlotIntervalMinutes: 15,
		},
	})
	q := timetable.AvailabilityQuery{From: future(0), To: future(365), PartySize: 1}
	page, err := b.service.Availability(t.Context(), b.tenant, service, q)
	require.NoError(t, err)
	days := daysOf(page)
	require.InDelta(t, 36_000/(2*96), len(days), 1)
	require.Equal(t, &timetable.AvailabilityPosition{Date: future(len(days))}, page.Next())

	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = b.service.Availability(gone, b.tenant, service, q)
	require.ErrorIs(t, err, context.Canceled, "nobody waits for it")
}

// shortenedDate returns the next date in loc, at least thirty days from now, whose last hour clocks skip.
func shortenedDate(t testing.TB, loc *time.Location) civil.Date {
	t.Helper()
	for day := range 3 * 366 {
		d := future(day)
		if time.Date(d.Year, d.Month, d.Day, 23, 30, 0, 0, loc).Hour() != 23 {
			return d
		}
	}
	require.Fail(t, "there is no such date", loc)
	return civil.Date{}
}

func TestAvailability_LastHourOfTheDateIsSkipped_EverySlotThatIsOfferedCanBeBooked(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.tenant = b.newTenant(t, "America/Nuuk")
	one := 1
	service := b.newService(t, catalog.ServiceSpec{
		Name: "Tour", Spec: timetable.Spec{
			Kind: timetable.KindSlot, ResourceIDs: []uuid.UUID{b.newResource(t, 1, timetable.Hours{})},
			DurationMinutes: 30, SlotIntervalMinutes: 30, MaxPerDay: &one,
		},
	})
	d := shortenedDate(t, b.tenant.Location)
	book := func(start time.Time) {
		t.Helper()
		made, _, err := create(t, b.service, b.tenant, newKey(), newBooking(service, atTime(start)))
		require.NoError(t, err, start)
		require.Equal(t, civil.DateOf(start), made.Date)
	}
	// The next date is sold out, so that only slots of the short date itself can be booked.
	next := d.AddDays(1)
	book(time.Date(next.Year, next.Month, next.Day, 12, 0, 0, 0, b.tenant.Location))
	page, err := b.service.Availability(t.Context(), b.tenant, service,
		timetable.AvailabilityQuery{From: d, To: d, PartySize: 1})
	require.NoError(t, err)
	days := daysOf(page)
	require.Equal(t, 46, days[0].Remaining, "a date of 23 hours")
	require.Len(t, days[0].Slots, 46)
	for _, slot := range days[0].Slots {
		require.Equal(t, d, civil.DateOf(slot.StartsAt))
	}
	book(days[0].Slots[45].StartsAt)
}

func TestCatalog_LongestBooking_IsAsLongAsADateCanBe(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := dbtest.Open(t, db.Config{URL: b.url, MaxConns: 1})
	c, err := catalog.ReadRules(t.Context(), s, b.tenant.ID, b.newDateService(t, 1), future(0))
	require.NoError(t, err)
	names, err := timezone.Names()
	require.NoError(t, err)
	east, west := 0, 0
	for _, name := range names {
		loc, err := timezone.Load(name)
		require.NoError(t, err)
		_, offset := testtime.Now().In(loc).Zone()
		east, west = max(east, offset), min(west, offset)
	}
	require.Equal(t, 24*time.Hour+time.Duration(east-west)*time.Second, c.Longest)
}

func TestAvailability_DaysOfAVeryDenseService_AreBoundedByWhatIsLookedAt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newDenseService(t, 25)
	q := timetable.AvailabilityQuery{From: future(0), To: future(19), PartySize: 1, DaysOnly: true}
	var told []civil.Date
	for pages := 1; ; pages++ {
		require.LessOrEqual(t, pages, 2)
		page, err := b.service.Availability(t.Context(), b.tenant, service, q)
		require.NoError(t, err)
		for _, d := range daysOf(page) {
			told = append(told, d.Date)
			require.Empty(t, d.Slots)
			require.GreaterOrEqual(t, d.Remaining, 1380)
		}
		next := page.Next()
		if next == nil {
			require.Greater(t, pages, 1)
			break
		}
		q.After = next
	}
	require.Len(t, told, 20)
	for i, d := range told {
		require.Equal(t, future(i), d, "every date once, in order")
	}
}

func TestAvailability_DatesOutsideTheWindow_AreOnOnePage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	today := civil.DateOf(testtime.Now())
	service := b.newDenseService(t, 5)
	page, err := b.service.Availability(t.Context(), b.tenant, service, timetable.AvailabilityQuery{
		From: today.AddDays(-365), To: today.AddDays(-2), PartySize: 1,
	})
	require.NoError(t, err)
	days := daysOf(page)
	require.Nil(t, page.Next())
	require.Len(t, days, 364)
	for _, d := range days {
		require.False(t, d.Available)
		require.Empty(t, d.Slots)
	}
}
