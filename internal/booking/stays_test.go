package booking_test

import (
	"math/rand/v2"
	"testing"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/idempotency"
	"holdfast/internal/mergepatch"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
	"holdfast/internal/timetable"
)

// stay asks for a stay from one date to come to another one.
func stay(from, to int) timetable.When {
	return timetable.When{CheckIn: new(future(from)), CheckOut: new(future(to))}
}

// newStayService returns a service that sells one resource by the night.
func (b *testBundle) newStayService(t testing.TB, capacity int, with ...func(*catalog.ServiceSpec)) uuid.UUID {
	t.Helper()
	spec := catalog.ServiceSpec{
		Name: "Room", Spec: timetable.Spec{
			Kind: timetable.KindStay, ResourceIDs: []uuid.UUID{b.newResource(t, capacity, timetable.Hours{})},
			CheckIn:  "15:00",
			CheckOut: "10:00", MaxNights: 40,
		},
	}
	for _, w := range with {
		w(&spec)
	}
	return b.newService(t, spec)
}

// takes reports whether a stay can be booked. It leaves nothing behind.
func (b *testBundle) takes(t testing.TB, service uuid.UUID, when timetable.When) bool {
	t.Helper()
	made, _, err := create(t, b.service, b.tenant, newKey(), newBooking(service, when))
	if err != nil {
		require.True(t, problem.Is(err, problem.SlotUnavailable), "%v", err)
		return false
	}
	_, err = change(t, b.service, b.tenant, made.ID, booking.Cancel)
	require.NoError(t, err)
	return true
}

func TestCreate_Stay_LastsFromCheckInToCheckOut(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newStayService(t, 1)
	made := b.booked(t, service, stay(10, 13))
	require.Equal(t, future(10), made.Date)
	require.Equal(t, "15:00 10:00", made.StartsAt.Format("15:04 ")+made.EndsAt.Format("15:04"))
	read, err := b.service.Get(t.Context(), b.tenant, made.ID)
	require.NoError(t, err)
	body := read.Body()
	require.Equal(t, booking.StayBody{Nights: 3, CheckOut: future(13).String()}, body.StayBody)
	require.Equal(t, future(10).String(), body.Date)
	for when, free := range map[timetable.When]bool{
		stay(7, 10): true, stay(13, 15): true, stay(9, 11): false, stay(12, 14): false, stay(11, 12): false,
		stay(5, 20): false,
	} {
		require.Equal(t, free, b.takes(t, service, when), "%s to %s", when.CheckIn, when.CheckOut)
	}
	b.requireNoOverlap(t)
}

func TestCreate_CleaningDays_KeepDatesFreeOnBothSides(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for days := range 3 {
		service := b.newStayService(t, 1, func(s *catalog.ServiceSpec) { s.BufferAfterDays = days })
		b.booked(t, service, stay(10, 13))
		require.True(t, b.takes(t, service, stay(13+days, 15+days)), days)
		require.True(t, b.takes(t, service, stay(8-days, 10-days)), days)
		if days > 0 {
			require.False(t, b.takes(t, service, stay(12+days, 15+days)), days)
			require.False(t, b.takes(t, service, stay(8-days, 11-days)), days)
		}
	}
	before := b.newStayService(t, 1, func(s *catalog.ServiceSpec) { s.BufferBeforeDays = 2 })
	b.booked(t, before, stay(10, 13))
	require.True(t, b.takes(t, before, stay(5, 8)))
	require.False(t, b.takes(t, before, stay(5, 9)))
	require.True(t, b.takes(t, before, stay(15, 17)))
	require.False(t, b.takes(t, before, stay(14, 17)))
	b.requireNoOverlap(t)
}

// TestCreate_StaysThatOverlap_TheFirstWins has two clients of two processes want nights of which they share one, in
// each order.
func TestCreate_StaysThatOverlap_TheFirstWins(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other, _ := b.process(t)
	service := b.newStayService(t, 1)
	for i, earlierFirst := range []bool{true, false} {
		from := 30 * i
		requests := []func() error{
			func() error {
				_, _, err := create(t, b.service, b.tenant, newKey(), newBooking(service, stay(from, from+14)))
				return err
			},
			func() error {
				_, _, err := create(t, other, b.tenant, newKey(), newBooking(service, stay(from+13, from+20)))
				return err
			},
		}
		if !earlierFirst {
			requests[0], requests[1] = requests[1], requests[0]
		}
		errs := b.inOrder(t, future(from+13), func() {}, requests...)
		require.NoError(t, errs[0])
		require.True(t, problem.Is(errs[1], problem.SlotUnavailable), "%v", errs[1])
	}
	require.Equal(t, 2, b.count(t, "SELECT count(*) FROM bookings"))
	b.requireNoOverlap(t)
	b.requireNoDeadlock(t)
}

// TestCreate_StaysOfManyClients_NoNightIsSoldTwice has clients of two processes want stays that overlap at random.
func TestCreate_StaysOfManyClients_NoNightIsSoldTwice(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other, _ := b.process(t)
	service := b.newStayService(t, 2, func(s *catalog.ServiceSpec) { s.BufferAfterDays = 1 })
	random := rand.New(rand.NewPCG(testtime.Seed(t), 0))
	whens := make([]timetable.When, 60)
	for i := range whens {
		from := random.IntN(12)
		whens[i] = stay(from, from+1+random.IntN(6))
	}
	codes := race(len(whens), func(i int) error {
		s := b.service
		if i%2 == 0 {
			s = other
		}
		_, _, err := create(t, s, b.tenant, newKey(), newBooking(service, whens[i]))
		return err
	})
	require.Equal(t, len(whens), codes[""]+codes[problem.SlotUnavailable], "%v", codes)
	require.Greater(t, codes[""], 2)
	b.requireNoOverlap(t)
	b.requireNoDeadlock(t)
}

func TestReschedule_Stay_IsProlongedShortenedAndMovedOverItsOwnNights(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newStayService(t, 1, func(s *catalog.ServiceSpec) { s.BufferAfterDays, s.Price = 1, 1000 })
	made := b.booked(t, service, stay(10, 13))
	b.booked(t, service, stay(20, 22))
	for i, step := range []struct {
		move     booking.Move
		from, to int
		price    int64
	}{
		{to(timetable.When{CheckOut: new(future(15))}), 10, 15, 3000},
		{booking.Move{When: timetable.When{CheckOut: new(future(19))}, Price: booking.PriceQuoted}, 10, 19, 9000},
		{to(timetable.When{CheckIn: new(future(8)), CheckOut: new(future(12))}), 8, 12, 9000},
		{booking.Move{When: timetable.When{CheckIn: new(future(9))}, Price: booking.PriceQuoted}, 9, 13, 4000},
		{to(stay(10, 11)), 10, 11, 4000},
	} {
		moved, err := reschedule(t, b.service, b.tenant, made.ID, step.move)
		require.NoError(t, err, i)
		require.EqualValues(t, 2+i, moved.Version)
		require.Equal(t, []any{future(step.from).String(), future(step.to).String(), step.to - step.from, step.price},
			[]any{moved.Date, moved.CheckOut, moved.Nights, moved.Price}, i)
	}
	_, err := reschedule(t, b.service, b.tenant, made.ID, to(timetable.When{CheckOut: new(future(20))}))
	require.True(t, problem.Is(err, problem.SlotUnavailable), "the next guest's room is cleaned on the day before: %v",
		err)
	same, err := reschedule(t, b.service, b.tenant, made.ID, to(stay(10, 11)))
	require.NoError(t, err)
	require.EqualValues(t, 6, same.Version, "it is there already")
	b.requireNoOverlap(t)
}

func TestReschedule_StayWhoseServiceChanged_KeepsItsTimesUnlessItMoves(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newStayService(t, 1)
	made := b.booked(t, service, stay(10, 13))
	_, err := b.catalog.ChangeService(t.Context(), b.tenant, service,
		mergepatch.Of[catalog.ServiceSpec](`{"check_in": "16:00", "check_out": "11:00", "min_nights": 5}`), "")
	require.NoError(t, err)
	kept, err := reschedule(t, b.service, b.tenant, made.ID, booking.Move{Price: booking.PriceQuoted})
	require.NoError(t, err)
	require.EqualValues(t, 1, kept.Version, "a stay that doesn't move isn't judged anew")
	_, err = reschedule(t, b.service, b.tenant, made.ID, to(stay(11, 14)))
	require.True(t, problem.Is(err, problem.ValidationFailed), "%v", err)
	moved, err := reschedule(t, b.service, b.tenant, made.ID, to(stay(10, 15)))
	require.NoError(t, err)
	require.Equal(t, "16:00 11:00", moved.StartsAt.Format("15:04 ")+moved.EndsAt.Format("15:04"))
}

func TestReschedule_LongStayThatGoesFar_IsTooManyDates(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newStayService(t, 1)
	made := b.booked(t, service, stay(0, 40))
	_, err := reschedule(t, b.service, b.tenant, made.ID, to(stay(100, 140)))
	require.True(t, problem.Is(err, problem.TooManyDates), "%v", err)
	q, err := b.service.QuoteMove(t.Context(), b.tenant, made.ID, to(stay(100, 140)))
	require.NoError(t, err)
	require.Equal(t, problem.TooManyDates, q.Refusal.Code)
	_, err = reschedule(t, b.service, b.tenant, made.ID, to(stay(21, 61)))
	require.NoError(t, err, "62 dates in all")
	b.requireStory(t, made.ID, "booking.created", "booking.rescheduled")
}

func TestReschedule_BetweenKindsOfServices_AsksForTheNights(t *testing.T) {
	t.Parallel()
	b := setup(t)
	room, day := b.newStayService(t, 1), b.newDateService(t, 1)
	made := b.booked(t, day, onDate(future(10)))
	_, err := reschedule(t, b.service, b.tenant, made.ID, booking.Move{ServiceID: &room})
	require.ErrorContains(t, err, "check_out: required")
	moved, err := reschedule(t, b.service, b.tenant, made.ID,
		booking.Move{ServiceID: &room, When: timetable.When{CheckOut: new(future(12))}})
	require.NoError(t, err)
	require.Equal(t, 2, moved.Nights)
	moved, err = reschedule(t, b.service, b.tenant, made.ID, booking.Move{ServiceID: &day})
	require.NoError(t, err)
	require.Equal(t, booking.StayBody{}, moved.StayBody)
	require.Equal(t, future(10).String(), moved.Date)
	b.requireNoOverlap(t)
}

func TestCreate_StaysPerDay_CountArrivals(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newStayService(t, 5, func(s *catalog.ServiceSpec) { s.MaxPerDay = new(1) })
	b.booked(t, service, stay(10, 14))
	require.False(t, b.takes(t, service, stay(10, 11)))
	require.True(t, b.takes(t, service, stay(11, 12)))
	require.True(t, b.takes(t, service, stay(9, 12)))
}

func TestCreate_StayOverAClosure_IsRefusedUnlessItEndsThere(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newStayService(t, 1)
	_, err := b.catalog.CreateClosure(t.Context(), b.tenant, request(t, newKey()),
		catalog.Closure{Closure: timetable.Closure{From: future(12), To: future(12)}})
	require.NoError(t, err)
	for when, open := range map[timetable.When]bool{stay(10, 12): true, stay(10, 13): false, stay(12, 13): false,
		stay(13, 14): true} {
		_, _, err := create(t, b.service, b.tenant, newKey(), newBooking(service, when))
		require.Equal(t, open, err == nil, "%v", err)
		if !open {
			require.True(t, problem.Is(err, problem.OutsideOpeningHours), "%v", err)
		}
	}
}

func TestConfirm_StayPastItsExpiry_IsConfirmedIfItsNightsAreFree(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newStayService(t, 1)
	held := b.hold(t, service, stay(10, 13))
	b.expireIn(t, held.ID, 0)
	resp, err := b.service.Confirm(t.Context(), b.tenant, request(t, newKey()), held.ID,
		booking.AmendRequest{IfStillFree: true}, "")
	require.NoError(t, err)
	require.Equal(t, booking.Confirmed, bookingIn(t, resp).Status)
	require.False(t, b.takes(t, service, stay(12, 14)))

	lost := b.hold(t, service, stay(20, 23))
	b.expireIn(t, lost.ID, 0)
	b.booked(t, service, stay(22, 24))
	_, err = b.service.Confirm(t.Context(), b.tenant, request(t, newKey()), lost.ID,
		booking.AmendRequest{IfStillFree: true}, "")
	require.True(t, problem.Is(err, problem.SlotUnavailable), "%v", err)
	b.requireNoOverlap(t)
}

// TestCreate_StayBesideOtherKinds_SharesItsResource has a date and a slot service sell the room too.
func TestCreate_StayBesideOtherKinds_SharesItsResource(t *testing.T) {
	t.Parallel()
	b := setup(t)
	resource := b.newResource(t, 1, timetable.Hours{})
	service := b.newStayService(t, 1, func(s *catalog.ServiceSpec) { s.ResourceIDs = []uuid.UUID{resource} })
	day := b.newService(
		t,
		catalog.ServiceSpec{Name: "Day",
			Spec: timetable.Spec{Kind: timetable.KindDate, ResourceIDs: []uuid.UUID{resource}}},
	)
	hour := b.newService(t, catalog.ServiceSpec{Name: "Hour", Spec: timetable.Spec{
		Kind: timetable.KindSlot, ResourceIDs: []uuid.UUID{resource},
		DurationMinutes: 60,
	}})
	b.booked(t, service, stay(10, 13))
	for _, d := range []civil.Date{future(10), future(12), future(13)} {
		_, _, err := create(t, b.service, b.tenant, newKey(), newBooking(day, onDate(d)))
		require.True(t, problem.Is(err, problem.SlotUnavailable), "%v", err)
	}
	b.booked(t, day, onDate(future(9)))
	b.booked(t, hour, slotOn(future(13), 10, 0))
	require.True(t, b.takes(t, service, stay(13, 14)))
	b.booked(t, hour, slotOn(future(16), 15, 0))
	require.False(t, b.takes(t, service, stay(13, 17)))
	b.requireNoOverlap(t)
}

// TestRoundTrips_StayOf14Nights_Two counts on the wire, as TestRoundTrips_CreateTwo_ReplayOne_ReadOne does.
func TestRoundTrips_StayOf14Nights_Two(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newStayService(t, 1, func(s *catalog.ServiceSpec) { s.BufferAfterDays, s.MaxNights = 2, 14 })
	proxy := dbtest.NewProxy(t, b.url)
	s := dbtest.Open(t, db.Config{URL: proxy.URL, MaxConns: 1})
	bookings, guard := booking.NewService(s), idempotency.NewGuard(s)
	for i := range 2 { // the first one prepares the statements
		s.WaitForBackground()
		before := proxy.Trips()
		key := newKey()
		turn, _, err := guard.Begin(t.Context(), b.tenant.ID, request(t, key))
		require.NoError(t, err)
		_, _, err = create(t, bookings, b.tenant, key, newBooking(service, stay(20*i, 20*i+14)))
		require.NoError(t, err)
		turn.End()
		s.WaitForBackground()
		if i == 1 {
			require.Equal(t, 2, proxy.Trips()-before)
		}
	}
}
