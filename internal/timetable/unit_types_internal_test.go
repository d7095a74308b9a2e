package timetable

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

func TestUnitTypes_FewerOfATypeThanItsLeast_AreRefused(t *testing.T) {
	t.Parallel()
	svc := Spec{Pricing: Pricing{UnitTypes: []UnitType{
		{Key: "adult", Name: "Adult", Price: 100, Counts: true, MinCount: 1},
		{Key: "child", Name: "Child", Price: 50, Counts: true},
	}}}
	for _, party := range []map[string]int{{"child": 2}, {"adult": 0, "child": 2}} {
		_, _, err := partyItems(svc, party, Rate{})
		var refused *problem.Error
		require.ErrorAs(t, err, &refused)
		require.Equal(t, []string{"party.adult", "too_small"}, []string{refused.Fields[0].Name, refused.Fields[0].Code})
	}
	_, size, err := partyItems(svc, map[string]int{"adult": 1, "child": 2}, Rate{})
	require.NoError(t, err)
	require.Equal(t, 3, size)
}

func TestUnitTypes_AgesAndNotesOutOfBounds_AreRefused(t *testing.T) {
	t.Parallel()
	for field, guests := range map[string]UnitType{
		"unit_types[0].min_age: too_small":      {MinAge: new(-1)},
		"unit_types[0].max_age: too_large":      {MaxAge: new(151)},
		"unit_types[0].max_age: too_small":      {MinAge: new(4), MaxAge: new(3)},
		"unit_types[0].min_count: too_large":    {MinCount: MaxCapacity + 1},
		"unit_types[0].note: control_character": {Note: "a\x00"},
	} {
		guests.Key, guests.Name = "guest", "Guest"
		svc := Spec{Kind: KindDate, ResourceIDs: []uuid.UUID{uuid.New()}, Pricing: Pricing{UnitTypes: []UnitType{guests}}}
		require.ErrorContains(t, svc.WithDefaults().Check(), field)
	}
}

func TestSellGaps_JoinedRoomsThatAreFreeAround_AreNoGap(t *testing.T) {
	t.Parallel()
	r, first := house(t, Spec{MinNights: 3, MaxNights: 6, SellGaps: true})
	other := uuid.New()
	r.Service.Needs = []Need{{ResourceIDs: []uuid.UUID{r.Resources[0].ID, other}, Join: true}}
	r.Service.ResourceIDs = nil
	r.SetResources([]Resource{r.Resources[0], {ID: other, Capacity: 1, Times: Hours{}.Times()}})
	at, err := r.BookingTimeOf(When{CheckIn: new(first.AddDays(9)), CheckOut: new(first.AddDays(10))})
	require.NoError(t, err)
	_, err = r.Allocate(at, nil, 2, nil, 0, at.Start.AddDate(0, 0, -5))
	require.ErrorContains(t, err, "check_out: too_small", "a party of two needs both rooms, and nothing is taken")
}
