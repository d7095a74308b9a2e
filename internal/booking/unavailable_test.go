package booking_test

import (
	"testing"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/testtime"
	"holdfast/internal/timetable"
)

// dayOf returns what a date has for a party.
func (b *testBundle) dayOf(t *testing.T, service uuid.UUID, d civil.Date, party int,
	with ...func(*timetable.AvailabilityQuery),
) (found timetable.Day) {
	t.Helper()
	q := timetable.AvailabilityQuery{From: d, To: d, PartySize: party}
	for _, f := range with {
		f(&q)
	}
	page, err := b.service.Availability(t.Context(), b.tenant, service, q)
	require.NoError(t, err)
	for day := range page.Days() {
		found = day
	}
	return found
}

func withPrices(q *timetable.AvailabilityQuery) { q.Prices = true }

func TestUnavailable_EachReason_IsToldOfADate(t *testing.T) {
	t.Parallel()
	b := setup(t)
	boats := b.newResources(t, 1, 4)
	day := b.newService(t, catalog.ServiceSpec{
		Name: "Day", Spec: timetable.Spec{
			Kind: timetable.KindDate, ResourceIDs: boats, Price: 500, BookingWindowDays: new(3000),
			Pricing: timetable.Pricing{PricePer: timetable.PerUnit},
		},
	})
	free := b.dayOf(t, day, future(0), 3, withPrices)
	require.Equal(t, timetable.Day{
		ServiceID:    day,
		Date:         future(0),
		Available:    true,
		Capacity:     4,
		Remaining:    4,
		LargestParty: 4,
		Price:        new(int64(1500)),
		Slots:        []timetable.Slot{},
	}, free)
	require.Nil(t, b.dayOf(t, day, future(0), 3).Price, "it wasn't asked for")

	require.Equal(t, timetable.TooSoon, b.dayOf(t, day, civil.Date{Year: 2020, Month: 1, Day: 1}, 1).Reason)
	require.Equal(t, timetable.TooLate, b.dayOf(t, day, future(3000), 1).Reason)
	b.booked(t, day, onDate(future(1)), func(n *booking.CreateRequest) { n.PartySize = 3 })
	some := b.dayOf(t, day, future(1), 2)
	require.Equal(t, []any{false, timetable.InTheWay, 1, 1},
		[]any{some.Available, some.Reason, some.Remaining, some.LargestParty})
	b.booked(t, day, onDate(future(1)))
	require.Equal(t, timetable.SoldOut, b.dayOf(t, day, future(1), 2).Reason)

	_, err := b.catalog.CreateClosure(t.Context(), b.tenant, request(t, newKey()),
		catalog.Closure{Closure: timetable.Closure{From: future(2), To: future(2)}})
	require.NoError(t, err)
	require.Equal(t, timetable.ClosedOn, b.dayOf(t, day, future(2), 1).Reason)
	shut := b.newService(t, catalog.ServiceSpec{Name: "Shut", Spec: timetable.Spec{
		Kind: timetable.KindDate, ResourceIDs: []uuid.UUID{
			b.newResource(t, 1, timetable.Hours{Weekly: []timetable.WeeklyHours{}}),
		},
	}})
	require.Equal(t, timetable.NoHours, b.dayOf(t, shut, future(0), 1).Reason)
	require.Equal(t, timetable.NoHours, b.dayOf(t, shut, future(2), 1).Reason,
		"it has no hours that the closure could close")

	once := b.newService(
		t,
		catalog.ServiceSpec{Name: "Once", Spec: timetable.Spec{Kind: timetable.KindDate, ResourceIDs: boats,
			MaxPerDay: new(1)}},
	)
	b.booked(t, once, onDate(future(3)))
	require.Equal(t, timetable.SoldOut, b.dayOf(t, once, future(3), 1).Reason, "the maximum of the day")
	whole := b.newService(t, catalog.ServiceSpec{Name: "Whole", Spec: timetable.Spec{
		Kind: timetable.KindDate, ResourceIDs: boats,
		Occupies: timetable.OccupiesWhole,
	}})
	require.Equal(t, timetable.InTheWay, b.dayOf(t, whole, future(3), 1).Reason, "units are left, but not all")
}

func TestUnavailable_EachReason_IsToldOfASlotAndItsDate(t *testing.T) {
	t.Parallel()
	b := setup(t)
	boats, skipper := b.newResources(t, 1, 4), b.newResource(t, 1, timetable.Hours{Overrides: []timetable.DateHours{
		{Date: future(0), Opens: 8 * 60, Closes: 12 * 60},
	}})
	trip := b.newService(t, catalog.ServiceSpec{
		Name: "Trip", Spec: timetable.Spec{
			Kind: timetable.KindSlot, DurationMinutes: 60, Price: 900, Needs: []timetable.Need{
				{ResourceIDs: boats}, {ResourceIDs: []uuid.UUID{skipper}},
			},
		},
	})
	at := func(day timetable.Day, hour int) timetable.Slot {
		for _, s := range day.Slots {
			if s.StartsAt.Equal(testtime.At(0, hour, 0, b.tenant.Location)) {
				return s
			}
		}
		t.Fatal("no such slot")
		return timetable.Slot{}
	}
	day := b.dayOf(t, trip, future(0), 2, withPrices)
	require.Empty(t, day.Reason)
	free, away := at(day, 9), at(day, 13)
	require.Equal(t, []any{timetable.Unavailable(""), 4, 4, 4, int64(900)},
		[]any{free.Reason, free.Capacity, free.Remaining, free.LargestParty, *free.Price})
	require.Equal(t, []any{timetable.NoHours, 0, 0}, []any{away.Reason, away.Remaining, away.LargestParty},
		"the skipper is away")

	b.booked(t, trip, b.atHour(9))
	require.Equal(t, timetable.InTheWay, at(b.dayOf(t, trip, future(0), 2), 9).Reason, "the skipper is on another trip")
	units := b.newService(
		t,
		catalog.ServiceSpec{Name: "Seat", Spec: timetable.Spec{Kind: timetable.KindSlot, DurationMinutes: 60,
			ResourceIDs: boats}},
	)
	require.Equal(t, timetable.InTheWay, at(b.dayOf(t, units, future(0), 4), 9).Reason)
	b.booked(t, units, b.atHour(9), func(n *booking.CreateRequest) { n.PartySize = 3 })
	require.Equal(t, timetable.SoldOut, at(b.dayOf(t, units, future(0), 4), 9).Reason)

	morning := b.newService(t, catalog.ServiceSpec{
		Name: "Morning", Spec: timetable.Spec{
			Kind: timetable.KindSlot, DurationMinutes: 60, ResourceIDs: []uuid.UUID{b.newResource(t, 2, timetable.Hours{
				Overrides: []timetable.DateHours{{Date: future(0), Opens: 9 * 60, Closes: 11 * 60}},
			})},
		},
	})
	b.booked(t, morning, b.atHour(9), func(n *booking.CreateRequest) { n.PartySize = 2 })
	b.booked(t, morning, b.atHour(10))
	require.Equal(t, timetable.InTheWay, b.dayOf(t, morning, future(0), 2).Reason,
		"the smaller party could still come at ten")
	b.booked(t, morning, b.atHour(10))
	require.Equal(t, timetable.SoldOut, b.dayOf(t, morning, future(0), 2).Reason)

	soon := b.newService(t, catalog.ServiceSpec{
		Name: "Soon", Spec: timetable.Spec{
			Kind: timetable.KindSlot, DurationMinutes: 60, ResourceIDs: boats, MinLeadMinutes: 300 * 24 * 60,
			BookingWindowDays: new(3650),
		},
	})
	day = b.dayOf(t, soon, future(0), 1)
	require.Equal(t, []any{timetable.TooSoon, 0}, []any{day.Reason, len(day.Slots)})
}

func TestUnavailable_OfAStay_TellsOfArrivalsAndNights(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rooms := b.newResources(t, 1, 1)
	stay := b.newService(t, catalog.ServiceSpec{
		Name: "Room", Spec: timetable.Spec{
			Kind: timetable.KindStay, CheckIn: "15:00", CheckOut: "10:00", ResourceIDs: rooms, Price: 9000,
			MinNights: 2,
		},
	})
	free := b.dayOf(t, stay, future(0), 1, withPrices)
	require.Equal(t, []any{timetable.Unavailable(""), 1, 1, int64(18000)},
		[]any{free.Reason, free.Capacity, free.LargestParty, *free.Price})
	_, err := b.catalog.CreateClosure(t.Context(), b.tenant, request(t, newKey()),
		catalog.Closure{Closure: timetable.Closure{From: future(4), To: future(4)}})
	require.NoError(t, err)
	require.Equal(t, timetable.ClosedOn, b.dayOf(t, stay, future(3), 1).Reason, "its second night is closed")
	require.Empty(t, b.dayOf(t, stay, future(2), 1).Reason)
	many := func(q *timetable.AvailabilityQuery) { q.Nights = new(40) }
	require.Equal(t, timetable.NoArrival, b.dayOf(t, stay, future(10), 1, many).Reason, "more nights than are sold")
	in, out := future(20), future(22)
	b.booked(t, stay, timetable.When{CheckIn: &in, CheckOut: &out})
	require.Equal(t, timetable.SoldOut, b.dayOf(t, stay, future(21), 1).Reason)
}
