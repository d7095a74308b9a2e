package booking_test

import (
	"encoding/json"
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

// hours returns a block of a resource on a date, in the tenant's time zone.
func (b *testBundle) hours(resource uuid.UUID, days, from, until int) catalog.BlockChange {
	at := func(hour int) *string { return new(testtime.At(days, hour, 0, b.tenant.Location).Format(time.RFC3339)) }
	return catalog.BlockChange{BlockSpec: catalog.BlockSpec{ResourceID: resource, StartsAt: at(from),
		EndsAt: at(until)}}
}

// dates returns a block of whole dates of a resource, both included.
func dates(resource uuid.UUID, from, to int) catalog.BlockChange {
	return catalog.BlockChange{BlockSpec: catalog.BlockSpec{
		ResourceID: resource, From: new(future(from).String()), To: new(future(to).String()),
	}}
}

func forced(c catalog.BlockChange) catalog.BlockChange {
	c.Force = true
	return c
}

func createBlock(t testing.TB, s *catalog.Service, b *testBundle, c catalog.BlockChange,
) (made catalog.BlockBody, err error) {
	t.Helper()
	resp, err := s.CreateBlock(t.Context(), b.tenant, request(t, newKey()), c)
	if err == nil {
		require.NoError(t, json.Unmarshal(resp.Body, &made))
	}
	return made, err
}

func (b *testBundle) block(t testing.TB, c catalog.BlockChange) catalog.BlockBody {
	t.Helper()
	made, err := createBlock(t, b.catalog, b, c)
	require.NoError(t, err)
	return made
}

func (b *testBundle) archiveBlock(t testing.TB, id uuid.UUID, a catalog.Archiving) error {
	t.Helper()
	_, err := b.catalog.ArchiveBlock(t.Context(), b.tenant, request(t, newKey()), id, a, "")
	return err
}

func (b *testBundle) patchBlock(t testing.TB, id uuid.UUID, patch string) (catalog.Block, error) {
	t.Helper()
	return b.catalog.ChangeBlock(t.Context(), b.tenant, id, mergepatch.Of[catalog.BlockChange](patch), "")
}

// refuses requires that a booking is refused because the time is taken.
func (b *testBundle) refuses(t testing.TB, n booking.CreateRequest) {
	t.Helper()
	_, _, err := create(t, b.service, b.tenant, newKey(), n)
	require.True(t, problem.Is(err, problem.SlotUnavailable), "%v", err)
}

// freeStarts returns the hours of a date at which availability lists a slot for one.
func (b *testBundle) freeStarts(t testing.TB, service uuid.UUID, days int) (hours []int) {
	t.Helper()
	page, err := b.service.Availability(t.Context(), b.tenant, service,
		timetable.AvailabilityQuery{From: future(days), To: future(days), PartySize: 1})
	require.NoError(t, err)
	for day := range page.Days() {
		for _, slot := range day.Slots {
			if len(slot.ResourceIDs) > 0 {
				require.Positive(t, slot.Remaining)
				hours = append(hours, slot.StartsAt.Hour())
			}
		}
	}
	return hours
}

// newDesk returns a resource that is open from 8 to 16 with an hourly service.
func (b *testBundle) newDesk(t testing.TB, capacity int) (resource, service uuid.UUID) {
	t.Helper()
	var weekly []timetable.WeeklyHours
	for day := range time.Saturday + 1 {
		weekly = append(weekly, timetable.WeeklyHours{Weekday: day, Opens: 8 * 60, Closes: 16 * 60})
	}
	resource = b.newResource(t, capacity, timetable.Hours{Weekly: weekly})
	return resource, b.newService(t, catalog.ServiceSpec{
		Name: "Lesson", Spec: timetable.Spec{
			Kind: timetable.KindSlot, ResourceIDs: []uuid.UUID{resource}, DurationMinutes: 60, SlotIntervalMinutes: 60,
		},
	})
}

func TestBlock_NobodyIsThere_TakesAllUnitsUntilItIsArchived(t *testing.T) {
	t.Parallel()
	b := setup(t)
	resource, service := b.newDesk(t, 3)
	made := b.block(t, b.hours(resource, 0, 9, 12))
	require.Equal(t, []int{8, 12, 13, 14, 15}, b.freeStarts(t, service, 0))
	for hour := 9; hour < 12; hour++ {
		b.refuses(t, newBooking(service, slotOn(future(0), hour, 0)))
	}
	b.booked(t, service, slotOn(future(0), 8, 0), ofParty(3))
	next := b.booked(t, service, slotOn(future(0), 12, 0), ofParty(3))
	_, err := reschedule(t, b.service, b.tenant, next.ID, to(slotOn(future(0), 11, 0)))
	require.True(t, problem.Is(err, problem.SlotUnavailable), "%v", err)
	b.requireNoOverlap(t)

	require.NoError(t, b.archiveBlock(t, made.ID, catalog.Archiving{Archived: true}))
	_, err = reschedule(t, b.service, b.tenant, next.ID, to(slotOn(future(0), 11, 0)))
	require.NoError(t, err)
	require.Zero(t, b.count(t, "SELECT count(*) FROM claims WHERE owner_id = $1", made.ID))
	require.True(t, problem.Is(b.archiveBlock(t, made.ID, catalog.Archiving{}), problem.BookingsInTheWay))
	require.NoError(t, b.archiveBlock(t, made.ID, catalog.Archiving{Force: true}))
	require.Equal(t, []int{13, 14, 15}, b.freeStarts(t, service, 0)[1:], "12 is free again")
	b.requireNoOverlap(t)
}

func TestBlock_BookingsInTheWay_AreNamedAndStayWithForce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	resource, service := b.newDesk(t, 3)
	first := b.booked(t, service, slotOn(future(0), 9, 0))
	second := b.booked(t, service, slotOn(future(1), 10, 0), ofParty(2))
	lapsed := b.hold(t, service, slotOn(future(0), 10, 0))
	b.expireIn(t, lapsed.ID, -time.Second)
	c := b.hours(resource, 0, 9, 12)
	c.RRule = new("FREQ=DAILY;COUNT=2")
	_, err := createBlock(t, b.catalog, b, c)
	require.True(t, problem.Is(err, problem.BookingsInTheWay), "%v", err)
	document := problem.DocumentOf(err)
	require.Equal(t, []string{first.ID.String(), second.ID.String()}, document.BookingIDs,
		"a lapsed hold isn't in the way")
	require.Equal(t, 2, document.BookingCount)
	require.Zero(t, b.count(t, "SELECT count(*) FROM blocks"))

	made := b.block(t, forced(c))
	require.Equal(t, []uuid.UUID{first.ID, second.ID}, made.Conflicts)
	require.Equal(t, 2, made.ConflictCount)
	require.Equal(t, 2, b.count(t, `SELECT count(*) FROM claims
		WHERE owner_id = $1 AND (number = 1 AND units = '{[2,2001)}' OR number = 2 AND units = '{[3,2001)}')`, made.ID),
		"on each date the units that nobody has")
	for _, days := range []int{0, 1} {
		require.Equal(t, []int{8, 12, 13, 14, 15}, b.freeStarts(t, service, days))
	}
	b.refuses(t, newBooking(service, slotOn(future(0), 9, 0)))
	b.refuses(t, newBooking(service, slotOn(future(1), 10, 0)))
	_, err = confirmWith(t, b.service, b.tenant, lapsed.ID, ifStillFree)
	require.True(t, problem.Is(err, problem.SlotUnavailable), "%v", err)

	conflicts, _, err := b.service.Conflicts(t.Context(), b.tenant,
		booking.ConflictQuery{ResourceID: &resource, Limit: 10})
	require.NoError(t, err)
	require.Len(t, conflicts, 2)
	for i, id := range []uuid.UUID{first.ID, second.ID} {
		require.Equal(t, id, conflicts[i].ID)
		require.Equal(t, []booking.Conflict{booking.Blocked}, conflicts[i].Conflicts)
	}

	_, err = change(t, b.service, b.tenant, first.ID, booking.Cancel)
	require.NoError(t, err)
	marked, failed := b.expiry(t, longestWait).run(t.Context())
	require.Empty(t, failed)
	require.Equal(t, 1, marked)
	b.refuses(t, newBooking(service, slotOn(future(0), 9, 0)))
	b.refuses(t, newBooking(service, slotOn(future(0), 10, 0)))
	b.requireNoOverlap(t)
}

func TestBlock_Session_ItsBookingsAreNamedAndNobodyJoins(t *testing.T) {
	t.Parallel()
	b := setup(t)
	boat := b.newBoat(t, 5)
	nine := slotOn(future(0), 9, 0)
	ids := []string{b.booked(t, boat.tour, nine).ID.String(), b.booked(t, boat.tour, nine).ID.String()}
	_, err := createBlock(t, b.catalog, b, b.hours(boat.id, 0, 9, 10))
	require.True(t, problem.Is(err, problem.BookingsInTheWay), "%v", err)
	require.ElementsMatch(t, ids, problem.DocumentOf(err).BookingIDs)
	b.booked(t, boat.tour, nine)

	made := b.block(t, forced(b.hours(boat.id, 0, 9, 10)))
	require.Equal(t, 3, made.ConflictCount)
	b.refuses(t, newBooking(boat.tour, nine))
	require.NotContains(t, b.freeStarts(t, boat.tour, 0), 9)
	require.Contains(t, b.freeStarts(t, boat.tour, 0), 10)
	conflicts, _, err := b.service.Conflicts(t.Context(), b.tenant,
		booking.ConflictQuery{ServiceID: &boat.tour, Limit: 10})
	require.NoError(t, err)
	require.Len(t, conflicts, 3)
	require.Equal(t, []booking.Conflict{booking.Blocked}, conflicts[0].Conflicts)

	require.NoError(t, b.archiveBlock(t, made.ID, catalog.Archiving{Archived: true}))
	b.booked(t, boat.tour, nine)
	b.requireNoOverlap(t)
}

func TestBlock_AnotherBlock_IsInTheWayAlsoWithForce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	resource, _ := b.newDesk(t, 1)
	other, _ := b.newDesk(t, 1)
	first := b.block(t, b.hours(resource, 0, 9, 12))
	for _, c := range []catalog.BlockChange{
		b.hours(resource, 0, 11, 13), forced(b.hours(resource, 0, 8, 10)), forced(dates(resource, -1, 1)),
	} {
		_, err := createBlock(t, b.catalog, b, c)
		require.True(t, problem.Is(err, problem.BlockInTheWay), "%v", err)
		require.Equal(t, []string{first.ID.String()}, problem.DocumentOf(err).BlockIDs)
	}
	next := b.block(t, b.hours(resource, 0, 12, 13))
	b.block(t, b.hours(other, 0, 9, 12))
	_, err := b.patchBlock(t, next.ID, `{"starts_at": `+quoted(*b.hours(resource, 0, 11, 0).StartsAt)+`}`)
	require.True(t, problem.Is(err, problem.BlockInTheWay), "%v", err)
	_, err = b.patchBlock(t, first.ID, `{"ends_at": `+quoted(*b.hours(resource, 0, 11, 0).StartsAt)+`}`)
	require.NoError(t, err, "a block isn't in its own way")
	_, err = b.patchBlock(t, next.ID, `{"starts_at": `+quoted(*b.hours(resource, 0, 11, 0).StartsAt)+`}`)
	require.NoError(t, err)
}

func quoted(text string) string { return `"` + text + `"` }

func TestBlock_Change_FreesTheOldTimeAndTakesTheNew(t *testing.T) {
	t.Parallel()
	b := setup(t)
	resource, service := b.newDesk(t, 1)
	made := b.block(t, dates(resource, 0, 1))
	require.Empty(t, b.freeStarts(t, service, 0))
	b.booked(t, service, slotOn(future(3), 9, 0))
	unchanged, err := b.patchBlock(t, made.ID, `{"reason": ""}`)
	require.NoError(t, err)
	require.EqualValues(t, 1, unchanged.Version)
	_, err = b.patchBlock(t, made.ID, `{"from": "`+future(2).String()+`", "to": "`+future(3).String()+`"}`)
	require.True(t, problem.Is(err, problem.BookingsInTheWay), "%v", err)
	require.Empty(t, b.freeStarts(t, service, 0))

	changed, err := b.patchBlock(t, made.ID,
		`{"from": "`+future(2).String()+`", "to": "`+future(3).String()+`", "force": true}`)
	require.NoError(t, err)
	require.EqualValues(t, 2, changed.Version)
	require.Equal(t, 1, changed.Body().ConflictCount)
	require.Len(t, b.freeStarts(t, service, 0), 8)
	require.Empty(t, b.freeStarts(t, service, 2))
	named, err := b.patchBlock(t, made.ID, `{"reason": "Storm"}`)
	require.NoError(t, err, "a block that stays where it is isn't judged anew")
	require.Equal(t, "Storm", named.Reason)

	onHours := b.hours(resource, 4, 9, 10)
	_, err = b.patchBlock(t, made.ID,
		`{"from": null, "to": null, "starts_at": `+quoted(*onHours.StartsAt)+`, "ends_at": `+
			quoted(*onHours.EndsAt)+`, "rrule": "FREQ=DAILY;COUNT=2"}`)
	require.NoError(t, err)
	for days, want := range map[int]int{2: 8, 3: 7, 4: 7, 5: 7, 6: 8} {
		require.Len(t, b.freeStarts(t, service, days), want, days)
	}
	other, _ := b.newDesk(t, 1)
	_, err = b.patchBlock(t, made.ID, `{"resource_id": "`+other.String()+`"}`)
	require.NoError(t, err)
	require.Len(t, b.freeStarts(t, service, 4), 8)
	b.requireNoOverlap(t)
}

func TestBlock_CapacityChanges_StillBlocksAllOfTheResource(t *testing.T) {
	t.Parallel()
	b := setup(t)
	resource, service := b.newDesk(t, 2)
	b.booked(t, service, slotOn(future(0), 9, 0), ofParty(2))
	b.block(t, forced(b.hours(resource, 0, 9, 11)))
	for _, capacity := range []string{"3", "1000", "2"} {
		_, err := b.catalog.ChangeResource(t.Context(), b.tenant, resource,
			mergepatch.Of[catalog.ResourceChange](`{"capacity": `+capacity+`}`), "")
		require.NoError(t, err, "a block is no booking that a capacity is too small for")
		require.Equal(t, []int{8, 11, 12, 13, 14, 15}, b.freeStarts(t, service, 0), capacity)
		b.refuses(t, newBooking(service, slotOn(future(0), 9, 0)))
		b.refuses(t, newBooking(service, slotOn(future(0), 10, 0)))
	}
	_, err := b.catalog.ChangeResource(t.Context(), b.tenant, resource,
		mergepatch.Of[catalog.ResourceChange](`{"capacity": 1}`), "")
	require.True(t, problem.Is(err, problem.BookingsInTheWay), "%v", err)
	require.Equal(t, 1, problem.DocumentOf(err).BookingCount)
	_, err = b.catalog.ArchiveResource(t.Context(), b.tenant, request(t, newKey()), resource,
		catalog.Archiving{Archived: true}, "")
	require.True(t, problem.Is(err, problem.BookingsInTheWay), "%v", err)
	require.Equal(t, 1, problem.DocumentOf(err).BookingCount, "the block isn't counted")
}

// The block lasts longer than any booking of the resource, and each of its claims began long before the booking.
// Without the constraint, which would refuse the bookings too, they are refused only if the claims are read.
func TestBlock_LongerThanAnyBooking_IsSeenOnAllOfItsDates(t *testing.T) {
	t.Parallel()
	b := setup(t)
	resource, service := b.newDesk(t, 1)
	b.dropConstraint(t)
	b.booked(t, service, slotOn(future(-1), 8, 0)) // the rules are in memory
	b.block(t, dates(resource, 0, 61))
	require.Equal(t, 62,
		b.count(t, "SELECT count(*) FROM claims WHERE units @> 2000 AND busy_until <= busy_from + interval '1 day'"))
	for _, days := range []int{0, 30, 61} {
		require.Empty(t, b.freeStarts(t, service, days))
		b.refuses(t, newBooking(service, slotOn(future(days), 15, 0)))
	}
	b.booked(t, service, slotOn(future(62), 8, 0))
}

func TestBlock_WriterThatTakesNoLock_IsRefusedByTheConstraint(t *testing.T) {
	t.Parallel()
	b := setup(t)
	resource, service := b.newDesk(t, 2)
	b.booked(t, service, slotOn(future(0), 10, 0))
	b.block(t, forced(b.hours(resource, 0, 9, 12)))
	for _, units := range []string{"{[1,2)}", "{[2,3)}", "{[900,901)}", "{[1001,1002)}", "{[1,1001)}"} {
		_, err := b.sql.Exec(t.Context(), `
			INSERT INTO claims (tenant_id, owner_id, number, resource_id, units, busy_from, busy_until)
			SELECT tenant_id, gen_random_uuid(), 1, resource_id, $1::text::int4multirange, busy_from + interval '90 minutes', busy_until
			FROM claims WHERE units @> 2000`, units)
		var refused *pgconn.PgError
		require.ErrorAs(t, err, &refused, units)
		require.Equal(t, "23P01", refused.Code, units)
	}
}

func TestBlock_RepeatedRequest_IsAnsweredAsBefore(t *testing.T) {
	t.Parallel()
	b := setup(t)
	resource, service := b.newDesk(t, 1)
	b.booked(t, service, slotOn(future(0), 9, 0))
	key := newKey()
	first, err := b.catalog.CreateBlock(t.Context(), b.tenant, request(t, key), forced(b.hours(resource, 0, 9, 12)))
	require.NoError(t, err)
	require.Contains(t, string(first.Body), `"conflict_count":1`)
	again, err := b.catalog.CreateBlock(t.Context(), b.tenant, request(t, key), forced(b.hours(resource, 0, 9, 12)))
	require.NoError(t, err)
	require.True(t, again.Replayed)
	require.Equal(t, first.Body, again.Body)
	require.Equal(t, 1, b.count(t, "SELECT count(*) FROM blocks"))
	require.Zero(t, b.count(t,
		"SELECT count(*) FROM changes WHERE type LIKE 'block.%' AND data::text LIKE '%conflict%'"))
	_, err = createBlock(t, b.catalog, b, b.hours(uuid.New(), 0, 9, 12))
	require.True(t, problem.Is(err, problem.NotFound), "%v", err)
}

func TestBlock_IDOfABlock_IsNoBookings(t *testing.T) {
	t.Parallel()
	b := setup(t)
	resource, service := b.newDesk(t, 1)
	made := b.block(t, b.hours(resource, 0, 9, 12))
	n := newBooking(service, slotOn(future(0), 12, 0))
	n.ID = &made.ID
	for range 2 {
		_, _, err := create(t, b.service, b.tenant, newKey(), n)
		require.True(t, problem.Is(err, problem.AlreadyExists), "%v", err)
		// Without its claims, and once its old changes were deleted, no constraint refuses the id.
		require.NoError(t, b.archiveBlock(t, made.ID, catalog.Archiving{Archived: true}))
		_, err = b.sql.Exec(t.Context(), "DELETE FROM changes WHERE subject_id = $1", made.ID)
		require.NoError(t, err)
	}
}

// A block of dates takes nights from a stay, as a guest would who arrives on the first date: Praetoria-Vacacional 59,
// Crocoblock 3755.
func TestBlock_WholeDatesOfARoom_TakesItsNights(t *testing.T) {
	t.Parallel()
	b := setup(t)
	room := b.newResource(t, 1, timetable.Hours{})
	service := b.newService(t, catalog.ServiceSpec{
		Name: "Room", Spec: timetable.Spec{
			Kind: timetable.KindStay, ResourceIDs: []uuid.UUID{room}, CheckIn: "15:00", CheckOut: "10:00",
			MaxNights: 40,
		},
	})
	party := b.newService(
		t,
		catalog.ServiceSpec{Name: "Party",
			Spec: timetable.Spec{Kind: timetable.KindDate, ResourceIDs: []uuid.UUID{room}}},
	)
	leaves := b.booked(t, service, stay(21, 24))
	block := b.block(t, dates(room, 24, 26))
	require.Zero(t, block.ConflictCount, "the guest leaves on the first date")
	conflicts, _, err := b.service.Conflicts(t.Context(), b.tenant, booking.ConflictQuery{ResourceID: &room, Limit: 10})
	require.NoError(t, err)
	require.Empty(t, conflicts)
	_, err = change(t, b.service, b.tenant, leaves.ID, booking.Cancel)
	require.NoError(t, err)

	for night := 24; night <= 26; night++ {
		b.requireRefused(t, problem.SlotUnavailable, newBooking(service, stay(night, night+1)))
		b.requireRefused(t, problem.SlotUnavailable, newBooking(party, onDate(future(night))))
	}
	b.requireRefused(t, problem.SlotUnavailable, newBooking(service, stay(23, 25)))
	nights := func(from, nights int) bool {
		days := b.daysOfService(t, service,
			timetable.AvailabilityQuery{From: future(from), To: future(from), PartySize: 1, Nights: &nights})
		return days[0].Available
	}
	require.True(t, nights(21, 3))
	require.False(t, nights(21, 4))
	require.False(t, nights(26, 1))
	require.True(t, nights(27, 2))
	held := b.hold(t, service, stay(21, 24))
	b.expireIn(t, held.ID, -time.Minute)
	b.syncClaims(t)
	_, err = b.confirm(t, held.ID, booking.AmendRequest{IfStillFree: true})
	require.NoError(t, err)
	_, err = reschedule(t, b.service, b.tenant, held.ID, to(stay(22, 24)))
	require.NoError(t, err)
	b.booked(t, service, stay(27, 29))
	b.requireNoOverlap(t)

	// Of a time by the clock nothing is left to a stay.
	_, err = b.patchBlock(t, block.ID,
		`{"from": null, "to": null, "starts_at": `+quoted(block.Times[0].StartsAt.Format(time.RFC3339))+
			`, "ends_at": `+quoted(block.Times[0].EndsAt.Format(time.RFC3339))+`}`)
	require.Equal(t, problem.BookingsInTheWay, problem.CodeOf(err))
}
