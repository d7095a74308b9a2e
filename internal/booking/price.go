package booking

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"cloud.google.com/go/civil"

	"holdfast/internal/datetime"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

// What a price is for.
const (
	PerBooking = "booking"
	PerUnit    = "unit"
)

const (
	maxRates     = 100
	maxUnitTypes = 20
)

// Pricing is what a service's price depends on besides the service's own price. The zero value is one price per booking.
type Pricing struct {
	PricePer       string     `json:"price_per,omitempty" enum:"booking,unit" doc:"What price and the prices of rates are for: a booking, or each unit of party_size. booking if absent."`
	DepositPercent int        `json:"deposit_percent,omitempty" minimum:"0" maximum:"100" example:"20" doc:"The deposit as a part of the booking's price, rounded half up to a minor unit; in place of deposit."`
	Rates          []Rate     `json:"rates,omitempty" maxItems:"100" nullable:"false" doc:"Prices of some dates. The first that matches the booking's date counts, and price if none does."`
	UnitTypes      []UnitType `json:"unit_types,omitempty" maxItems:"20" nullable:"false" doc:"Who can come, such as adults and children, each at its own price. A booking then gives party. price is charged once for the booking besides."`
}

// Rate is the prices of some dates: those on one of Weekdays that are neither before From nor after To. What is empty or nil doesn't
// bound them. The dates are civil dates in the tenant's time zone.
type Rate struct {
	Weekdays   []string         `json:"weekdays,omitempty" minItems:"1" maxItems:"7" nullable:"false" enum:"monday,tuesday,wednesday,thursday,friday,saturday,sunday" doc:"Each weekday if absent."`
	From       *civil.Date      `json:"from,omitempty" format:"date" example:"2027-06-01" doc:"First date."`
	To         *civil.Date      `json:"to,omitempty" format:"date" example:"2027-08-31" doc:"Last date."`
	Price      int64            `json:"price" minimum:"0" maximum:"9007199254740991" example:"6000" doc:"In place of the service's price."`
	Deposit    *int64           `json:"deposit,omitempty" minimum:"0" maximum:"9007199254740991" example:"1500" doc:"In place of the service's deposit or deposit_percent."`
	UnitPrices map[string]int64 `json:"unit_prices,omitempty" doc:"Prices of unit types by their key, in place of their own."`
}

// UnitType is a kind of guest. Key names it in requests. Counts says whether one takes a unit of the capacity.
type UnitType struct {
	Key    string `json:"key" pattern:"^[a-z][a-z0-9_]*$" maxLength:"32" example:"adult" doc:"Lower-case letters, digits and _."`
	Name   string `json:"name" minLength:"1" maxLength:"200" example:"Adult"`
	Price  int64  `json:"price" minimum:"0" maximum:"9007199254740991" example:"2500" doc:"Of one."`
	Counts bool   `json:"counts" doc:"Whether one takes a unit of the capacity."`
}

// Item is a part of a booking's price. Amount is Quantity times UnitPrice, in minor units of the booking's currency.
type Item struct {
	Name      string `json:"name" example:"Adult"`
	UnitType  string `json:"unit_type,omitempty" example:"adult" doc:"The key of the service's unit type."`
	Quantity  int    `json:"quantity" example:"2"`
	UnitPrice int64  `json:"unit_price" example:"2500"`
	Amount    int64  `json:"amount" example:"5000" doc:"quantity times unit_price. The amounts add up to the booking's price."`
}

// checkPrices returns problem.ValidationFailed for the first of the service's prices that is out of bounds or contradicts another one.
func (o ServiceSpec) checkPrices() error {
	mostDeposit := func(price int64) int64 {
		if o.PricePer == PerUnit || len(o.UnitTypes) > 0 { // the price of a booking isn't known yet: the deposit is at most that
			return maxAmount
		}
		return price
	}
	checks := []error{
		problem.CheckRange("price", o.Price, 0, 1<<53),
		problem.CheckRange("deposit", o.Deposit, 0, mostDeposit(o.Price)),
		problem.CheckRange("deposit_percent", o.DepositPercent, 0, 100),
		problem.CheckRange("rates", len(o.Rates), 0, maxRates),
		problem.CheckRange("unit_types", len(o.UnitTypes), 0, maxUnitTypes),
	}
	switch {
	case o.PricePer != "" && o.PricePer != PerBooking && o.PricePer != PerUnit:
		checks = append(checks, problem.Invalid("price_per", "not_one_of", "Expected booking or unit."))
	case o.PricePer == PerUnit && len(o.UnitTypes) > 0:
		checks = append(checks, problem.Invalid("price_per", "excluded", "Leave out price_per unit or unit_types: these have their own prices."))
	}
	if o.Deposit > 0 && o.DepositPercent > 0 {
		checks = append(checks, problem.Invalid("deposit_percent", "excluded", "Leave out deposit or deposit_percent."))
	}
	for i, u := range o.UnitTypes {
		field := fmt.Sprintf("unit_types[%d]", i)
		checks = append(checks, problem.CheckRange(field+".price", u.Price, 0, maxAmount), tenant.CheckText(field+".name", u.Name))
		if slices.ContainsFunc(o.UnitTypes[:i], func(before UnitType) bool { return before.Key == u.Key }) {
			checks = append(checks, problem.Invalid(field+".key", "duplicate", "Another unit type has this key."))
		}
	}
	for i, r := range o.Rates {
		checks = append(checks, o.checkRate(fmt.Sprintf("rates[%d]", i), r, mostDeposit(r.Price)))
	}
	return cmp.Or(checks...)
}

func (o ServiceSpec) checkRate(field string, r Rate, mostDeposit int64) error {
	checks := []error{problem.CheckRange(field+".price", r.Price, 0, maxAmount)}
	for i, day := range r.Weekdays {
		if weekdayOf(day) < 0 {
			checks = append(checks, problem.Invalid(fmt.Sprintf("%s.weekdays[%d]", field, i), "not_one_of", "Expected a weekday."))
		}
		if slices.Contains(r.Weekdays[:i], day) {
			checks = append(checks, problem.Invalid(fmt.Sprintf("%s.weekdays[%d]", field, i), "duplicate", "The weekday is listed already."))
		}
	}
	if r.From != nil {
		checks = append(checks, datetime.CheckDate(field+".from", *r.From))
	}
	if r.To != nil {
		checks = append(checks, datetime.CheckDate(field+".to", *r.To))
	}
	if r.From != nil && r.To != nil && r.To.Before(*r.From) {
		checks = append(checks, problem.Invalid(field+".to", "before_from", "Expected a date that is not before from."))
	}
	if r.Deposit != nil {
		checks = append(checks, problem.CheckRange(field+".deposit", *r.Deposit, 0, mostDeposit))
	}
	for key, price := range r.UnitPrices {
		if !slices.ContainsFunc(o.UnitTypes, func(u UnitType) bool { return u.Key == key }) {
			checks = append(checks, problem.Invalid(field+".unit_prices", "not_one_of", "Expected keys of unit_types."))
		}
		checks = append(checks, problem.CheckRange(field+".unit_prices", price, 0, maxAmount))
	}
	return cmp.Or(checks...)
}

// party is who comes: size units, or of a service with unit types a number of each, by its key.
type party struct {
	size  int
	units map[string]int
}

// quote is what a booking costs. The items' amounts add up to price. All amounts are minor units of the service's currency.
type quote struct {
	partySize      int // units that the booking takes
	items          []Item
	price, deposit int64
}

// quote returns what a booking of a party at a time costs. It depends on nothing but the rules. Errors: problem.ValidationFailed for a party that
// doesn't fit the service's unit types, and for a price that is out of bounds.
func (r *rules) quote(o bookingTime, p party) (quote, error) {
	s := r.service
	rate := s.rateOn(o.date)
	q := quote{partySize: p.size}
	base := Item{Name: s.Name, Quantity: 1, UnitPrice: rate.Price}
	field := "party_size"
	switch {
	case len(s.UnitTypes) > 0:
		field = "party"
		if rate.Price > 0 {
			q.items = append(q.items, base)
		}
		units, size, err := s.units(p.units, rate)
		if err != nil {
			return q, err
		}
		q.items, q.partySize = append(q.items, units...), size
	case p.units != nil:
		return q, problem.Invalid("party", "not_for_kind", "The service has no unit types: give party_size.")
	default:
		if s.PricePer == PerUnit {
			base.Quantity = p.size
		}
		q.items = append(q.items, base)
	}
	for i := range q.items {
		item := &q.items[i]
		item.Amount = int64(item.Quantity) * item.UnitPrice // at most maxCapacity times maxAmount, which is below 2^63
		if item.Amount > maxAmount-q.price {
			return q, problem.Invalid(field, "too_large", "The price of so many is too large.")
		}
		q.price += item.Amount
	}
	q.deposit = min(s.depositOf(rate, q.price), q.price)
	return q, nil
}

// rateOn returns the prices of a date.
func (o ServiceSpec) rateOn(d civil.Date) Rate {
	day := weekdays[d.Weekday()]
	for _, r := range o.Rates {
		if (len(r.Weekdays) == 0 || slices.Contains(r.Weekdays, day)) && (r.From == nil || !d.Before(*r.From)) && (r.To == nil || !d.After(*r.To)) {
			return r
		}
	}
	return Rate{Price: o.Price}
}

func (o ServiceSpec) depositOf(rate Rate, price int64) int64 {
	switch {
	case rate.Deposit != nil:
		return *rate.Deposit
	case o.DepositPercent > 0:
		return percentOf(price, o.DepositPercent)
	}
	return o.Deposit
}

// units returns the items of a party by unit type, without their amounts, and how many units of the capacity they take.
func (o ServiceSpec) units(given map[string]int, rate Rate) (items []Item, size int, err error) {
	if given == nil {
		return nil, 0, problem.Invalid("party", "required", "The service has unit types: say how many come of each.")
	}
	known := 0
	for _, u := range o.UnitTypes {
		n, ok := given[u.Key]
		if !ok {
			continue
		}
		known++
		if err := problem.CheckRange("party."+u.Key, n, 0, maxCapacity); err != nil {
			return nil, 0, err
		}
		if n == 0 {
			continue
		}
		item := Item{Name: u.Name, UnitType: u.Key, Quantity: n, UnitPrice: u.Price}
		if price, ok := rate.UnitPrices[u.Key]; ok {
			item.UnitPrice = price
		}
		items = append(items, item)
		if u.Counts {
			size += n
		}
	}
	switch {
	case known < len(given):
		return nil, 0, problem.Invalid("party", "not_one_of", "Expected keys of the service's unit types.")
	case size == 0:
		return nil, 0, problem.Invalid("party", "too_small", "Expected at least one that counts towards the capacity.")
	}
	return items, size, problem.CheckRange("party", size, 1, maxCapacity)
}

// partyByType returns how many of each unit type a booking's items are for, nil of a service without unit types.
func partyByType(items []Item) map[string]int {
	var units map[string]int
	for _, item := range items {
		if item.UnitType != "" {
			if units == nil {
				units = make(map[string]int)
			}
			units[item.UnitType] = item.Quantity
		}
	}
	return units
}

// PriceBody is what a booking's price is made of and what its end costs, in the API.
type PriceBody struct {
	Items []Item         `json:"items" nullable:"false" doc:"What the price is made of; empty for a booking that was made before there were items."`
	Party map[string]int `json:"party,omitempty" doc:"How many come of each unit type; absent if the service has none."`
	Terms
	CancellationFee    *int64  `json:"cancellation_fee,omitempty" example:"2250" doc:"What is kept, or due, of the price, less what refunds lower it by. Only of a booking that ended by its cancellation policy, or with a fee that the request said."`
	CancellationFeeSet bool    `json:"cancellation_fee_set,omitempty" doc:"true: the request that ended the booking said the fee. Otherwise the cancellation policy did."`
	CancellationReason *string `json:"cancellation_reason,omitempty" example:"The customer is ill."`
}

func (b Booking) priceBody() PriceBody {
	return PriceBody{
		Items: append([]Item{}, b.Items...), Party: partyByType(b.Items), Terms: b.Terms,
		CancellationFee: b.State().Fee, CancellationFeeSet: b.CancellationFeeSet, CancellationReason: b.CancellationReason,
	}
}

// stored returns the booking's items and its terms as they are stored.
func (b Booking) stored() (items, terms json.RawMessage, err error) {
	if items, err = json.Marshal(append([]Item{}, b.Items...)); err != nil {
		return nil, nil, fmt.Errorf("encode a booking's items: %w", err)
	}
	terms, err = b.Terms.stored()
	return items, terms, err
}

// itemsOf reads a booking's items as they are stored.
func itemsOf(stored json.RawMessage) (items []Item, err error) {
	if len(stored) == 0 || string(stored) == "[]" {
		return nil, nil
	}
	if err := json.Unmarshal(stored, &items); err != nil {
		return nil, fmt.Errorf("read a booking's items: %w", err)
	}
	return items, nil
}
