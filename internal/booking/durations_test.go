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

// lasting adds a duration to a time.
func lasting(when timetable.When, minutes int) timetable.When {
	when.DurationMinutes = &minutes
	return when
}

// newRental returns a service that sells one resource for one to four hours, in half hours.
func (b *testBundle) newRental(t testing.TB, with ...func(*catalog.ServiceSpec)) uuid.UUID {
	t.Helper()
	spec := catalog.ServiceSpec{
		Name: "Boat", Spec: timetable.Spec{
			Kind: timetable.KindSlot, ResourceIDs: []uuid.UUID{b.newResource(t, 1, timetable.Hours{})},
			SlotIntervalMinutes: 30,
			Durations: timetable.Durations{MinDurationMinutes: 60, MaxDurationMinutes: 240,
				DurationStepMinutes: 30},
			Price:   1000,
			Pricing: timetable.Pricing{PricePerMinutes: 60},
		},
	}
	for _, w := range with {
		w(&spec)
	}
	return b.newService(t, spec)
}

func TestCreate_OneOfSeveralDurations_LastsAsLong(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newRental(t)
	made := b.booked(t, service, lasting(slotOn(future(0), 10, 0), 150))
	require.Equal(t, "12:30", made.EndsAt.Format("15:04"))
	for _, test := range []struct {
		when timetable.When
		code problem.Code
		text string
	}{
		{lasting(slotOn(future(0), 12, 0), 60), problem.SlotUnavailable, ""},
		{lasting(slotOn(future(0), 9, 0), 90), problem.SlotUnavailable, ""},
		{slotOn(future(0), 13, 0), problem.ValidationFailed, "duration_minutes: required"},
		{lasting(slotOn(future(0), 13, 0), 30), problem.ValidationFailed, "duration_minutes: not_one_of"},
		{lasting(slotOn(future(0), 13, 0), 100), problem.ValidationFailed, "duration_minutes: not_one_of"},
		{lasting(slotOn(future(0), 13, 0), 270), problem.ValidationFailed, "duration_minutes: not_one_of"},
		{lasting(slotOn(future(0), 13, 0), 1<<40), problem.ValidationFailed, "duration_minutes: too_large"},
		{lasting(slotOn(future(0), 13, 0), -60), problem.ValidationFailed, "duration_minutes: too_small"},
		{timetable.When{StartsAt: slotOn(future(0), 13, 0).StartsAt, DurationDays: new(1)}, problem.ValidationFailed,
			"duration_days: not_one_of"},
	} {
		_, _, err := create(t, b.service, b.tenant, newKey(), newBooking(service, test.when))
		require.True(t, problem.Is(err, test.code), "%v", err)
		require.ErrorContains(t, err, test.text)
	}
	b.booked(t, service, lasting(slotOn(future(0), 9, 0), 60))
	b.booked(t, service, lasting(slotOn(future(0), 12, 30), 240))
	fixed := b.newSlotService(t, 1, 30)
	_, _, err := create(t, b.service, b.tenant, newKey(), newBooking(fixed, lasting(slotOn(future(0), 13, 0), 60)))
	require.ErrorContains(t, err, "duration_minutes: not_for_kind")
	_, _, err = create(t, b.service, b.tenant, newKey(),
		newBooking(b.newDateService(t, 1), lasting(onDate(future(0)), 60)))
	require.ErrorContains(t, err, "duration_minutes: not_for_kind")
	b.requireNoOverlap(t)
}

func TestReschedule_OneOfSeveralDurations_KeepsItUnlessItIsGiven(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newRental(t)
	made := b.booked(t, service, lasting(slotOn(future(0), 10, 0), 90))
	for i, step := range []struct {
		move  booking.Move
		times string
		price int64
	}{
		{to(slotOn(future(0), 11, 0)), "11:00 12:30", 2000},
		{booking.Move{When: lasting(timetable.When{}, 180), Price: booking.PriceQuoted}, "11:00 14:00", 3000},
		{to(lasting(slotOn(future(0), 12, 0), 60)), "12:00 13:00", 3000},
	} {
		moved, err := reschedule(t, b.service, b.tenant, made.ID, step.move)
		require.NoError(t, err)
		require.EqualValues(t, 2+i, moved.Version)
		require.Equal(t, step.times, moved.StartsAt.Format("15:04 ")+moved.EndsAt.Format("15:04"))
		require.Equal(t, step.price, moved.Price)
	}
	_, err := reschedule(t, b.service, b.tenant, made.ID, to(lasting(timetable.When{}, 45)))
	require.ErrorContains(t, err, "duration_minutes: not_one_of")
	same, err := reschedule(t, b.service, b.tenant, made.ID, to(lasting(slotOn(future(0), 12, 0), 60)))
	require.NoError(t, err)
	require.EqualValues(t, 4, same.Version)
	hour := b.newSlotService(t, 1, 30)
	moved, err := reschedule(t, b.service, b.tenant, made.ID, booking.Move{ServiceID: &hour})
	require.NoError(t, err)
	moved, err = reschedule(t, b.service, b.tenant, moved.ID, booking.Move{ServiceID: &service})
	require.NoError(t, err, "an hour is sold")
	require.Equal(t, "12:00 13:00", moved.StartsAt.Format("15:04 ")+moved.EndsAt.Format("15:04"))
	b.requireNoOverlap(t)
}

// TestReschedule_ServiceGotOtherDurations_BookingStaysUntilItMoves changes a service between its shapes.
func TestReschedule_ServiceGotOtherDurations_BookingStaysUntilItMoves(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newRental(t)
	set := func(change string) error {
		_, err := b.catalog.ChangeService(t.Context(), b.tenant, service, mergepatch.Of[catalog.ServiceSpec](change),
			"")
		return err
	}
	made := b.booked(t, service, lasting(slotOn(future(0), 10, 0), 90))
	require.ErrorContains(t, set(`{"duration_minutes": 60}`), "duration_minutes: excluded")
	require.NoError(t, set(`{"min_duration_minutes": null, "max_duration_minutes": null, "duration_step_minutes": null,
		"durations": [{"minutes": 120, "price": 500}, {"days": 1, "price": 700}]}`))
	kept, err := reschedule(t, b.service, b.tenant, made.ID, booking.Move{PartySize: new(1)})
	require.NoError(t, err)
	require.EqualValues(t, 1, kept.Version)
	_, err = reschedule(t, b.service, b.tenant, made.ID, booking.Move{Price: booking.PriceQuoted})
	require.ErrorContains(t, err, "duration_minutes: not_one_of", "what isn't sold has no price")
	_, err = reschedule(t, b.service, b.tenant, made.ID, to(slotOn(future(0), 11, 0)))
	require.ErrorContains(t, err, "duration_minutes: not_one_of")
	moved, err := reschedule(t, b.service, b.tenant, made.ID,
		booking.Move{When: timetable.When{DurationDays: new(1)}, Price: booking.PriceQuoted})
	require.NoError(t, err)
	require.Equal(t, future(1).String()+" 10:00", moved.EndsAt.Format("2006-01-02 15:04"))
	require.EqualValues(t, 700, moved.Price)
	moved, err = reschedule(t, b.service, b.tenant, made.ID, to(slotOn(future(3), 10, 0)))
	require.NoError(t, err)
	require.Equal(t, future(4).String()+" 10:00", moved.EndsAt.Format("2006-01-02 15:04"), "a day stays a day")
	require.NoError(t, set(`{"durations": null, "price_per_minutes": null, "until_closing": true}`))
	moved, err = reschedule(t, b.service, b.tenant, made.ID, to(slotOn(future(5), 10, 0)))
	require.NoError(t, err)
	require.Equal(t, future(6).String()+" 00:00", moved.EndsAt.Format("2006-01-02 15:04"))
	b.requireNoOverlap(t)
}

func TestQuote_DurationThatIsNotSold_IsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newRental(t)
	for _, when := range []timetable.When{
		lasting(slotOn(future(0), 10, 0), 45), {StartsAt: slotOn(future(0), 10, 0).StartsAt, DurationDays: new(1)},
	} {
		_, err := b.service.Quote(t.Context(), b.tenant, newBooking(service, when))
		require.ErrorContains(t, err, "not_one_of")
	}
	held := b.hold(t, service, lasting(slotOn(future(0), 10, 0), 90))
	longer := mergepatch.Of[catalog.ServiceSpec](`{"min_duration_minutes": 120}`)
	_, err := b.catalog.ChangeService(t.Context(), b.tenant, service, longer, "")
	require.NoError(t, err)
	_, err = b.confirm(t, held.ID, booking.AmendRequest{Move: &booking.Move{Price: booking.PriceQuoted}})
	require.ErrorContains(t, err, "duration_minutes: not_one_of")
	_, err = b.confirm(t, held.ID, booking.AmendRequest{})
	require.NoError(t, err, "at its own price")
}

func TestQuote_OneOfSeveralDurations_HasItsPrice(t *testing.T) {
	t.Parallel()
	b := setup(t)
	dear := []timetable.Rate{{From: new(future(1)), To: new(future(1)), Price: 2000}}
	perTime := b.newRental(t, func(s *catalog.ServiceSpec) { s.Rates = dear })
	listed := b.newRental(t, func(s *catalog.ServiceSpec) {
		s.Durations = timetable.Durations{Durations: []timetable.Duration{
			{Length: timetable.Length{Minutes: 60}, Price: new(int64(1500))}, {Length: timetable.Length{Minutes: 120}},
			{Length: timetable.Length{Minutes: 180}, Price: new(int64(4000))},
		}}
		s.PricePerMinutes = 0
		s.Rates = []timetable.Rate{{From: new(future(1)), To: new(future(1)), Price: 2000,
			Durations: []timetable.Duration{
				{Length: timetable.Length{Minutes: 60}, Price: new(int64(1800))},
			}}}
	})
	perUnit := b.newRental(t, func(s *catalog.ServiceSpec) {
		s.PricePer, s.PricePerMinutes = timetable.PerUnit, 30
		s.ResourceIDs = []uuid.UUID{b.newResource(t, 4, timetable.Hours{})}
	})
	typed := b.newRental(t, func(s *catalog.ServiceSpec) {
		s.Price, s.UnitTypes = 0, []timetable.UnitType{{Key: "adult", Name: "Adult", Price: 300, Counts: true}}
		s.ResourceIDs = []uuid.UUID{b.newResource(t, 4, timetable.Hours{})}
	})
	item := func(name string, periods, quantity int, price int64) timetable.Item {
		return timetable.Item{Name: name, Periods: periods, Quantity: quantity, UnitPrice: price,
			Amount: int64(quantity) * price}
	}
	for name, test := range map[string]struct {
		service      uuid.UUID
		day, minutes int
		party        int
		want         timetable.Item
	}{
		"an hour":                        {perTime, 0, 60, 1, item("Boat, 60 minutes", 0, 1, 1000)},
		"an hour that has begun":         {perTime, 0, 90, 1, item("Boat, 90 minutes", 2, 2, 1000)},
		"four hours by a rate":           {perTime, 1, 240, 1, item("Boat, 240 minutes", 4, 4, 2000)},
		"a duration's own price":         {listed, 0, 60, 1, item("Boat, 60 minutes", 0, 1, 1500)},
		"a duration's price by a rate":   {listed, 1, 60, 1, item("Boat, 60 minutes", 0, 1, 1800)},
		"a duration without a price":     {listed, 0, 120, 1, item("Boat, 120 minutes", 0, 1, 1000)},
		"without a price, by a rate":     {listed, 1, 120, 1, item("Boat, 120 minutes", 0, 1, 2000)},
		"its own price, not in the rate": {listed, 1, 180, 1, item("Boat, 180 minutes", 0, 1, 4000)},
		"per unit":                       {perUnit, 0, 90, 2, item("Boat, 90 minutes", 3, 6, 1000)},
	} {
		n := newBooking(test.service, lasting(slotOn(future(test.day), 10, 0), test.minutes))
		n.PartySize = test.party
		q, err := b.service.Quote(t.Context(), b.tenant, n)
		require.NoError(t, err, name)
		require.Nil(t, q.Refusal, name)
		require.Equal(t, []timetable.Item{test.want}, q.Booking.Items, name)
		made, _, err := create(t, b.service, b.tenant, newKey(), n)
		require.NoError(t, err, name)
		read, err := b.service.Get(t.Context(), b.tenant, made.ID)
		require.NoError(t, err)
		require.Equal(t, []timetable.Item{test.want}, read.Items, name)
		_, err = change(t, b.service, b.tenant, made.ID, booking.Cancel)
		require.NoError(t, err)
	}
	n := newBooking(typed, lasting(slotOn(future(0), 10, 0), 120))
	n.Party = map[string]int{"adult": 2}
	q, err := b.service.Quote(t.Context(), b.tenant, n)
	require.NoError(t, err)
	require.EqualValues(t, 1200, q.Booking.Price)
	require.Equal(t, map[string]int{"adult": 2}, q.Body().Party)
}
