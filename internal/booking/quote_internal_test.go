package booking

import (
	"math/big"
	"testing"

	"holdfast/internal/problem/problemtest"

	"cloud.google.com/go/civil"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"holdfast/internal/timetable"
)

var (
	thursday = civil.Date{Year: 2027, Month: 7, Day: 1}
	friday   = thursday.AddDays(1)
	guests   = []timetable.UnitType{{Key: "adult", Name: "Adult", Price: 2500, Counts: true},
		{Key: "child", Name: "Child", Price: 1200, Counts: true}, {Key: "infant", Name: "Infant", Price: 0, Counts: false}}
)

func quoteOf(s timetable.Spec, on civil.Date, p party) (quote, error) {
	return (&rules{service: timetable.Service{Name: "Tour", Spec: s}}).quote(bookingTime{date: on}, p)
}

// item returns an item of what isn't a stay.
func item(name, unitType string, quantity int, unitPrice, amount int64) Item {
	return Item{Name: name, UnitType: unitType, Quantity: quantity, UnitPrice: unitPrice, Amount: amount}
}

func TestQuote_EachWayToPrice_GivesItsItems(t *testing.T) {
	t.Parallel()
	weekend := timetable.Pricing{Rates: []timetable.Rate{
		{From: &friday, To: &friday, Weekdays: []string{"thursday"}, Price: 1},
		{Weekdays: []string{"friday", "saturday"}, Price: 6000, Deposit: new(int64(1500))},
		{From: new(friday.AddDays(10)), Price: 7000},
		{To: new(thursday.AddDays(-1)), Price: 3000},
	}}
	family := party{size: 1, units: map[string]int{"adult": 2, "child": 1, "infant": 1}}
	for name, test := range map[string]struct {
		service timetable.Spec
		on      civil.Date
		party   party
		want    quote
	}{
		"a price per booking": {
			timetable.Spec{Price: 4500, Deposit: 1000}, thursday, party{size: 3},
			quote{3, []Item{item("Tour", "", 1, 4500, 4500)}, 4500, 1000},
		},
		"free": {timetable.Spec{}, thursday, party{size: 3}, quote{3, []Item{item("Tour", "", 1, 0, 0)}, 0, 0}},
		"a price per unit": {
			timetable.Spec{
				Price: 4500, Pricing: timetable.Pricing{PricePer: timetable.PerUnit, DepositPercent: 33},
			}, thursday,
			party{size: 3},
			quote{3, []Item{item("Tour", "", 3, 4500, 13500)}, 13500, 4455},
		},
		"no rate matches": {
			timetable.Spec{Price: 4500, Deposit: 1000, Pricing: weekend}, thursday,
			party{size: 1},
			quote{1, []Item{item("Tour", "", 1, 4500, 4500)}, 4500, 1000},
		},
		"a weekday's rate": {
			timetable.Spec{Price: 4500, Deposit: 1000, Pricing: weekend}, friday,
			party{size: 1},
			quote{1, []Item{item("Tour", "", 1, 6000, 6000)}, 6000, 1500},
		},
		"a rate from a date on, after the first that matches": {
			timetable.Spec{Price: 4500, Pricing: weekend}, friday.AddDays(10),
			party{size: 1},
			quote{1, []Item{item("Tour", "", 1, 7000, 7000)}, 7000, 0},
		},
		"a rate up to a date, below the deposit": {
			timetable.Spec{Price: 4500, Deposit: 4000, Pricing: weekend},
			thursday.AddDays(-1), party{size: 1},
			quote{1, []Item{item("Tour", "", 1, 3000, 3000)}, 3000, 3000},
		},
		"unit types": {
			timetable.Spec{
				Pricing: timetable.Pricing{UnitTypes: guests, DepositPercent: 50},
			}, thursday, family,
			quote{3, []Item{item("Adult", "adult", 2, 2500, 5000), item("Child", "child", 1, 1200, 1200),
				item("Infant", "infant", 1, 0, 0)}, 6200, 3100},
		},
		"unit types beside a price, with a rate": {
			timetable.Spec{
				Price: 900, Deposit: 100_000,
				Pricing: timetable.Pricing{UnitTypes: guests, Rates: []timetable.Rate{{Price: 1000,
					UnitPrices: map[string]int64{"adult": 3000, "child": 0}}}},
			},
			thursday, party{units: map[string]int{"adult": 1, "child": 2, "infant": 0}},
			quote{3, []Item{item("Tour", "", 1, 1000, 1000), item("Adult", "adult", 1, 3000, 3000),
				item("Child", "child", 2, 0, 0)}, 4000, 4000},
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
	typed, plain := timetable.Spec{Pricing: timetable.Pricing{UnitTypes: guests}}, timetable.Spec{
		Price:   timetable.MaxAmount,
		Pricing: timetable.Pricing{PricePer: timetable.PerUnit},
	}
	for name, test := range map[string]struct {
		service     timetable.Spec
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
			problemtest.RequireField(t, err, test.field, test.code)
		})
	}
}

// Whatever the service, the items add up to the price, to the minor unit, and the deposit is no more than that.
func TestQuote_AnyServiceAndParty_ItemsAddUpToThePrice(t *testing.T) {
	t.Parallel()
	amount := rapid.OneOf(rapid.Int64Range(0, 100_000), rapid.Int64Range(0, timetable.MaxAmount))
	rapid.Check(t, func(t *rapid.T) {
		s := timetable.Spec{
			Kind: timetable.KindDate, Price: amount.Draw(t, "price"),
			Pricing: timetable.Pricing{
				PricePer: rapid.SampledFrom([]string{timetable.PerBooking, timetable.PerUnit}).Draw(t, "price per"),
			},
		}
		if rapid.Bool().Draw(t, "percent") {
			s.DepositPercent = rapid.IntRange(0, 100).Draw(t, "deposit percent")
		} else {
			s.Deposit = rapid.Int64Range(0, s.Price).Draw(t, "deposit")
		}
		p := party{size: rapid.IntRange(1, timetable.MaxCapacity).Draw(t, "party")}
		if rapid.Bool().Draw(t, "typed") {
			s.PricePer, p.units = timetable.PerBooking, map[string]int{}
			for _, u := range guests {
				u.Price = amount.Draw(t, u.Key)
				s.UnitTypes = append(s.UnitTypes, u)
				p.units[u.Key] = rapid.IntRange(0, timetable.MaxCapacity/2).Draw(t, "number")
			}
		}
		for range rapid.IntRange(0, 3).Draw(t, "rates") {
			r := timetable.Rate{Price: amount.Draw(t, "rate")}
			if rapid.Bool().Draw(t, "bounded") {
				r.Weekdays = []string{rapid.SampledFrom(timetable.Weekdays).Draw(t, "weekday")}
			}
			if len(s.UnitTypes) > 0 {
				r.UnitPrices = map[string]int64{"child": amount.Draw(t, "rate of a child")}
			}
			s.Rates = append(s.Rates, r)
		}
		day := thursday.AddDays(rapid.IntRange(0, 6).Draw(t, "day"))
		q, err := (&rules{service: timetable.Service{Spec: s}}).quote(bookingTime{date: day}, p)
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
			require.True(t, exact.Cmp(big.NewInt(timetable.MaxAmount)) > 0 || p.units != nil && taken == 0, "%v", err)
			return
		}
		var sum int64
		for _, item := range q.items {
			require.Equal(t, int64(item.Quantity)*item.UnitPrice, item.Amount)
			sum += item.Amount
		}
		require.Equal(t, q.price, sum)
		require.Zero(t, exact.Cmp(big.NewInt(q.price)))
		require.LessOrEqual(t, q.price, int64(timetable.MaxAmount))
		require.True(t, q.deposit >= 0 && q.deposit <= q.price)
		if p.units == nil {
			taken = p.size
		}
		require.Equal(t, taken, q.partySize)
	})
}
