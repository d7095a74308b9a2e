package timetable

import (
	"testing"

	"holdfast/internal/problem/problemtest"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/datetime"
	"holdfast/internal/problem"
)

func TestSpecCheck_LeadTimeLongerThanTheWindow_IsRefused(t *testing.T) {
	t.Parallel()
	for kind, longest := range map[ServiceKind]int{KindDate: 2 * datetime.MinutesPerDay,
		KindSlot: 3 * datetime.MinutesPerDay} {
		s := Spec{Kind: kind, ResourceIDs: []uuid.UUID{uuid.New()}, BookingWindowDays: new(2), MinLeadMinutes: longest}
		if kind == KindSlot {
			s.DurationMinutes = 60
		}
		s = s.WithDefaults()
		require.NoError(t, s.Check(), kind)
		s.MinLeadMinutes++
		err := s.Check()
		require.True(t, problem.Is(err, problem.ValidationFailed), "%s: %v", kind, err)
		require.ErrorContains(t, err, "min_lead_minutes")
	}
}

func TestCheckPrices_RefusesWhatContradictsItself(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		price, deposit int64
		pricing        Pricing
		field, code    string
	}{
		"plain":                       {100, 100, Pricing{}, "", ""},
		"deposit above the price":     {100, 101, Pricing{}, "deposit", "too_large"},
		"deposit of a price per unit": {100, 101, Pricing{PricePer: PerUnit}, "", ""},
		"two deposits":                {100, 1, Pricing{DepositPercent: 1}, "deposit_percent", "excluded"},
		"over 100 %":                  {100, 0, Pricing{DepositPercent: 101}, "deposit_percent", "too_large"},
		"price per person":            {100, 0, Pricing{PricePer: "person"}, "price_per", "not_one_of"},
		"per unit with unit types":    {100, 0, Pricing{PricePer: PerUnit, UnitTypes: guests}, "price_per", "excluded"},
		"a unit type twice": {0, 0, Pricing{UnitTypes: []UnitType{guests[0], guests[0]}}, "unit_types[1].key",
			"duplicate"},
		"a unit type's price": {0, 0, Pricing{UnitTypes: []UnitType{{Price: -1}}}, "unit_types[0].price",
			"too_small"},
		"a rate's deposit above its own": {100, 0, Pricing{Rates: []Rate{{Price: 10, Deposit: new(int64(11))}}},
			"rates[0].deposit",
			"too_large"},
		"a rate that ends first": {100, 0, Pricing{Rates: []Rate{{From: &friday, To: &thursday}}}, "rates[0].to",
			"before_from"},
		"a weekday twice": {100, 0, Pricing{Rates: []Rate{{Weekdays: []Weekday{"monday", "monday"}}}},
			"rates[0].weekdays[1]",
			"duplicate"},
		"no such weekday": {100, 0, Pricing{Rates: []Rate{{Weekdays: []Weekday{"noday"}}}}, "rates[0].weekdays[0]",
			"not_one_of"},
		"a year out of bounds": {100, 0, Pricing{Rates: []Rate{{From: &civil.Date{Year: 1, Month: 1, Day: 1}}}},
			"rates[0].from",
			"out_of_range"},
		"a price of no unit type": {100, 0, Pricing{Rates: []Rate{{UnitPrices: map[string]int64{"adult": 1}}}},
			"rates[0].unit_prices",
			"not_one_of"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := Spec{Price: test.price, Deposit: test.deposit, Pricing: test.pricing}
			problemtest.RequireField(t, s.checkPrices(), test.field, test.code)
		})
	}
}
