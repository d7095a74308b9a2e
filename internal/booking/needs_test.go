package booking_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/mergepatch"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
	"holdfast/internal/timetable"
)

// harbour has boats, and skippers of which each trip needs one.
type harbour struct {
	*testBundle
	boats, skippers []uuid.UUID
	trip            uuid.UUID
}

func newHarbour(t testing.TB, boats, skippers int, o timetable.Occupies) harbour {
	t.Helper()
	h := harbour{testBundle: setup(t)}
	h.boats, h.skippers = h.newResources(t, boats, 6), h.newResources(t, skippers, 1)
	h.trip = h.newTrip(t, o, h.boats, h.skippers)
	return h
}

func (b *testBundle) newResources(t testing.TB, n, capacity int) (ids []uuid.UUID) {
	t.Helper()
	for range n {
		ids = append(ids, b.newResource(t, capacity, timetable.Hours{}))
	}
	return ids
}

func (b *testBundle) newTrip(t testing.TB, o timetable.Occupies, groups ...[]uuid.UUID) uuid.UUID {
	t.Helper()
	s := catalog.ServiceSpec{
		Name: "Trip",
		Spec: timetable.Spec{Kind: timetable.KindSlot, DurationMinutes: 60, SlotIntervalMinutes: 30, Occupies: o},
	}
	for _, ids := range groups {
		s.Needs = append(s.Needs, timetable.Need{ResourceIDs: ids})
	}
	return b.newService(t, s)
}

func (b *testBundle) atHour(hour int) timetable.When {
	return atTime(testtime.At(0, hour, 0, b.tenant.Location))
}

// resourcesOf returns all resources of a booking.
func (b *testBundle) resourcesOf(t testing.TB, id uuid.UUID) []uuid.UUID {
	t.Helper()
	got, err := b.service.Get(t.Context(), b.tenant, id)
	require.NoError(t, err)
	if body := got.Body(); len(body.ResourceIDs) > 0 {
		require.Equal(t, body.ResourceID, body.ResourceIDs[0])
		return body.ResourceIDs
	}
	return []uuid.UUID{got.ResourceID}
}

func (b *testBundle) requireRefused(t testing.TB, code problem.Code, n booking.CreateRequest) {
	t.Helper()
	_, _, err := create(t, b.service, b.tenant, newKey(), n)
	require.Equal(t, code, problem.CodeOf(err))
}

func TestNeeds_BoatAndSkipper_AreTakenTogetherOrNotAtAll(t *testing.T) {
	t.Parallel()
	h := newHarbour(t, 2, 1, timetable.OccupiesWhole)
	made := h.booked(t, h.trip, h.atHour(9))
	require.Equal(t, []uuid.UUID{h.boats[0], h.skippers[0]}, h.resourcesOf(t, made.ID))
	h.requireRefused(t, problem.SlotUnavailable, newBooking(h.trip, h.atHour(9)))
	require.Equal(t, 2, h.count(t, "SELECT count(*) FROM claims"), "the second boat wasn't taken")
	h.requireNoOverlap(t)

	found, err := h.service.List(t.Context(), h.tenant,
		booking.Filter{From: new(future(0)), ResourceID: &h.skippers[0], Limit: 10})
	require.NoError(t, err)
	require.Len(t, found, 1, "the skipper's list has the trip")

	_, err = change(t, h.service, h.tenant, made.ID, booking.Cancel)
	require.NoError(t, err)
	require.Zero(t, h.count(t, "SELECT count(*) FROM claims"))
	h.booked(t, h.trip, h.atHour(9))
	h.requireNoOverlap(t)
}

// Two services share nothing but a skipper.
func TestNeeds_ManyAtOnceForOneSkipper_ExactlyOneWins(t *testing.T) {
	t.Parallel()
	b := setup(t)
	skipper := b.newResources(t, 1, 1)
	var trips []uuid.UUID
	for range 4 {
		trips = append(trips, b.newTrip(t, timetable.OccupiesWhole, b.newResources(t, 1, 6), skipper))
	}
	other, _ := b.process(t)
	codes := race(24, func(i int) error {
		_, _, err := create(t, []*booking.Service{b.service, other}[i%2], b.tenant, newKey(),
			newBooking(trips[i%len(trips)], b.atHour(9)))
		return err
	})
	require.Equal(t, map[problem.Code]int{"": 1, problem.SlotUnavailable: 23}, codes)
	require.Equal(t, 2, b.count(t, "SELECT count(*) FROM claims"))
	b.requireNoOverlap(t)
}

func TestNeeds_ManyAtOnceForSeveralBoats_GetABoatAndASkipperEach(t *testing.T) {
	t.Parallel()
	h := newHarbour(t, 5, 4, timetable.OccupiesWhole)
	codes := race(24, func(int) error {
		_, _, err := create(t, h.service, h.tenant, newKey(), newBooking(h.trip, h.atHour(9)))
		return err
	})
	require.Equal(t, map[problem.Code]int{"": 4, problem.SlotUnavailable: 20}, codes)
	require.Equal(t, 4, h.count(t, "SELECT count(DISTINCT resource_id) FROM bookings"))
	require.Equal(t, 4, h.count(t, "SELECT count(DISTINCT other_resource_ids) FROM bookings"))
	h.requireNoOverlap(t)
}

// The constraint stands for each resource without any lock.
func TestNeeds_WriterThatTakesNoLock_IsRefusedByTheConstraint(t *testing.T) {
	t.Parallel()
	h := newHarbour(t, 1, 1, timetable.OccupiesWhole)
	h.booked(t, h.trip, h.atHour(9))
	for _, id := range []uuid.UUID{h.boats[0], h.skippers[0]} {
		_, err := h.sql.Exec(t.Context(), `INSERT INTO claims (tenant_id, owner_id, number, resource_id, units, busy_from, busy_until)
			SELECT tenant_id, gen_random_uuid(), 1, resource_id, '{[1,2)}', busy_from, busy_until FROM claims WHERE resource_id = $1`, id)
		var refused *pgconn.PgError
		require.ErrorAs(t, err, &refused)
		require.Equal(t, "23P01", refused.Code)
	}
}

func TestNeeds_NamedResources_AreTakenAndOthersRefused(t *testing.T) {
	t.Parallel()
	h := newHarbour(t, 2, 2, timetable.OccupiesWhole)
	named := func(hour int, ids ...uuid.UUID) booking.CreateRequest {
		n := newBooking(h.trip, h.atHour(hour))
		n.ResourceIDs = ids
		return n
	}
	for hour, want := range [][]uuid.UUID{{h.boats[1], h.skippers[1]}, {h.boats[1], h.skippers[0]},
		{h.boats[0], h.skippers[1]}} {
		ids := [][]uuid.UUID{{h.skippers[1], h.boats[1]}, {h.boats[1]}, {h.skippers[1]}}[hour]
		made, _, err := create(t, h.service, h.tenant, newKey(), named(8+hour, ids...))
		require.NoError(t, err)
		require.Equal(t, want, h.resourcesOf(t, made.ID))
	}
	h.requireRefused(t, problem.SlotUnavailable, named(8, h.boats[0], h.skippers[1]))
	h.requireRefused(t, problem.NotFound, named(8, h.boats[0], uuid.New()))
	h.requireRefused(t, problem.ValidationFailed, named(8, h.boats...))
	h.requireNoOverlap(t)
}

func TestNeeds_Reschedule_KeepsTheResourcesOrTakesOthers(t *testing.T) {
	t.Parallel()
	h := newHarbour(t, 2, 2, timetable.OccupiesWhole)
	first, second := h.booked(t, h.trip, h.atHour(9)), h.booked(t, h.trip, h.atHour(9))
	require.Equal(t, []uuid.UUID{h.boats[1], h.skippers[1]}, h.resourcesOf(t, second.ID))
	move := func(id uuid.UUID, m booking.Move) error {
		_, err := reschedule(t, h.service, h.tenant, id, m)
		h.requireNoOverlap(t)
		return err
	}
	require.NoError(t, move(second.ID, booking.Move{When: h.atHour(12)}))
	require.Equal(t, []uuid.UUID{h.boats[1], h.skippers[1]}, h.resourcesOf(t, second.ID))
	require.NoError(t, move(second.ID, booking.Move{AnyResource: true}), "it stays where it is")
	require.Equal(t, []uuid.UUID{h.boats[1], h.skippers[1]}, h.resourcesOf(t, second.ID))
	require.NoError(t, move(second.ID, booking.Move{When: h.atHour(13), AnyResource: true}))
	require.Equal(t, []uuid.UUID{h.boats[0], h.skippers[0]}, h.resourcesOf(t, second.ID))
	require.Equal(t, problem.SlotUnavailable, problem.CodeOf(move(second.ID, booking.Move{When: h.atHour(9)})))
	require.NoError(
		t,
		move(second.ID, booking.Move{Resources: booking.Resources{ResourceIDs: []uuid.UUID{h.skippers[1]}}}),
		"another skipper",
	)
	require.Equal(t, []uuid.UUID{h.boats[0], h.skippers[1]}, h.resourcesOf(t, second.ID))
	require.Equal(t, problem.SlotUnavailable, problem.CodeOf(move(second.ID, booking.Move{When: h.atHour(9)})),
		"the boat is away")
	require.NoError(t, move(first.ID, booking.Move{When: h.atHour(13), AnyResource: true}))
	require.Equal(t, []uuid.UUID{h.boats[1], h.skippers[0]}, h.resourcesOf(t, first.ID))
}

// Whoever is aboard of a session has its skipper, and the last one frees both.
func TestNeeds_Session_SharesTheSkipper(t *testing.T) {
	t.Parallel()
	h := newHarbour(t, 2, 2, timetable.OccupiesSession)
	var aboard []uuid.UUID
	for range 3 {
		n := forParty(newBooking(h.trip, h.atHour(9)), 2)
		if len(aboard) == 0 {
			n.ResourceIDs = []uuid.UUID{h.skippers[1]}
		}
		made, _, err := create(t, h.service, h.tenant, newKey(), n)
		require.NoError(t, err)
		aboard = append(aboard, made.ID)
		require.Equal(t, []uuid.UUID{h.boats[0], h.skippers[1]}, h.resourcesOf(t, made.ID))
		h.requireNoOverlap(t)
	}
	require.Equal(t, 5, h.count(t, "SELECT count(*) FROM claims"), "boat and skipper once, and the seats of each")
	next := h.booked(t, h.trip, h.atHour(9))
	require.Equal(t, []uuid.UUID{h.boats[1], h.skippers[0]}, h.resourcesOf(t, next.ID), "the first boat is full")
	with := newBooking(h.trip, h.atHour(9))
	with.ResourceIDs = []uuid.UUID{h.boats[1], h.skippers[1]}
	h.requireRefused(t, problem.SlotUnavailable, with)

	err := lowerCapacity(t, h.testBundle, h.skippers[1], 1, 2)
	require.NoError(t, err, "three bookings share the one unit")
	for i, id := range aboard {
		_, err := change(t, h.service, h.tenant, id, booking.Cancel)
		require.NoError(t, err)
		h.requireNoOverlap(t)
		require.Equal(t, i < 2, h.count(t, "SELECT count(*) FROM claims WHERE resource_id = $1", h.skippers[1]) == 1)
	}
}

// lowerCapacity sets the capacity of a resource to each of some numbers, and returns the first error.
func lowerCapacity(t testing.TB, b *testBundle, id uuid.UUID, capacities ...int) error {
	t.Helper()
	for _, n := range capacities {
		body := fmt.Sprintf(`{"capacity": %d}`, n)
		if _, err := b.catalog.ChangeResource(t.Context(), b.tenant, id, mergepatch.Of[catalog.ResourceChange](body),
			""); err != nil {
			return err
		}
	}
	return nil
}

func TestNeeds_Hold_EndsLastsAndIsConfirmedOnEachResource(t *testing.T) {
	t.Parallel()
	for _, o := range []timetable.Occupies{timetable.OccupiesUnits, timetable.OccupiesSession} {
		h := newHarbour(t, 1, 1, o)
		held := h.hold(t, h.trip, h.atHour(9))
		h.requireNoOverlap(t)
		_, err := extend(t, h.service, h.testBundle, held.ID, 60)
		require.NoError(t, err)
		h.requireNoOverlap(t)

		h.expireIn(t, held.ID, -time.Minute)
		h.syncClaims(t)
		other := h.hold(t, h.trip, h.atHour(9))
		h.requireNoOverlap(t)
		_, err = h.confirm(t, held.ID, booking.AmendRequest{IfStillFree: true})
		if o == timetable.OccupiesSession {
			require.NoError(t, err, "it joins the session of the other hold")
			h.requireNoOverlap(t)
			continue
		}
		require.Equal(t, problem.SlotUnavailable, problem.CodeOf(err), "another hold has the skipper")
		h.expireIn(t, other.ID, -time.Minute)
		h.syncClaims(t)
		_, err = h.confirm(t, held.ID, booking.AmendRequest{IfStillFree: true})
		require.NoError(t, err)
		require.Equal(t, []uuid.UUID{h.boats[0], h.skippers[0]}, h.resourcesOf(t, held.ID))
		h.requireNoOverlap(t)
		require.Zero(t, h.count(t, "SELECT count(*) FROM claims WHERE expires_at IS NOT NULL"))
		next := h.hold(t, h.trip, h.atHour(11))
		_, err = change(t, h.service, h.tenant, next.ID, booking.Confirm)
		require.NoError(t, err)
		h.requireNoOverlap(t)
	}
}

func TestNeeds_JoinedTables_TakeAPartyThatNoTableTakes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var tables []uuid.UUID
	for _, seats := range []int{2, 4, 6, 2} {
		tables = append(tables, b.newResource(t, seats, timetable.Hours{}))
	}
	dinner := b.newService(t, catalog.ServiceSpec{
		Name: "Dinner", Spec: timetable.Spec{
			Kind: timetable.KindSlot, DurationMinutes: 120, SlotIntervalMinutes: 60, Occupies: timetable.OccupiesWhole,
			Needs: []timetable.Need{{ResourceIDs: tables, Join: true}},
		},
	})
	seat := func(hour, party int) []uuid.UUID {
		made := b.booked(t, dinner, b.atHour(hour), func(n *booking.CreateRequest) { n.PartySize = party })
		return b.resourcesOf(t, made.ID)
	}
	require.Equal(t, tables[2:3], seat(18, 5), "one table is enough")
	require.Equal(t, tables[:2], seat(18, 6), "the next ones")
	b.requireRefused(t, problem.SlotUnavailable, forParty(newBooking(dinner, b.atHour(18)), 3))
	require.Equal(t, tables[1:3], seat(12, 9), "as few as possible")
	require.Equal(t, tables, seat(15, 14))
	b.requireRefused(t, problem.ValidationFailed, forParty(newBooking(dinner, b.atHour(9)), 15))
	named := forParty(newBooking(dinner, b.atHour(9)), 3)
	named.ResourceIDs = []uuid.UUID{tables[0], tables[3]}
	made, _, err := create(t, b.service, b.tenant, newKey(), named)
	require.NoError(t, err)
	require.Equal(t, named.ResourceIDs, b.resourcesOf(t, made.ID), "all that were asked for")
	b.requireNoOverlap(t)

	conflicts, _, err := b.service.Conflicts(t.Context(), b.tenant,
		booking.ConflictQuery{ServiceID: &dinner, Limit: 10})
	require.NoError(t, err)
	require.Empty(t, conflicts)
	require.NoError(t, lowerCapacity(t, b, tables[1], 5), "more seats are in nobody's way")
	require.Equal(t, problem.BookingsInTheWay, problem.CodeOf(lowerCapacity(t, b, tables[0], 1)))
}

// Each booking has another time, so that every stylist is free for each.
func TestNeeds_TenBookingsOverTwoStylists_AreSharedAsTheRuleSays(t *testing.T) {
	t.Parallel()
	b := setup(t)
	stylists := b.newResources(t, 2, 1)
	for choose, want := range map[timetable.Choose]int{
		timetable.ChooseInOrder: 10, timetable.ChooseInTurn: 5, timetable.ChooseLeastBooked: 5,
	} {
		cut := b.newService(t, catalog.ServiceSpec{
			Name: "Cut", Spec: timetable.Spec{
				Kind: timetable.KindSlot, DurationMinutes: 60,
				Needs: []timetable.Need{{ResourceIDs: stylists, Choose: choose}},
			},
		})
		day := slices.Index([]timetable.Choose{timetable.ChooseInOrder, timetable.ChooseInTurn,
			timetable.ChooseLeastBooked}, choose)
		got := make(map[uuid.UUID]int)
		for hour := range 10 {
			got[b.booked(t, cut, atTime(testtime.At(day, 9+hour, 0, b.tenant.Location))).ResourceID]++
		}
		require.Equal(t, want, got[stylists[0]], choose)
		require.Equal(t, 10-want, got[stylists[1]], choose)
	}
	b.requireNoOverlap(t)
}

func TestNeeds_SkipperWithUpcomingTrips_IsInTheWayOfItsArchiving(t *testing.T) {
	t.Parallel()
	h := newHarbour(t, 1, 1, timetable.OccupiesSession)
	trips := []string{h.booked(t, h.trip, h.atHour(9)).ID.String(), h.booked(t, h.trip, h.atHour(9)).ID.String()}
	archive := catalog.Archiving{Archived: true}
	_, err := h.catalog.ArchiveResource(t.Context(), h.tenant, request(t, newKey()), h.skippers[0], archive, "")
	require.Equal(t, problem.BookingsInTheWay, problem.CodeOf(err))
	require.ElementsMatch(t, trips, problem.DocumentOf(err).BookingIDs)
	_, err = h.catalog.ArchiveService(t.Context(), h.tenant, request(t, newKey()), h.trip, archive, "")
	require.ElementsMatch(t, trips, problem.DocumentOf(err).BookingIDs, "each once")
	archive.Force = true
	_, err = h.catalog.ArchiveResource(t.Context(), h.tenant, request(t, newKey()), h.skippers[0], archive, "")
	require.NoError(t, err)
	h.requireRefused(t, problem.InvalidState, newBooking(h.trip, h.atHour(12)))
	conflicts, _, err := h.service.Conflicts(t.Context(), h.tenant,
		booking.ConflictQuery{ResourceID: &h.skippers[0], Limit: 10})
	require.NoError(t, err)
	require.Len(t, conflicts, 2)
	require.Equal(t, []booking.Conflict{booking.ResourceArchived}, conflicts[0].Conflicts)
}

// A trip is only offered while a skipper works.
func TestNeeds_SkipperIsAway_NoTripIsListedOrAccepted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	boats := b.newResources(t, 1, 6)
	var weekly []timetable.WeeklyHours
	for day := time.Sunday; day <= time.Saturday; day++ {
		weekly = append(weekly, timetable.WeeklyHours{Weekday: day, Opens: 9 * 60, Closes: 11 * 60})
	}
	skipper := b.newResource(t, 1, timetable.Hours{Weekly: weekly})
	trip := b.newTrip(t, timetable.OccupiesUnits, boats, []uuid.UUID{skipper})
	b.requireRefused(t, problem.OutsideOpeningHours, newBooking(trip, b.atHour(12)))
	page, err := b.service.Availability(t.Context(), b.tenant, trip,
		timetable.AvailabilityQuery{From: future(0), To: future(0), PartySize: 2})
	require.NoError(t, err)
	for day := range page.Days() {
		require.Equal(t, 3, day.Remaining, "9:00, 9:30, 10:00")
		for _, s := range day.Slots {
			if len(s.ResourceIDs) > 0 {
				require.Equal(t, []uuid.UUID{boats[0], skipper}, s.ResourceIDs)
				require.Equal(t, 6, s.Remaining)
			} else {
				require.Zero(t, s.Remaining)
			}
		}
	}
}

// Requests that wait together read the claims of several times at once, some of them several times.
func TestNeeds_RequestsOfSeveralTimesShareATransaction_ASessionHasEachResourceOnce(t *testing.T) {
	t.Parallel()
	h := newHarbour(t, 1, 2, timetable.OccupiesSession)
	first := h.booked(t, h.trip, h.atHour(9))
	want := h.resourcesOf(t, first.ID)
	joined := make([]booking.Booking, 12)
	errs := h.together(t, future(0), len(joined), func(i int) (err error) {
		when := atTime(testtime.At(0, 9, 30*(i%3), h.tenant.Location))
		joined[i], _, err = create(t, h.service, h.tenant, newKey(), newBooking(h.trip, when))
		return err
	})
	for i, err := range errs {
		if i%3 == 0 {
			require.NoError(t, err)
			require.Equal(t, want, h.resourcesOf(t, joined[i].ID))
		}
		if i%3 == 1 {
			require.Equal(t, problem.SlotUnavailable, problem.CodeOf(err), "the boat is away")
		}
	}
	h.requireNoOverlap(t)
}
