package booking

import (
	"math/big"
	"testing"

	"cloud.google.com/go/civil"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var (
	thursday = civil.Date{Year: 2027, Month: 7, Day: 1}
	friday   = thursday.AddDays(1)
	guests   = []UnitType{{"adult", "Adult", 2500, true}, {"child", "Child", 1200, true}, {"infant", "Infant", 0, false}}
)

func quoteOf(s ServiceSpec, on civil.Date, p party) (quote, error) {
	s.Name = "Tour"
	return (&rules{service: BookableService{ServiceSpec: s}}).quote(bookingTime{date: on}, p)
}

func TestQuote_EachWayToPrice_GivesItsItems(t *testing.T) {
	t.Parallel()
	weekend := Pricing{Rates: []Rate{
		{From: &friday, To: &friday, Weekdays: []string{"thursday"}, Price: 1},
		{Weekdays: []string{"friday", "saturday"}, Price: 6000, Deposit: ref(int64(1500))},
		{From: ref(friday.AddDays(10)), Price: 7000},
		{To: ref(thursday.AddDays(-1)), Price: 3000},
	}}
	family := party{size: 1, units: map[string]int{"adult": 2, "child": 1, "infant": 1}}
	for name, test := range map[string]struct {
		service ServiceSpec
		on      civil.Date
		party   party
		want    quote
	}{
		"a price per booking": {
			ServiceSpec{Price: 4500, Deposit: 1000}, thursday, party{size: 3},
			quote{3, []Item{{"Tour", "", 1, 4500, 4500}}, 4500, 1000},
		},
		"free": {ServiceSpec{}, thursday, party{size: 3}, quote{3, []Item{{"Tour", "", 1, 0, 0}}, 0, 0}},
		"a price per unit": {
			ServiceSpec{Price: 4500, Pricing: Pricing{PricePer: PerUnit, DepositPercent: 33}}, thursday, party{size: 3},
			quote{3, []Item{{"Tour", "", 3, 4500, 13500}}, 13500, 4455},
		},
		"no rate matches": {
			ServiceSpec{Price: 4500, Deposit: 1000, Pricing: weekend}, thursday, party{size: 1},
			quote{1, []Item{{"Tour", "", 1, 4500, 4500}}, 4500, 1000},
		},
		"a weekday's rate": {
			ServiceSpec{Price: 4500, Deposit: 1000, Pricing: weekend}, friday, party{size: 1},
			quote{1, []Item{{"Tour", "", 1, 6000, 6000}}, 6000, 1500},
		},
		"a rate from a date on, after the first that matches": {
			ServiceSpec{Price: 4500, Pricing: weekend}, friday.AddDays(10), party{size: 1},
			quote{1, []Item{{"Tour", "", 1, 7000, 7000}}, 7000, 0},
		},
		"a rate up to a date, below the deposit": {
			ServiceSpec{Price: 4500, Deposit: 4000, Pricing: weekend}, thursday.AddDays(-1), party{size: 1},
			quote{1, []Item{{"Tour", "", 1, 3000, 3000}}, 3000, 3000},
		},
		"unit types": {
			ServiceSpec{Pricing: Pricing{UnitTypes: guests, DepositPercent: 50}}, thursday, family,
			quote{3, []Item{{"Adult", "adult", 2, 2500, 5000}, {"Child", "child", 1, 1200, 1200}, {"Infant", "infant", 1, 0, 0}}, 6200, 3100},
		},
		"unit types beside a price, with a rate": {
			ServiceSpec{Price: 900, Deposit: 100_000, Pricing: Pricing{UnitTypes: guests, Rates: []Rate{{Price: 1000,
				UnitPrices: map[string]int64{"adult": 3000, "child": 0}}}}},
			thursday, party{units: map[string]int{"adult": 1, "child": 2, "infant": 0}},
			quote{3, []Item{{"Tour", "", 1, 1000, 1000}, {"Adult", "adult", 1, 3000, 3000}, {"Child", "child", 2, 0, 0}}, 4000, 4000},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := quoteOf(test.service, test.on, test.party)
			require.NoError(t, err)
			require.Equal(t, test.want, got)
		})
	}
}

func TestQuote_PartyThatDoesNotFit_IsRefused(t *testing.T) {
	t.Parallel()
	typed, plain := ServiceSpec{Pricing: Pricing{UnitTypes: guests}}, ServiceSpec{Price: maxAmount, Pricing: Pricing{PricePer: PerUnit}}
	for name, test := range map[string]struct {
		service     ServiceSpec
		party       party
		field, code string
	}{
		"no party":                  {typed, party{size: 2}, "party", "required"},
		"an unknown type":           {typed, party{units: map[string]int{"adult": 1, "senior": 1}}, "party", "not_one_of"},
		"nobody who counts":         {typed, party{units: map[string]int{"infant": 2}}, "party", "too_small"},
		"nobody":                    {typed, party{units: map[string]int{}}, "party", "too_small"},
		"a negative number":         {typed, party{units: map[string]int{"adult": 1, "child": -1}}, "party.child", "too_small"},
		"too many of a type":        {typed, party{units: map[string]int{"adult": 1001}}, "party.adult", "too_large"},
		"too many in all":           {typed, party{units: map[string]int{"adult": 1000, "child": 1}}, "party", "too_large"},
		"a party without types":     {plain, party{size: 1, units: map[string]int{"adult": 1}}, "party", "not_for_kind"},
		"the greatest price":        {plain, party{size: 1}, "", ""},
		"more than can be paid":     {plain, party{size: 2}, "party_size", "too_large"},
		"far more than can be paid": {plain, party{size: 1000}, "party_size", "too_large"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := quoteOf(test.service, thursday, test.party)
			requireInvalid(t, err, test.field, test.code)
		})
	}
}

// Whatever the service, the items add up to the price, to the minor unit, and the deposit is no more than that.
func TestQuote_AnyServiceAndParty_ItemsAddUpToThePrice(t *testing.T) {
	t.Parallel()
	amount := rapid.OneOf(rapid.Int64Range(0, 100_000), rapid.Int64Range(0, maxAmount))
	rapid.Check(t, func(t *rapid.T) {
		s := ServiceSpec{
			Name: "Tour", Kind: KindDate, Price: amount.Draw(t, "price"),
			Pricing: Pricing{PricePer: rapid.SampledFrom([]string{PerBooking, PerUnit}).Draw(t, "price per")},
		}
		if rapid.Bool().Draw(t, "percent") {
			s.DepositPercent = rapid.IntRange(0, 100).Draw(t, "deposit percent")
		} else {
			s.Deposit = rapid.Int64Range(0, s.Price).Draw(t, "deposit")
		}
		p := party{size: rapid.IntRange(1, maxCapacity).Draw(t, "party")}
		if rapid.Bool().Draw(t, "typed") {
			s.PricePer, p.units = PerBooking, map[string]int{}
			for _, u := range guests {
				u.Price = amount.Draw(t, u.Key)
				s.UnitTypes = append(s.UnitTypes, u)
				p.units[u.Key] = rapid.IntRange(0, maxCapacity/2).Draw(t, "number")
			}
		}
		for range rapid.IntRange(0, 3).Draw(t, "rates") {
			r := Rate{Price: amount.Draw(t, "rate")}
			if rapid.Bool().Draw(t, "bounded") {
				r.Weekdays = []string{rapid.SampledFrom(weekdays).Draw(t, "weekday")}
			}
			if len(s.UnitTypes) > 0 {
				r.UnitPrices = map[string]int64{"child": amount.Draw(t, "rate of a child")}
			}
			s.Rates = append(s.Rates, r)
		}
		day := thursday.AddDays(rapid.IntRange(0, 6).Draw(t, "day"))
		q, err := (&rules{service: BookableService{ServiceSpec: s}}).quote(bookingTime{date: day}, p)
		exact, taken := new(big.Int), 0
		for _, item := range q.items {
			exact.Add(exact, new(big.Int).Mul(big.NewInt(int64(item.Quantity)), big.NewInt(item.UnitPrice)))
		}
		for _, u := range guests {
			if u.Counts {
				taken += p.units[u.Key]
			}
		}
		if err != nil {
			require.True(t, exact.Cmp(big.NewInt(maxAmount)) > 0 || p.units != nil && taken == 0, "%v", err)
			return
		}
		var sum int64
		for _, item := range q.items {
			require.Equal(t, int64(item.Quantity)*item.UnitPrice, item.Amount)
			sum += item.Amount
		}
		require.Equal(t, q.price, sum)
		require.Zero(t, exact.Cmp(big.NewInt(q.price)))
		require.LessOrEqual(t, q.price, int64(maxAmount))
		require.True(t, q.deposit >= 0 && q.deposit <= q.price)
		if p.units == nil {
			taken = p.size
		}
		require.Equal(t, taken, q.partySize)
	})
}

func TestCheckPrices_RefusesWhatContradictsItself(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		price, deposit int64
		pricing        Pricing
		field, code    string
	}{
		"plain":                          {100, 100, Pricing{}, "", ""},
		"deposit above the price":        {100, 101, Pricing{}, "deposit", "too_large"},
		"deposit of a price per unit":    {100, 101, Pricing{PricePer: PerUnit}, "", ""},
		"two deposits":                   {100, 1, Pricing{DepositPercent: 1}, "deposit_percent", "excluded"},
		"over 100 %":                     {100, 0, Pricing{DepositPercent: 101}, "deposit_percent", "too_large"},
		"price per person":               {100, 0, Pricing{PricePer: "person"}, "price_per", "not_one_of"},
		"per unit with unit types":       {100, 0, Pricing{PricePer: PerUnit, UnitTypes: guests}, "price_per", "excluded"},
		"a unit type twice":              {0, 0, Pricing{UnitTypes: []UnitType{guests[0], guests[0]}}, "unit_types[1].key", "duplicate"},
		"a unit type's price":            {0, 0, Pricing{UnitTypes: []UnitType{{Price: -1}}}, "unit_types[0].price", "too_small"},
		"a rate's deposit above its own": {100, 0, Pricing{Rates: []Rate{{Price: 10, Deposit: ref(int64(11))}}}, "rates[0].deposit", "too_large"},
		"a rate that ends first":         {100, 0, Pricing{Rates: []Rate{{From: &friday, To: &thursday}}}, "rates[0].to", "before_from"},
		"a weekday twice":                {100, 0, Pricing{Rates: []Rate{{Weekdays: []string{"monday", "monday"}}}}, "rates[0].weekdays[1]", "duplicate"},
		"no such weekday":                {100, 0, Pricing{Rates: []Rate{{Weekdays: []string{"noday"}}}}, "rates[0].weekdays[0]", "not_one_of"},
		"a year out of bounds":           {100, 0, Pricing{Rates: []Rate{{From: &civil.Date{Year: 1, Month: 1, Day: 1}}}}, "rates[0].from", "out_of_range"},
		"a price of no unit type":        {100, 0, Pricing{Rates: []Rate{{UnitPrices: map[string]int64{"adult": 1}}}}, "rates[0].unit_prices", "not_one_of"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := ServiceSpec{Price: test.price, Deposit: test.deposit, Pricing: test.pricing}
			requireInvalid(t, s.checkPrices(), test.field, test.code)
		})
	}
}
