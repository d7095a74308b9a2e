package booking_test

import (
	"context"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/problem"
	"holdfast/internal/store"
	"holdfast/internal/store/storetest"
	"holdfast/internal/timezone"
)

func TestAvailability_OfTooManySlots_IsRefusedAndOfAYearOfQuarterHoursIsNot(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var resources []uuid.UUID
	for range 10 {
		resources = append(resources, b.newResource(t, 1, booking.Hours{}))
	}
	offer := booking.Offer{Name: "Minute", Kind: booking.KindSlot, ResourceIDs: resources, DurationMinutes: 5, SlotIntervalMinutes: 1}
	byMinute := b.newOffer(t, offer)
	_, err := b.service.Availability(t.Context(), b.tenant, byMinute, future(0), future(365), 1)
	require.True(t, problem.Is(err, problem.TooManyDates), "%v", err)
	days, err := b.service.Availability(t.Context(), b.tenant, byMinute, future(0), future(20), 1)
	require.NoError(t, err)
	require.Len(t, days, 21)
	offer.SlotIntervalMinutes = 15
	byQuarter := b.newOffer(t, offer)
	days, err = b.service.Availability(t.Context(), b.tenant, byQuarter, future(0), future(365), 1)
	require.NoError(t, err)
	require.Len(t, days, 366)

	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = b.service.Availability(gone, b.tenant, byQuarter, future(0), future(365), 1)
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
	service := b.newOffer(t, booking.Offer{
		Name: "Tour", Kind: booking.KindSlot, ResourceIDs: []uuid.UUID{b.newResource(t, 1, booking.Hours{})},
		DurationMinutes: 30, SlotIntervalMinutes: 30, MaxPerDay: &one,
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
	days, err := b.service.Availability(t.Context(), b.tenant, service, d, d, 1)
	require.NoError(t, err)
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
	s := storetest.Open(t, store.Config{URL: b.url, MaxConns: 1})
	c, err := s.Catalog(t.Context(), b.tenant.ID, b.newDateService(t, 1), future(0))
	require.NoError(t, err)
	names, err := timezone.Names()
	require.NoError(t, err)
	east, west := 0, 0
	for _, name := range names {
		loc, err := timezone.Load(name)
		require.NoError(t, err)
		_, offset := time.Now().In(loc).Zone()
		east, west = max(east, offset), min(west, offset)
	}
	require.Equal(t, 24*time.Hour+time.Duration(east-west)*time.Second, c.Longest)
}
