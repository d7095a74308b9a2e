package booking_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/problem"
	"holdfast/internal/timetable"
)

// onResources has a new booking name resources.
func onResources(ids ...uuid.UUID) func(*booking.CreateRequest) {
	return func(n *booking.CreateRequest) { n.ResourceIDs = ids }
}

// requireMoved moves a booking and requires the resources that it has then. The quote of the move must say the same.
func (b *testBundle) requireMoved(t *testing.T, id uuid.UUID, m booking.Move, want ...uuid.UUID) {
	t.Helper()
	quote, err := b.service.QuoteMove(t.Context(), b.tenant, id, m)
	require.NoError(t, err)
	require.Nil(t, quote.Refusal)
	require.Equal(t, want, quote.Booking.ResourceIDs())
	_, err = b.service.Reschedule(t.Context(), b.tenant, request(t, newKey()), id, booking.RescheduleRequest{Move: m},
		"")
	require.NoError(t, err)
	require.Equal(t, want, b.resourcesOf(t, id))
}

func TestReschedule_OneOfSeveralResources_LeavesTheOthers(t *testing.T) {
	t.Parallel()
	h := newHarbour(t, 2, 2, timetable.OccupiesWhole)
	made := h.booked(t, h.trip, h.atHour(9), onResources(h.boats[0], h.skippers[1])).ID
	h.requireMoved(t, made, booking.Move{Resources: booking.Resources{ResourceIDs: h.boats[1:]}}, h.boats[1],
		h.skippers[1])
	h.requireMoved(t, made, booking.Move{Resources: booking.Resources{ResourceIDs: h.skippers[:1]}}, h.boats[1],
		h.skippers[0])
	h.requireMoved(
		t,
		made,
		booking.Move{When: h.atHour(14), Resources: booking.Resources{ResourceIDs: h.boats[:1]}},
		h.boats[0],
		h.skippers[0],
	)
	h.requireMoved(t, made, booking.Move{When: h.atHour(16)}, h.boats[0], h.skippers[0])

	// What it keeps must be free, as without a resource.
	h.booked(t, h.trip, h.atHour(12), onResources(h.boats[0], h.skippers[0]))
	_, err := h.service.Reschedule(t.Context(), h.tenant, request(t, newKey()), made,
		booking.RescheduleRequest{Move: booking.Move{When: h.atHour(12),
			Resources: booking.Resources{ResourceIDs: h.boats[1:]}}}, "")
	require.Equal(t, problem.SlotUnavailable, problem.CodeOf(err))
	h.requireMoved(t, made, booking.Move{When: h.atHour(12), AnyResource: true}, h.boats[1], h.skippers[1])
	h.requireNoOverlap(t)
}

func TestReschedule_OthersIfTaken_KeepsWhatIsFreeNeedByNeed(t *testing.T) {
	t.Parallel()
	for _, choose := range []timetable.Choose{timetable.ChooseInOrder, timetable.ChooseInTurn,
		timetable.ChooseLeastBooked} {
		t.Run(string(choose), func(t *testing.T) {
			t.Parallel()
			h := newHarbour(t, 2, 2, timetable.OccupiesWhole)
			trip := h.newService(t, catalog.ServiceSpec{
				Name: "Charter", Spec: timetable.Spec{
					Kind: timetable.KindSlot, DurationMinutes: 60, SlotIntervalMinutes: 60,
					Occupies: timetable.OccupiesWhole,
					Needs: []timetable.Need{{ResourceIDs: h.boats, Choose: choose},
						{ResourceIDs: h.skippers, Choose: choose}},
				},
			})
			made := h.booked(t, trip, h.atHour(9), onResources(h.boats[1], h.skippers[1])).ID
			h.booked(t, trip, h.atHour(10), onResources(h.boats[1], h.skippers[1])) // the others have less that day
			to := func(hour int) booking.Move {
				return booking.Move{When: h.atHour(hour), OthersIfTaken: true}
			}
			h.requireMoved(t, made, to(14), h.boats[1], h.skippers[1])
			h.booked(t, trip, h.atHour(15), onResources(h.boats[1], h.skippers[0]))
			h.requireMoved(t, made, to(15), h.boats[0], h.skippers[1])
			h.booked(t, trip, h.atHour(16), onResources(h.boats[1], h.skippers[1]))
			h.requireMoved(t, made, to(16), h.boats[0], h.skippers[0])
			h.requireNoOverlap(t)
		})
	}
}

func TestReschedule_OneUnitType_LeavesTheOtherTypes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newService(t, catalog.ServiceSpec{
		Name: "Tour", Spec: timetable.Spec{
			Kind: timetable.KindDate, ResourceIDs: []uuid.UUID{b.newResource(t, 10, timetable.Hours{})},
			Pricing: timetable.Pricing{UnitTypes: []timetable.UnitType{
				{Key: "adult", Name: "Adult", Price: 3000, Counts: true},
				{Key: "child", Name: "Child", Price: 1000, Counts: true},
			}},
		},
	})
	made := b.booked(t, service, onDate(future(0)),
		func(n *booking.CreateRequest) { n.Party = map[string]int{"adult": 2, "child": 1} })
	change := func(party map[string]int, want map[string]int) {
		_, err := b.service.Amend(t.Context(), b.tenant, made.ID, booking.AmendRequest{
			Move: &booking.Move{Party: party, Price: booking.PriceQuoted},
		}, "")
		require.NoError(t, err)
		require.Equal(t, want, b.stored(t, made.ID).Body().Party)
	}
	change(map[string]int{"child": 2}, map[string]int{"adult": 2, "child": 2})
	change(map[string]int{"adult": 0, "child": 3}, map[string]int{"child": 3})
}
