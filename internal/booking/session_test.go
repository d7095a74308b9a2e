package booking_test

import (
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

// boat is a resource with an hourly tour, whose bookings share it as sessions, and a charter of three hours that takes
// all of it.
type boat struct{ id, tour, charter uuid.UUID }

func (b *testBundle) newBoat(t testing.TB, capacity int) boat {
	t.Helper()
	made := boat{id: b.newResource(t, capacity, timetable.Hours{})}
	of := func(name string, minutes int, o timetable.Occupies) uuid.UUID {
		return b.newService(t, catalog.ServiceSpec{
			Name: name, Spec: timetable.Spec{
				Kind: timetable.KindSlot, ResourceIDs: []uuid.UUID{made.id}, DurationMinutes: minutes,
				SlotIntervalMinutes: 30,
				Occupies:            o,
			},
		})
	}
	made.tour, made.charter = of("Tour", 60, timetable.OccupiesSession), of("Charter", 180, timetable.OccupiesWhole)
	return made
}

func forParty(n booking.CreateRequest, size int) booking.CreateRequest {
	n.PartySize = size
	return n
}

// Two tours whose times overlap can't be on one boat, and a charter takes all of it.
func TestSession_OneBoat_HasOneTourOrCharterAtATime(t *testing.T) {
	t.Parallel()
	b := setup(t)
	boat := b.newBoat(t, 10)
	nine, halfPast := atTime(testtime.At(0, 9, 0, b.tenant.Location)), atTime(testtime.At(0, 9, 30, b.tenant.Location))
	refused := func(n booking.CreateRequest) {
		t.Helper()
		_, _, err := create(t, b.service, b.tenant, newKey(), n)
		require.Equal(t, problem.SlotUnavailable, problem.CodeOf(err))
	}
	first, _, err := create(t, b.service, b.tenant, newKey(), forParty(newBooking(boat.tour, nine), 4))
	require.NoError(t, err)
	second, _, err := create(t, b.service, b.tenant, newKey(), forParty(newBooking(boat.tour, nine), 6))
	require.NoError(t, err, "the tour has seats")
	refused(newBooking(boat.tour, nine))
	refused(newBooking(boat.tour, halfPast))
	refused(newBooking(boat.charter, halfPast))

	for _, id := range []uuid.UUID{first.ID, second.ID} {
		refused(newBooking(boat.charter, halfPast))
		_, err := change(t, b.service, b.tenant, id, booking.Cancel)
		require.NoError(t, err)
	}
	_, _, err = create(t, b.service, b.tenant, newKey(), forParty(newBooking(boat.charter, halfPast), 6))
	require.NoError(t, err, "the last booking that left the tour freed the boat")
	refused(newBooking(boat.tour, halfPast))
	b.requireNoOverlap(t)
}

func TestSession_ManyAtOnce_SellsEachSeatOnceAndNoBoatTwice(t *testing.T) {
	t.Parallel()
	b := setup(t)
	boat := b.newBoat(t, 5)
	other, _ := b.process(t)
	codes := race(24, func(i int) error {
		n := newBooking(boat.tour, atTime(testtime.At(0, 9, 30*(i/2%2), b.tenant.Location)))
		_, _, err := create(t, []*booking.Service{b.service, other}[i%2], b.tenant, newKey(), n)
		return err
	})
	require.Equal(t, map[problem.Code]int{"": 5, problem.SlotUnavailable: 19}, codes,
		"whoever is first has the boat for its tour")
	require.Equal(t, 1, b.count(t, "SELECT count(DISTINCT session_id) FROM bookings"))
	require.Zero(t, b.count(t, "SELECT count(*) FROM bookings WHERE session_id::text NOT LIKE '______________8%'"),
		"ids that a booking can have")
	require.Equal(t, 5, b.count(t, "SELECT count(DISTINCT units) FROM claims WHERE session_id IS NOT NULL"))
	b.requireNoOverlap(t)
}

// The constraints stand without any lock: whoever takes none can't sell a seat twice, nor a seat of a session that has
// ended, nor end a session that has seats, nor take the boat during a session.
func TestSession_WriterThatTakesNoLock_IsRefusedByTheConstraints(t *testing.T) {
	t.Parallel()
	b := setup(t)
	boat := b.newBoat(t, 5)
	_, _, err := create(t, b.service, b.tenant, newKey(),
		newBooking(boat.tour, atTime(testtime.At(0, 9, 0, b.tenant.Location))))
	require.NoError(t, err)
	const seat = `INSERT INTO claims (tenant_id, owner_id, number, resource_id, units, busy_from, busy_until, session_id)
		SELECT tenant_id, gen_random_uuid(), 1, `
	for name, c := range map[string]struct{ statement, state string }{
		"a seat twice": {seat +
			`session_id, units, busy_from, busy_until, session_id FROM claims WHERE session_id IS NOT NULL`, "23P01"},
		"a seat of no session": {seat + `s, '{[2,3)}', busy_from, busy_until, s
			FROM claims, gen_random_uuid() AS s WHERE session_id IS NOT NULL`, "23503"},
		"the end of a session": {`DELETE FROM claims WHERE session_id IS NULL`, "23503"},
		"a unit during the session": {seat + `resource_id, '{[3,4)}', busy_from + interval '30 minutes', busy_until, NULL
			FROM claims WHERE session_id IS NULL`, "23P01"},
	} {
		_, err := b.sql.Exec(t.Context(), c.statement)
		var refused *pgconn.PgError
		require.ErrorAs(t, err, &refused, name)
		require.Equal(t, c.state, refused.Code, name)
	}
}

// A session that only lapsed holds are left in is as free as they are, for whoever moves out of it too.
func TestSession_OnlyLapsedHoldsAreLeft_IsNotInTheWay(t *testing.T) {
	t.Parallel()
	b := setup(t)
	boat := b.newBoat(t, 5)
	nine, halfPast := atTime(testtime.At(0, 9, 0, b.tenant.Location)), atTime(testtime.At(0, 9, 30, b.tenant.Location))
	lapsed := []uuid.UUID{b.hold(t, boat.tour, nine).ID, b.hold(t, boat.tour, nine).ID}
	moves := b.booked(t, boat.tour, nine)
	for _, id := range lapsed {
		b.expireIn(t, id, -time.Second)
	}
	b.syncClaims(t)
	_, err := reschedule(t, b.service, b.tenant, moves.ID, to(halfPast))
	require.NoError(t, err)
	require.Equal(t, 2, b.count(t, "SELECT count(*) FROM bookings WHERE status = 'expired' AND booking_id = ANY ($1)",
		lapsed))

	_, err = change(t, b.service, b.tenant, moves.ID, booking.Cancel)
	require.NoError(t, err)
	held := b.hold(t, boat.tour, nine)
	b.expireIn(t, held.ID, -time.Second)
	b.syncClaims(t)
	b.booked(t, boat.charter, halfPast)
	require.Equal(t, 1, b.count(t, "SELECT count(*) FROM bookings WHERE status = 'expired' AND booking_id = $1",
		held.ID))
	b.requireNoOverlap(t)
}

func TestSession_HoldExpiredMeanwhile_GetsItsSeatBackIfStillFree(t *testing.T) {
	t.Parallel()
	b := setup(t)
	boat := b.newBoat(t, 2)
	nine := atTime(testtime.At(0, 9, 0, b.tenant.Location))
	held := b.hold(t, boat.tour, nine)
	b.expireIn(t, held.ID, -time.Second)
	b.syncClaims(t)
	other := b.booked(t, boat.tour, nine)
	_, err := b.confirm(t, held.ID, booking.AmendRequest{IfStillFree: true})
	require.NoError(t, err)
	require.Equal(t, 1, b.count(t,
		"SELECT count(DISTINCT session_id) FROM bookings WHERE booking_id IN ($1, $2) AND status = 'confirmed'",
		held.ID, other.ID))
	b.requireNoOverlap(t)
}

// A session lasts as long as its bookings: for ever with a confirmed one, and no shorter than each of its holds.
func TestSession_HoldsAreExtendedAndConfirmed_LastsAsLongAsItsBookings(t *testing.T) {
	t.Parallel()
	b := setup(t)
	boat := b.newBoat(t, 5)
	nine := atTime(testtime.At(0, 9, 0, b.tenant.Location))
	held, other := b.hold(t, boat.tour, nine), b.hold(t, boat.tour, nine)
	_, err := extend(t, b.service, b, held.ID, 60)
	require.NoError(t, err)
	b.requireNoOverlap(t)
	_, err = change(t, b.service, b.tenant, other.ID, booking.Confirm)
	require.NoError(t, err)
	b.requireNoOverlap(t)
	_, err = extend(t, b.service, b, held.ID, 120)
	require.NoError(t, err)
	b.requireNoOverlap(t)
	_, err = change(t, b.service, b.tenant, other.ID, booking.Cancel)
	require.NoError(t, err)
	b.requireNoOverlap(t)
}

// What the boat can't carry any more is told of each booking, and not of a session.
func TestSession_CapacityThatGetsTooSmall_NamesTheBookings(t *testing.T) {
	t.Parallel()
	b := setup(t)
	boat := b.newBoat(t, 6)
	nine := testtime.At(0, 9, 0, b.tenant.Location)
	tour := b.booked(t, boat.tour, atTime(nine), func(n *booking.CreateRequest) { n.PartySize = 3 })
	same := b.booked(t, boat.tour, atTime(nine), func(n *booking.CreateRequest) { n.PartySize = 2 })
	charter := b.booked(t, boat.charter, atTime(nine.Add(3*time.Hour)),
		func(n *booking.CreateRequest) { n.PartySize = 6 })
	small := b.booked(t, boat.charter, atTime(nine.Add(9*time.Hour)),
		func(n *booking.CreateRequest) { n.PartySize = 2 })

	lower := func(body string) error {
		_, err := b.catalog.ChangeResource(t.Context(), b.tenant, boat.id, mergepatch.Of[catalog.ResourceChange](body),
			"")
		return err
	}
	err := lower(`{"capacity": 4}`)
	require.Equal(t, problem.BookingsInTheWay, problem.CodeOf(err))
	require.ElementsMatch(t, []string{tour.ID.String(), same.ID.String(), charter.ID.String()},
		problem.DocumentOf(err).BookingIDs)
	require.NoError(t, lower(`{"capacity": 4, "force": true}`))

	conflicts, _, err := b.service.Conflicts(t.Context(), b.tenant,
		booking.ConflictQuery{ResourceID: &boat.id, Limit: 10})
	require.NoError(t, err)
	var ids []uuid.UUID
	for _, c := range conflicts {
		require.Equal(t, []booking.Conflict{booking.OverCapacity}, c.Conflicts)
		ids = append(ids, c.ID)
	}
	require.ElementsMatch(t, []uuid.UUID{tour.ID, same.ID, charter.ID}, ids, "not %s", small.ID)
}
