package booking

import (
	"holdfast/internal/catalog"
	"holdfast/internal/problem"
)

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

// quote returns what a booking of a party at a time costs. It depends on nothing but the rules. Errors: problem.ValidationFailed for a
// party that doesn't fit the service's unit types, and for a price that is out of bounds.
func (r *rules) quote(at bookingTime, p party) (quote, error) {
	s := r.service
	rate := s.RateOn(at.date)
	q := quote{partySize: p.size}
	base := Item{Name: s.Name, Quantity: 1, UnitPrice: rate.Price}
	field := "party_size"
	switch {
	case len(s.UnitTypes) > 0:
		field = "party"
		if rate.Price > 0 {
			q.items = append(q.items, base)
		}
		units, size, err := partyItems(s.ServiceSpec, p.units, rate)
		if err != nil {
			return q, err
		}
		q.items, q.partySize = append(q.items, units...), size
	case p.units != nil:
		return q, problem.Invalid("party", "not_for_kind", "The service has no unit types: give party_size.")
	default:
		if s.PricePer == catalog.PerUnit {
			base.Quantity = p.size
		}
		q.items = append(q.items, base)
	}
	for i := range q.items {
		item := &q.items[i]
		item.Amount = int64(item.Quantity) * item.UnitPrice // at most MaxCapacity times MaxAmount, which is below 2^63
		if item.Amount > catalog.MaxAmount-q.price {
			return q, problem.Invalid(field, "too_large", "The price of so many is too large.")
		}
		q.price += item.Amount
	}
	q.deposit = min(s.DepositOf(rate, q.price), q.price)
	return q, nil
}

// partyItems returns the items of a party by unit type, without their amounts, and how many units of the capacity they take.
func partyItems(svc catalog.ServiceSpec, given map[string]int, rate catalog.Rate) (items []Item, size int, err error) {
	if given == nil {
		return nil, 0, problem.Invalid("party", "required", "The service has unit types: say how many come of each.")
	}
	known := 0
	for _, u := range svc.UnitTypes {
		n, ok := given[u.Key]
		if !ok {
			continue
		}
		known++
		if err := problem.CheckRange("party."+u.Key, n, 0, catalog.MaxCapacity); err != nil {
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
	return items, size, problem.CheckRange("party", size, 1, catalog.MaxCapacity)
}
