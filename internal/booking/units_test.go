package booking_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/mergepatch"
	"holdfast/internal/problem"
	"holdfast/internal/timetable"
)

// claimsOf counts the claims of a booking.
func (b *testBundle) claimsOf(t testing.TB, id uuid.UUID) int {
	t.Helper()
	return b.count(t, "SELECT count(*) FROM claims WHERE owner_id = $1", id)
}

// newSplitStay returns a service of rooms, two of which are alike, and three stays after which the nights 11 and 12
// have a free room each, with another number. Crocoblock 3430 and wp-hotelier 12 tell of guests who were refused then.
func (b *testBundle) newSplitStay(t testing.TB, with ...func(*catalog.ServiceSpec),
) (service uuid.UUID, stays []booking.Booking) {
	t.Helper()
	service = b.newStayService(t, 2, with...)
	for _, when := range []timetable.When{stay(10, 11), stay(12, 13), stay(10, 12)} {
		stays = append(stays, b.booked(t, service, when))
	}
	return service, stays
}

func TestCreate_EachNightHasAFreeRoomAsInCrocoblock3430AndWpHotelier12_IsBooked(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service, stays := b.newSplitStay(t)
	two := timetable.AvailabilityQuery{From: future(11), To: future(11), PartySize: 1, Nights: new(2)}
	day := b.daysOfService(t, service, two)[0]
	require.True(t, day.Available)
	require.Equal(t, 1, day.Remaining)
	require.Equal(t, 40, *day.MaxNights)
	quote, err := b.service.Quote(t.Context(), b.tenant, newBooking(service, stay(11, 13)))
	require.NoError(t, err)
	require.Nil(t, quote.Refusal)

	made := b.booked(t, service, stay(11, 13))
	require.Equal(t, 2, b.claimsOf(t, made.ID))
	require.Equal(t, 1, b.claimsOf(t, stays[2].ID))
	b.requireNoOverlap(t)
	for night := 10; night < 13; night++ {
		b.requireRefused(t, problem.SlotUnavailable, newBooking(service, stay(night, night+1)))
	}
	require.False(t, b.daysOfService(t, service, two)[0].Available)

	_, err = change(t, b.service, b.tenant, made.ID, booking.Cancel)
	require.NoError(t, err)
	require.Zero(t, b.claimsOf(t, made.ID))
	b.booked(t, service, stay(11, 12))
	b.booked(t, service, stay(12, 13))
	b.requireNoOverlap(t)
}

func TestCreate_EachHalfHourHasAFreePlace_IsBooked(t *testing.T) {
	t.Parallel()
	b := setup(t)
	sauna := b.newSlotService(t, 2, 30)
	first := b.booked(t, sauna, slotOn(future(0), 10, 0))
	b.booked(t, sauna, slotOn(future(0), 10, 30))
	_, err := change(t, b.service, b.tenant, first.ID, booking.Cancel)
	require.NoError(t, err)
	b.booked(t, sauna, slotOn(future(0), 11, 30))
	require.Contains(t, b.freeStarts(t, sauna, 0), 11)
	b.booked(t, sauna, slotOn(future(0), 11, 0))
	b.requireNoOverlap(t)
}

func TestUnits_HoldWithSeveralClaims_LastsEndsAndIsConfirmed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service, _ := b.newSplitStay(t)
	held := b.hold(t, service, stay(11, 13))
	b.requireNoOverlap(t)
	_, err := extend(t, b.service, b, held.ID, 60)
	require.NoError(t, err)
	b.requireNoOverlap(t)

	b.expireIn(t, held.ID, -time.Minute)
	b.syncClaims(t)
	other := b.hold(t, service, stay(11, 13)) // it takes the time of the hold that is over
	require.Equal(t, 2, b.claimsOf(t, other.ID))
	_, err = b.confirm(t, held.ID, booking.AmendRequest{IfStillFree: true})
	require.Equal(t, problem.SlotUnavailable, problem.CodeOf(err))
	b.expireIn(t, other.ID, -time.Minute)
	b.syncClaims(t)
	_, err = b.confirm(t, held.ID, booking.AmendRequest{IfStillFree: true})
	require.NoError(t, err)
	require.Equal(t, 2, b.claimsOf(t, held.ID))
	require.Zero(t, b.count(t, "SELECT count(*) FROM claims WHERE expires_at IS NOT NULL"))
	b.requireNoOverlap(t)
}

func TestUnits_MovesToAndFromSeveralClaims_FreeAndTakeThem(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service, stays := b.newSplitStay(t)
	moved := b.booked(t, service, stay(20, 22))
	_, err := reschedule(t, b.service, b.tenant, moved.ID, to(stay(11, 13)))
	require.NoError(t, err)
	require.Equal(t, 2, b.claimsOf(t, moved.ID))
	b.requireNoOverlap(t)
	// The booking isn't in its own way, and needs one number once another guest has gone.
	_, err = change(t, b.service, b.tenant, stays[2].ID, booking.Cancel)
	require.NoError(t, err)
	_, err = reschedule(t, b.service, b.tenant, moved.ID, to(stay(11, 14)))
	require.NoError(t, err)
	require.Equal(t, 1, b.claimsOf(t, moved.ID))
	b.requireNoOverlap(t)
}

// Several requests that share a transaction see the claims that the requests before them took.
func TestUnits_RequestsInOneTransaction_TakeWhatFits(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service, _ := b.newSplitStay(t)
	accepted := 0
	for _, err := range b.together(t, future(11), 4, func(int) error {
		_, _, err := create(t, b.service, b.tenant, newKey(), newBooking(service, stay(11, 13)))
		return err
	}) {
		if err == nil {
			accepted++
			continue
		}
		require.True(t, problem.Is(err, problem.SlotUnavailable), "%v", err)
	}
	require.Equal(t, 1, accepted)
	b.requireNoOverlap(t)
}

// A further resource of a session, and of a booking, may have several claims too.
func TestNeeds_PoolHasAFreeUnitAtEachMoment_IsTaken(t *testing.T) {
	t.Parallel()
	for _, occupies := range []timetable.Occupies{timetable.OccupiesUnits, timetable.OccupiesSession} {
		t.Run(string(occupies), func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			radios, boats := b.newResource(t, 2, timetable.Hours{}), b.newResources(t, 2, 4)
			radio := b.newService(t, catalog.ServiceSpec{
				Name: "Radio", Spec: timetable.Spec{
					Kind: timetable.KindSlot, ResourceIDs: []uuid.UUID{radios}, DurationMinutes: 30,
					SlotIntervalMinutes: 30,
				},
			})
			tour := b.newService(t, catalog.ServiceSpec{
				Name: "Tour", Spec: timetable.Spec{
					Kind: timetable.KindSlot, DurationMinutes: 60, SlotIntervalMinutes: 60, Occupies: occupies,
					Needs: []timetable.Need{{ResourceIDs: boats[:1]}, {ResourceIDs: []uuid.UUID{radios}, Units: 1}},
				},
			})
			gone := b.booked(t, radio, slotOn(future(0), 10, 0))
			b.booked(t, radio, slotOn(future(0), 10, 0))
			_, err := change(t, b.service, b.tenant, gone.ID, booking.Cancel)
			require.NoError(t, err)
			b.booked(t, radio, slotOn(future(0), 10, 30))
			require.Equal(t, 2, b.count(t, "SELECT count(DISTINCT units) FROM claims"),
				"each half hour has the other radio free")

			first := b.booked(t, tour, slotOn(future(0), 10, 0))
			b.requireNoOverlap(t)
			require.Equal(t, []uuid.UUID{boats[0], radios}, b.resourcesOf(t, first.ID))
			require.Equal(t, 2, b.count(t, "SELECT count(*) FROM claims WHERE resource_id = $1 AND number > 1", radios))
			if occupies == timetable.OccupiesSession {
				require.Contains(t, b.freeStarts(t, tour, 0), 10)
				second := b.booked(t, tour, slotOn(future(0), 10, 0))
				require.Equal(t, []uuid.UUID{boats[0], radios}, b.resourcesOf(t, second.ID))
				b.requireNoOverlap(t)
				err := lowerCapacity(t, b, radios, 1)
				require.Equal(t, 4, problem.DocumentOf(err).BookingCount,
					"the session needs one radio, for both of its bookings")
				_, err = change(t, b.service, b.tenant, second.ID, booking.Cancel)
				require.NoError(t, err)
				b.requireNoOverlap(t)
			}
			_, err = change(t, b.service, b.tenant, first.ID, booking.Cancel)
			require.NoError(t, err)
			b.requireNoOverlap(t)
			require.Equal(t, 2, b.count(t, "SELECT count(*) FROM claims"))
		})
	}
}

func TestUnits_SeveralClaims_CountOnceInConflictsAndInTheWay(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service, stays := b.newSplitStay(t)
	made := b.booked(t, service, stay(11, 13))
	resource := made.ResourceID
	err := lowerCapacity(t, b, resource, 1)
	require.Equal(t, problem.BookingsInTheWay, problem.CodeOf(err))
	require.Equal(t, 4, problem.DocumentOf(err).BookingCount)
	_, err = b.catalog.ArchiveService(t.Context(), b.tenant, request(t, newKey()), service,
		catalog.Archiving{Archived: true}, "")
	require.Equal(t, 4, problem.DocumentOf(err).BookingCount)
	_, err = change(t, b.service, b.tenant, stays[0].ID, booking.Cancel)
	require.NoError(t, err)
	require.Equal(t, 3, problem.DocumentOf(lowerCapacity(t, b, resource, 1)).BookingCount)

	blocked := b.block(t, forced(dates(resource, 11, 12)))
	require.Equal(t, 3, blocked.ConflictCount)
	b.requireNoOverlap(t)
	b.requireRefused(t, problem.SlotUnavailable, newBooking(service, stay(11, 12)))
	conflicts, _, err := b.service.Conflicts(t.Context(), b.tenant,
		booking.ConflictQuery{ResourceID: &resource, Limit: 10})
	require.NoError(t, err)
	require.Len(t, conflicts, 3)
	for _, c := range conflicts {
		require.Equal(t, []booking.Conflict{booking.Blocked}, c.Conflicts)
	}
	require.NoError(t, b.archiveBlock(t, blocked.ID, catalog.Archiving{Archived: true}))
	_, err = b.catalog.ChangeResource(t.Context(), b.tenant, resource,
		mergepatch.Of[catalog.ResourceChange](`{"capacity": 1, "force": true}`), "")
	require.NoError(t, err)
	conflicts, _, err = b.service.Conflicts(t.Context(), b.tenant,
		booking.ConflictQuery{ResourceID: &resource, Limit: 10})
	require.NoError(t, err)
	require.Len(t, conflicts, 3)
	for _, c := range conflicts {
		require.Equal(t, []booking.Conflict{booking.OverCapacity}, c.Conflicts, fmt.Sprint(c.ID))
	}
}
