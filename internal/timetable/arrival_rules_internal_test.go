package timetable

import (
	"slices"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/claim"
	"holdfast/internal/problem"
)

// house is a guest house that opens on 1 July 2027, a Thursday, with one room, unless the spec says otherwise.
func house(t *testing.T, spec Spec) (*Rules, civil.Date) {
	t.Helper()
	spec.ResourceIDs = []uuid.UUID{uuid.New()}
	r := room(t, "Europe/Madrid", spec)
	require.NoError(t, r.Service.Check())
	r.SetResources([]Resource{{ID: spec.ResourceIDs[0], Capacity: 1, Times: Hours{}.Times()}})
	return r, civil.Date{Year: 2027, Month: 7, Day: 1}
}

// taken is a stay in the house, from a date for some nights.
func taken(t *testing.T, r *Rules, from civil.Date, nights int) claim.Claim {
	t.Helper()
	at, err := r.BookingTimeOf(When{CheckIn: &from, CheckOut: new(from.AddDays(nights))})
	require.NoError(t, err)
	return claim.Claim{OwnerID: uuid.New(), ResourceID: r.Resources[0].ID, Units: claim.AllUnits(),
		BusyFrom: at.BusyFrom, BusyUntil: at.BusyUntil}
}

// nightsFrom returns for how many nights a party of one can book from a date on, and requires availability to tell the
// same.
func nightsFrom(t *testing.T, r *Rules, d civil.Date, occupied ...claim.Claim) (nights []int) {
	t.Helper()
	now := time.Date(2027, 7, 1, 8, 0, 0, 0, r.Loc)
	for n := 1; n <= r.Service.MaxNights; n++ {
		at, err := r.BookingTimeOf(When{CheckIn: &d, CheckOut: new(d.AddDays(n))})
		require.NoError(t, err)
		if _, err := r.Allocate(at, nil, 1, occupied, 0, now); err == nil {
			nights = append(nights, n)
		}
	}
	m := calendarModel{rules: r, occupied: occupied, now: now}
	day, _ := newAvailability(r, 1, d, m.view()).day(d, &listing{})
	require.Equal(t, nights, slices.Clone(day.Nights), "%s", d)
	require.Equal(t, len(nights) > 0, day.Available, "%s", d)
	return nights
}

func TestArrivalRules_FirstThatHasTheCheckInDate_SaysTheNights(t *testing.T) {
	t.Parallel()
	r, thursday := house(t, Spec{
		MinNights: 2, MaxNights: 9,
		DepartureWeekdays: []Weekday{"monday", "wednesday", "saturday", "sunday"},
		ArrivalRules: []ArrivalRule{
			{PartOfYear: PartOfYear{From: "07-10", To: "07-31"}, NightsMultiple: 7, Weekdays: []Weekday{"saturday"}},
			{PartOfYear: PartOfYear{From: "07-10", To: "07-31"}, MinNights: 9, MaxNights: 9},
			{Weekdays: []Weekday{"friday"}, MinNights: 3, MaxNights: 8},
		},
	})
	for days, want := range map[int][]int{
		0:  {2, 3, 4, 6, 9}, // Thursday to Saturday, Sunday, Monday, Wednesday, and to the Saturday after
		1:  {3, 5, 8},       // Friday: to Monday, Wednesday, Saturday
		9:  {7},             // Saturday 10 July: whole weeks; at most 9 nights
		10: nil,             // Sunday 11 July: 9 nights end on a Tuesday
		12: nil,             // Tuesday: on a Thursday
		13: nil,             // Wednesday: on a Friday
		14: {9},             // Thursday: on a Saturday
	} {
		require.Equal(t, want, nightsFrom(t, r, thursday.AddDays(days)), "%d days later", days)
	}
}

func TestArrivalRules_StaysThatAreNotSold_AreRefusedByTheirField(t *testing.T) {
	t.Parallel()
	r, thursday := house(t, Spec{MinNights: 2, MaxNights: 9, NightsMultiple: 2,
		DepartureWeekdays: []Weekday{"monday", "saturday", "tuesday", "friday", "wednesday"},
		ArrivalRules:      []ArrivalRule{{MinNights: 3, MaxNights: 8}}})
	for nights, code := range map[int]string{1: "too_small", 2: "too_small", 3: "not_a_departure_day", 4: "",
		5: "not_multiple", 9: "too_large"} {
		at, err := r.BookingTimeOf(When{CheckIn: &thursday, CheckOut: new(thursday.AddDays(nights))})
		require.NoError(t, err)
		_, err = r.Allocate(at, nil, 1, nil, 0, at.Start.Add(-time.Hour))
		if code == "" {
			require.NoError(t, err, nights)
			continue
		}
		var refused *problem.Error
		require.ErrorAs(t, err, &refused, nights)
		require.Equal(t, []string{"check_out", code}, []string{refused.Fields[0].Name, refused.Fields[0].Code}, nights)
	}
}

func TestArrivalRules_ThatContradictTheService_AreRefused(t *testing.T) {
	t.Parallel()
	for field, spec := range map[string]Spec{
		"nights_multiple: too_large":                  {MaxNights: 5, NightsMultiple: 7},
		"arrival_rules[0].max_nights: too_large":      {MaxNights: 5, ArrivalRules: []ArrivalRule{{MaxNights: 6}}},
		"arrival_rules[0].min_nights: too_large":      {ArrivalRules: []ArrivalRule{{MinNights: 6, MaxNights: 5}}},
		"arrival_rules[0].nights_multiple: too_large": {MaxNights: 5, ArrivalRules: []ArrivalRule{{NightsMultiple: 6}}},
		"arrival_rules[0].weekdays[1]: duplicate": {ArrivalRules: []ArrivalRule{
			{Weekdays: []Weekday{"friday", "friday"}}}},
		"arrival_rules[0].to: before_from": {ArrivalRules: []ArrivalRule{
			{PartOfYear: PartOfYear{From: "2027-07-02", To: "2027-07-01"}}}},
		"departure_weekdays[0]: not_one_of": {DepartureWeekdays: []Weekday{"someday"}},
	} {
		spec.Kind, spec.CheckIn, spec.CheckOut = KindStay, "15:00", "10:00"
		spec.ResourceIDs = []uuid.UUID{uuid.New()}
		require.ErrorContains(t, spec.WithDefaults().Check(), field)
	}
}

func TestSellGaps_NightsBetweenWhatIsTaken_AreSoldWholeOnly(t *testing.T) {
	t.Parallel()
	r, first := house(t, Spec{MinNights: 3, MaxNights: 6, SellGaps: true})
	day := first.AddDays
	before, after := taken(t, r, day(7), 3), taken(t, r, day(12), 5) // 10 and 11 July are free between them
	require.Equal(t, []int{2}, nightsFrom(t, r, day(10), before, after), "the two nights between two stays")
	require.Nil(t, nightsFrom(t, r, day(11), before, after), "half of a gap")
	require.Equal(t, []int{1}, nightsFrom(t, r, day(6), taken(t, r, day(2), 4), before), "one night")
	require.Equal(t, []int{3, 4, 5, 6}, nightsFrom(t, r, day(17), before, after), "nothing follows")
	require.Equal(t, []int{2}, nightsFrom(t, r, first, taken(t, r, day(2), 3)), "today is the first date")
	require.Nil(t, nightsFrom(t, r, day(1), taken(t, r, day(2), 3)), "today could be had too")

	r.Closures = []Closure{{From: day(21), To: day(21)}, {From: day(24), To: day(30)}}
	require.Equal(t, []int{2}, nightsFrom(t, r, day(22)), "closed before and after")
	require.Nil(t, nightsFrom(t, r, day(23)), "half of what is open")
	require.Equal(t, []int{1}, nightsFrom(t, r, day(20), taken(t, r, day(17), 3)), "before a closed night")

	r.Service.SellGaps = false
	require.Nil(t, nightsFrom(t, r, day(10), before, after), "gaps aren't sold unless the service says so")
}

func TestSellGaps_CleaningDays_ArePartOfWhatIsTaken(t *testing.T) {
	t.Parallel()
	r, first := house(t, Spec{MinNights: 3, MaxNights: 6, SellGaps: true, BufferAfterDays: 1})
	day := first.AddDays
	// The room is cleaned on 10 July, and on the 13th, when the guest of the gap leaves.
	before, after := taken(t, r, day(6), 3), taken(t, r, day(13), 3)
	require.Equal(t, []int{2}, nightsFrom(t, r, day(10), before, after))
	require.Nil(t, nightsFrom(t, r, day(11), before, after))
}

func TestSellGaps_SeveralUnits_GapIsWhereThePartyFindsNoMore(t *testing.T) {
	t.Parallel()
	r, first := house(t, Spec{MinNights: 3, MaxNights: 6, SellGaps: true})
	r.Resources[0].Capacity = 2
	day := first.AddDays
	one := func(from, nights int) claim.Claim {
		c := taken(t, r, day(from), nights)
		c.Units = []claim.UnitRange{{From: 1, Until: 2}}
		return c
	}
	require.Equal(t, []int{3, 4, 5, 6}, nightsFrom(t, r, day(10), one(7, 3), one(11, 3)), "another unit is free")
	both := taken(t, r, day(11), 3)
	require.Equal(t, []int{1}, nightsFrom(t, r, day(10), taken(t, r, day(7), 3), both), "no unit is free around it")
	require.Nil(t, nightsFrom(t, r, day(10), one(7, 3), both), "the night before has a unit")
}
