package booking_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/testtime"
	"holdfast/internal/timetable"
)

// compareInTurns runs two things in turns, and reports how often the median of the first one goes into that of the
// second.
func compareInTurns(b *testing.B, first, second func(i int)) {
	b.Helper()
	var times [2][]time.Duration
	for i := 0; b.Loop(); i++ {
		for n, run := range []func(int){first, second} {
			begun := b.Elapsed()
			run(i)
			times[n] = append(times[n], b.Elapsed()-begun)
		}
	}
	median := func(list []time.Duration) time.Duration {
		slices.Sort(list)
		return list[len(list)/2]
	}
	b.ReportMetric(float64(median(times[0]).Microseconds()), "µs-first")
	b.ReportMetric(float64(median(times[1]).Microseconds()), "µs-second")
	b.ReportMetric(float64(median(times[1]))/float64(median(times[0])), "ratio")
}

// BenchmarkCreate_ThreeResources compares a booking of one resource with one of three.
func BenchmarkCreate_ThreeResources(b *testing.B) {
	bundle := setup(b)
	one := bundle.newTrip(b, timetable.OccupiesUnits, bundle.newResources(b, 5, 1))
	three := bundle.newTrip(b, timetable.OccupiesUnits, bundle.newResources(b, 5, 1), bundle.newResources(b, 5, 1),
		bundle.newResources(b, 5, 1))
	book := func(n booking.CreateRequest) {
		_, _, err := create(b, bundle.service, bundle.tenant, newKey(), n)
		require.NoError(b, err)
	}
	when := func(i int) timetable.When { return atTime(testtime.At(i/40, i/2%20, 0, bundle.tenant.Location)) }
	compareInTurns(b, func(i int) { book(newBooking(one, when(i))) }, func(i int) { book(newBooking(three, when(i))) })
}

// BenchmarkCreate_StayOf14Nights compares a booking of a date with a stay of 14 nights.
func BenchmarkCreate_StayOf14Nights(b *testing.B) {
	bundle := setup(b)
	dates := bundle.newService(
		b,
		catalog.ServiceSpec{Name: "Day",
			Spec: timetable.Spec{Kind: timetable.KindDate, ResourceIDs: bundle.newResources(b, 1, 1000)}},
	)
	stays := bundle.newService(b, catalog.ServiceSpec{
		Name: "Room", Spec: timetable.Spec{
			Kind: timetable.KindStay, CheckIn: "15:00", CheckOut: "10:00", ResourceIDs: bundle.newResources(b, 1, 1000),
		},
	})
	book := func(n booking.CreateRequest) {
		_, _, err := create(b, bundle.service, bundle.tenant, newKey(), n)
		require.NoError(b, err)
	}
	compareInTurns(b, func(i int) { book(newBooking(dates, onDate(future(15*(i%200))))) }, func(i int) {
		in, out := future(15*(i%200)), future(15*(i%200)+14)
		book(newBooking(stays, timetable.When{CheckIn: &in, CheckOut: &out}))
	})
}

// BenchmarkAvailability_ThreeGroupsOfFive compares what is free of one resource with what is free of one each of three
// groups of five.
func BenchmarkAvailability_ThreeGroupsOfFive(b *testing.B) {
	bundle := setup(b)
	hourly := func(groups, size int) uuid.UUID {
		s := catalog.ServiceSpec{Name: "Treatment", Spec: timetable.Spec{Kind: timetable.KindSlot, DurationMinutes: 60}}
		for range groups {
			s.Needs = append(s.Needs, timetable.Need{ResourceIDs: bundle.newResources(b, size, 1)})
		}
		return bundle.newService(b, s)
	}
	one, groups := hourly(1, 1), hourly(3, 5)
	for i := range 200 {
		_, _, err := create(b, bundle.service, bundle.tenant, newKey(),
			newBooking(one, atTime(testtime.At(i%31, 8+i/31, 0, bundle.tenant.Location))))
		require.NoError(b, err)
	}
	for i := range 200 {
		n := newBooking(groups, atTime(testtime.At(i%31, 8+i%9, 0, bundle.tenant.Location)))
		_, _, err := create(b, bundle.service, bundle.tenant, newKey(), n)
		require.NoError(b, err)
	}
	days := 0
	read := func(service uuid.UUID) {
		page, err := bundle.service.Availability(b.Context(), bundle.tenant, service,
			timetable.AvailabilityQuery{From: future(0), To: future(30), PartySize: 1})
		require.NoError(b, err)
		for range page.Days() { // they are computed as they are read
			days++
		}
	}
	compareInTurns(b, func(int) { read(one) }, func(int) { read(groups) })
	require.Positive(b, days)
}
