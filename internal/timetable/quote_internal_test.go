package timetable

import (
	"math/big"
	"testing"

	"holdfast/internal/problem/problemtest"

	"cloud.google.com/go/civil"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var (
	thursday = civil.Date{Year: 2027, Month: 7, Day: 1}
	friday   = thursday.AddDays(1)
	guests   = []UnitType{{Key: "adult", Name: "Adult", Price: 2500, Counts: true},
		{Key: "child", Name: "Child", Price: 1200, Counts: true},
		{Key: "infant", Name: "Infant", Price: 0, Counts: false}}
)

func quoteOf(s Spec, on civil.Date, p Party) (Quote, error) {
	return (&Rules{Service: Service{Name: "Tour", Spec: s}}).Quote(BookingTime{Date: on}, p)
}

// item returns an item of what isn't a stay.
func item(name, unitType string, quantity int, unitPrice, amount int64) Item {
	return Item{Name: name, UnitType: unitType, Quantity: quantity, UnitPrice: unitPrice, Amount: amount}
}

func TestQuote_EachWayToPrice_GivesItsItems(t *testing.T) {
	t.Parallel()
	weekend := Pricing{Rates: []Rate{
		{From: &friday, To: &friday, Weekdays: []Weekday{"thursday"}, Price: 1},
		{Weekdays: []Weekday{"friday", "saturday"}, Price: 6000, Deposit: new(int64(1500))},
		{From: new(friday.AddDays(10)), Price: 7000},
		{To: new(thursday.AddDays(-1)), Price: 3000},
	}}
	family := Party{Size: 1, Units: map[string]int{"adult": 2, "child": 1, "infant": 1}}
	for name, test := range map[string]struct {
		service Spec
		on      civil.Date
		party   Party
		want    Quote
	}{
		"a price per booking": {
			Spec{Price: 4500, Deposit: 1000}, thursday, Party{Size: 3},
			Quote{3, []Item{item("Tour", "", 1, 4500, 4500)}, 4500, 1000},
		},
		"free": {Spec{}, thursday, Party{Size: 3}, Quote{3, []Item{item("Tour", "", 1, 0, 0)}, 0, 0}},
		"a price per unit": {
			Spec{
				Price: 4500, Pricing: Pricing{PricePer: PerUnit, DepositPercent: 33},
			}, thursday,
			Party{Size: 3},
			Quote{3, []Item{item("Tour", "", 3, 4500, 13500)}, 13500, 4455},
		},
		"no rate matches": {
			Spec{Price: 4500, Deposit: 1000, Pricing: weekend}, thursday,
			Party{Size: 1},
			Quote{1, []Item{item("Tour", "", 1, 4500, 4500)}, 4500, 1000},
		},
		"a weekday's rate": {
			Spec{Price: 4500, Deposit: 1000, Pricing: weekend}, friday,
			Party{Size: 1},
			Quote{1, []Item{item("Tour", "", 1, 6000, 6000)}, 6000, 1500},
		},
		"a rate from a date on, after the first that matches": {
			Spec{Price: 4500, Pricing: weekend}, friday.AddDays(10),
			Party{Size: 1},
			Quote{1, []Item{item("Tour", "", 1, 7000, 7000)}, 7000, 0},
		},
		"a rate up to a date, below the deposit": {
			Spec{Price: 4500, Deposit: 4000, Pricing: weekend},
			thursday.AddDays(-1), Party{Size: 1},
			Quote{1, []Item{item("Tour", "", 1, 3000, 3000)}, 3000, 3000},
		},
		"unit types": {
			Spec{
				Pricing: Pricing{UnitTypes: guests, DepositPercent: 50},
			}, thursday, family,
			Quote{3, []Item{item("Adult", "adult", 2, 2500, 5000), item("Child", "child", 1, 1200, 1200),
				item("Infant", "infant", 1, 0, 0)}, 6200, 3100},
		},
		"unit types beside a price, with a rate": {
			Spec{
				Price: 900, Deposit: 100_000,
				Pricing: Pricing{UnitTypes: guests, Rates: []Rate{{Price: 1000,
					UnitPrices: map[string]int64{"adult": 3000, "child": 0}}}},
			},
			thursday, Party{Units: map[string]int{"adult": 1, "child": 2, "infant": 0}},
			Quote{3, []Item{item("Tour", "", 1, 1000, 1000), item("Adult", "adult", 1, 3000, 3000),
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
	typed, plain := Spec{Pricing: Pricing{UnitTypes: guests}}, Spec{
		Price:   MaxAmount,
		Pricing: Pricing{PricePer: PerUnit},
	}
	for name, test := range map[string]struct {
		service     Spec
		party       Party
		field, code string
	}{
		"no party": {typed, Party{Size: 2}, "party", "required"},
		"an unknown type": {typed, Party{Units: map[string]int{"adult": 1, "senior": 1}}, "party",
			"not_one_of"},
		"nobody who counts": {typed, Party{Units: map[string]int{"infant": 2}}, "party", "too_small"},
		"nobody":            {typed, Party{Units: map[string]int{}}, "party", "too_small"},
		"a negative number": {typed, Party{Units: map[string]int{"adult": 1, "child": -1}}, "party.child",
			"too_small"},
		"too many of a type": {typed, Party{Units: map[string]int{"adult": 1001}}, "party.adult", "too_large"},
		"too many in all": {typed, Party{Units: map[string]int{"adult": 1000, "child": 1}}, "party",
			"too_large"},
		"a party without types": {plain, Party{Size: 1, Units: map[string]int{"adult": 1}}, "party",
			"not_for_kind"},
		"the greatest price":        {plain, Party{Size: 1}, "", ""},
		"more than can be paid":     {plain, Party{Size: 2}, "party_size", "too_large"},
		"far more than can be paid": {plain, Party{Size: 1000}, "party_size", "too_large"},
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
	amount := rapid.OneOf(rapid.Int64Range(0, 100_000), rapid.Int64Range(0, MaxAmount))
	rapid.Check(t, func(t *rapid.T) {
		s := Spec{
			Kind: KindDate, Price: amount.Draw(t, "price"),
			Pricing: Pricing{
				PricePer: rapid.SampledFrom([]string{PerBooking, PerUnit}).Draw(t, "price per"),
			},
		}
		if rapid.Bool().Draw(t, "percent") {
			s.DepositPercent = rapid.IntRange(0, 100).Draw(t, "deposit percent")
		} else {
			s.Deposit = rapid.Int64Range(0, s.Price).Draw(t, "deposit")
		}
		p := Party{Size: rapid.IntRange(1, MaxCapacity).Draw(t, "party")}
		if rapid.Bool().Draw(t, "typed") {
			s.PricePer, p.Units = PerBooking, map[string]int{}
			for _, u := range guests {
				u.Price = amount.Draw(t, u.Key)
				s.UnitTypes = append(s.UnitTypes, u)
				p.Units[u.Key] = rapid.IntRange(0, MaxCapacity/2).Draw(t, "number")
			}
		}
		for range rapid.IntRange(0, 3).Draw(t, "rates") {
			r := Rate{Price: amount.Draw(t, "rate")}
			if rapid.Bool().Draw(t, "bounded") {
				r.Weekdays = []Weekday{rapid.SampledFrom(weekdays).Draw(t, "weekday")}
			}
			if len(s.UnitTypes) > 0 {
				r.UnitPrices = map[string]int64{"child": amount.Draw(t, "rate of a child")}
			}
			s.Rates = append(s.Rates, r)
		}
		day := thursday.AddDays(rapid.IntRange(0, 6).Draw(t, "day"))
		q, err := (&Rules{Service: Service{Spec: s}}).Quote(BookingTime{Date: day}, p)
		exact, taken := new(big.Int), 0
		for _, item := range q.Items {
			exact.Add(exact, new(big.Int).Mul(big.NewInt(int64(item.Quantity)), big.NewInt(item.UnitPrice)))
		}
		for _, u := range guests {
			if u.Counts {
				taken += p.Units[u.Key]
			}
		}
		if err != nil {
			require.True(t, exact.Cmp(big.NewInt(MaxAmount)) > 0 || p.Units != nil && taken == 0, "%v", err)
			return
		}
		var sum int64
		for _, item := range q.Items {
			require.Equal(t, int64(item.Quantity)*item.UnitPrice, item.Amount)
			sum += item.Amount
		}
		require.Equal(t, q.Price, sum)
		require.Zero(t, exact.Cmp(big.NewInt(q.Price)))
		require.LessOrEqual(t, q.Price, int64(MaxAmount))
		require.True(t, q.Deposit >= 0 && q.Deposit <= q.Price)
		if p.Units == nil {
			taken = p.Size
		}
		require.Equal(t, taken, q.PartySize)
	})
}
