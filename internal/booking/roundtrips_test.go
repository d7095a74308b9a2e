package booking_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
	"holdfast/internal/timetable"
)

// TestRoundTrips_CreateTwo_ReplayOne_ReadOne counts on the wire, after statements are prepared and rules are
// known, as they are in a server that runs. Authentication is part of it.
func TestRoundTrips_CreateTwo_ReplayOne_ReadOne(t *testing.T) {
	t.Parallel()
	setup(t).countRoundTrips(t)
}

func (b *testBundle) countRoundTrips(t *testing.T) {
	t.Helper()
	serviceID := b.newDateService(t, 1)
	var needs []timetable.Need
	for _, id := range b.newResources(t, 3, 1) {
		needs = append(needs, timetable.Need{ResourceIDs: []uuid.UUID{id}})
	}
	three := b.newService(t,
		catalog.ServiceSpec{Name: "Treatment", Spec: timetable.Spec{Kind: timetable.KindDate, Needs: needs}})
	counted := b.newService(t, catalog.ServiceSpec{
		Name: "Tour", Spec: timetable.Spec{Kind: timetable.KindDate, Needs: needs, MaxPerDay: new(2),
			Occupies: timetable.OccupiesSession},
	})
	proxy := dbtest.NewProxy(t, b.url)
	s := dbtest.Open(t, db.Config{URL: proxy.URL, MaxConns: 1})
	bookings, tenants, guard := booking.NewService(s), tenant.NewService(s), idempotency.NewGuard(s)

	var made, held booking.Booking
	key, day, other := "", 0, 0
	book := func(service *booking.Service, hold bool) {
		tn, err := tenants.Authenticate(t.Context(), b.apiKey)
		require.NoError(t, err)
		key, day = newKey(), day+1
		turn, _, err := guard.Begin(t.Context(), tn.ID, request(t, key))
		require.NoError(t, err)
		defer turn.End()
		n := newBooking(serviceID, onDate(future(day)))
		if hold {
			minutes := 5
			n.HoldMinutes = &minutes
		}
		made, _, err = create(t, service, tn, key, n)
		require.NoError(t, err)
	}
	replay := func() {
		turn, resp, err := guard.Begin(t.Context(), b.tenant.ID, request(t, key))
		require.NoError(t, err)
		require.Nil(t, turn, "nothing is left to do")
		require.True(t, resp.Replayed)
	}
	available := func(days int) {
		_, err := bookings.Availability(t.Context(), b.tenant, serviceID,
			timetable.AvailabilityQuery{From: future(0), To: future(days), PartySize: 1})
		require.NoError(t, err)
	}
	availableTogether := func(of func(q timetable.AvailabilityQuery) (*timetable.ServicesPage, error)) {
		page, err := of(timetable.AvailabilityQuery{From: future(0), To: future(30), PartySize: 1})
		require.NoError(t, err)
		require.NotEmpty(t, page.Fingerprint())
	}
	for _, step := range []struct {
		name   string
		trips  int
		before func() // not counted
		run    func()
	}{
		{"create", 2, func() {}, func() { book(bookings, false) }},
		{"replay", 1, func() { book(bookings, false) }, func() { replay() }},
		{"read", 1, func() {}, func() {
			_, err := bookings.Get(t.Context(), b.tenant, made.ID)
			require.NoError(t, err)
		}},
		{"create over three resources", 2, func() {}, func() {
			other++
			_, _, err := create(t, bookings, b.tenant, newKey(), newBooking(three, onDate(future(other))))
			require.NoError(t, err)
		}},
		{"quote", 1, func() {}, func() {
			_, err := bookings.Quote(t.Context(), b.tenant, newBooking(serviceID, onDate(future(day+1))))
			require.NoError(t, err)
		}},
		{"quote of a move: where it is, then what it is judged by", 2, func() {}, func() {
			_, err := bookings.QuoteMove(t.Context(), b.tenant, made.ID, to(onDate(future(day+1))))
			require.NoError(t, err)
		}},
		{"availability of two months", 1, func() {}, func() { available(61) }},
		{"availability of ten months", 1, func() {}, func() { available(300) }},
		{"availability of several services", 1, func() {}, func() {
			availableTogether(func(q timetable.AvailabilityQuery) (*timetable.ServicesPage, error) {
				return bookings.AvailabilityOfServices(t.Context(), b.tenant, []uuid.UUID{three, serviceID, counted}, q)
			})
		}},
		{"availability of a resource: its services, then what occupies it", 2, func() {}, func() {
			availableTogether(func(q timetable.AvailabilityQuery) (*timetable.ServicesPage, error) {
				return bookings.AvailabilityOfResource(t.Context(), b.tenant, needs[0].ResourceIDs[0], q)
			})
		}},
		{"refusal, with the rollback that is not waited for", 2, func() {}, func() {
			_, _, err := create(t, bookings, b.tenant, newKey(), newBooking(serviceID, onDate(future(day))))
			require.True(t, problem.Is(err, problem.SlotUnavailable), "%v", err)
		}},
		{
			"create in place of a hold past its expiry: the refusal and its rollback, the read of the hold, its expiry, then the booking",
			7,
			func() { book(bookings, true); b.expireIn(t, made.ID, 0) },
			func() {
				_, _, err := create(t, bookings, b.tenant, newKey(), newBooking(serviceID, onDate(future(day))))
				require.NoError(t, err)
			},
		},
		{"confirm: where it is, then the lock, then the write", 3, func() { book(bookings, true); held = made },
			func() {
				_, err := change(t, bookings, b.tenant, held.ID, booking.Confirm)
				require.NoError(t, err)
			}},
	} {
		step.before()
		step.run() // prepares the statements
		step.before()
		s.WaitForBackground()
		before := proxy.Trips()
		step.run()
		s.WaitForBackground()
		require.Equal(t, step.trips, proxy.Trips()-before, step.name)
	}

	t.Run("replay in another process waits for one", func(t *testing.T) {
		otherProxy := dbtest.NewProxy(t, b.url)
		other := dbtest.Open(t, db.Config{URL: otherProxy.URL, MaxConns: 1})
		otherBookings := booking.NewService(other)
		book(bookings, false)
		replayByTransaction := func() {
			_, resp, err := create(t, otherBookings, b.tenant, key, newBooking(serviceID, onDate(future(day))))
			require.NoError(t, err)
			require.True(t, resp.Replayed)
		}
		replayByTransaction() // prepares the statements, reads the rules
		book(bookings, false)
		other.WaitForBackground()
		before := otherProxy.Trips()
		replayByTransaction()
		other.WaitForBackground()
		require.Equal(t, 2, otherProxy.Trips()-before, "one, and the rollback after the answer")
	})
}
