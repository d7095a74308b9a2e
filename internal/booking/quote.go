package booking

import (
	"fmt"
	"maps"

	"holdfast/internal/problem"
	"holdfast/internal/timetable"
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
// party that doesn't fit the service's unit types, a duration that isn't sold, and a price that is out of bounds.
func (r *rules) quote(at bookingTime, p party) (quote, error) {
	s := r.service
	rate := s.RateOn(at.date)
	q := quote{partySize: p.size}
	var err error
	switch {
	case at.nights > 0:
		err = q.addNights(r, at, p)
	case at.length != (timetable.Length{}):
		if err = r.checkSold(at.length); err == nil {
			err = q.addLength(&s, p, rate, at.length)
		}
	default:
		err = q.add(&s, p, rate)
	}
	if err != nil {
		return q, err
	}
	for i := range q.items {
		item := &q.items[i]
		if item.UnitPrice > 0 && int64(item.Quantity) > (timetable.MaxAmount-q.price)/item.UnitPrice {
			field := "party_size"
			if len(s.UnitTypes) > 0 {
				field = "party"
			}
			return q, problem.Invalid(field, "too_large", "The price of so many is too large.")
		}
		item.Amount = int64(item.Quantity) * item.UnitPrice
		q.price += item.Amount
	}
	q.deposit = min(s.DepositOf(rate, q.price, s.Currency), q.price)
	return q, nil
}

// add adds what a party costs once by a rate, without the amounts.
func (q *quote) add(s *timetable.Service, p party, rate timetable.Rate) error {
	base := Item{Name: s.Name, Quantity: 1, UnitPrice: rate.Price}
	switch {
	case len(s.UnitTypes) > 0:
		if rate.Price > 0 {
			q.items = append(q.items, base)
		}
		units, size, err := partyItems(s.Spec, p.units, rate)
		if err != nil {
			return err
		}
		q.items, q.partySize = append(q.items, units...), size
	case p.units != nil:
		return problem.Invalid("party", "not_for_kind", "The service has no unit types: give party_size.")
	default:
		if s.PricePer == timetable.PerUnit {
			base.Quantity = p.size
		}
		q.items = append(q.items, base)
	}
	return nil
}

// addLength adds what a party costs by a rate for a slot of one of several lengths.
func (q *quote) addLength(s *timetable.Service, p party, rate timetable.Rate, l timetable.Length) error {
	price, times := s.PriceOf(rate, l)
	rate.Price = price
	err := q.add(s, p, rate)
	for i := range q.items {
		item := &q.items[i]
		item.Name, item.Quantity = item.Name+", "+l.String(), item.Quantity*times
		if times > 1 {
			item.Periods = times
		}
	}
	return err
}

// addNights adds what a party costs for the nights of a stay, each by the rate of its date. Nights in a row that cost the same share their
// items.
func (q *quote) addNights(r *rules, at bookingTime, p party) error {
	nights := r.nightsOf(at)
	for len(nights) > 0 {
		rate, n := r.service.RateOn(nights[0]), 1
		for n < len(nights) && sameRate(rate, r.service.RateOn(nights[n])) {
			n++
		}
		before := len(q.items)
		if err := q.add(&r.service, p, rate); err != nil {
			return err
		}
		from, to := nights[0].String(), nights[n-1].String()
		label := fmt.Sprintf(", %s to %s, %d nights", from, to, n)
		if n == 1 {
			label = ", " + from + ", 1 night"
		}
		for i := range q.items[before:] {
			item := &q.items[before+i]
			item.Name, item.Nights, item.From, item.To, item.Quantity = item.Name+label, n, from, to, item.Quantity*n
		}
		nights = nights[n:]
	}
	return nil
}

// sameRate reports whether two rates have the same prices.
func sameRate(a, b timetable.Rate) bool {
	return a.Price == b.Price && maps.Equal(a.UnitPrices, b.UnitPrices)
}

// partyItems returns the items of a party by unit type, without their amounts, and how many units of the capacity they take.
func partyItems(svc timetable.Spec, given map[string]int, rate timetable.Rate,
) (items []Item, size int, err error) {
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
		if err := problem.CheckRange("party."+u.Key, n, 0, timetable.MaxCapacity); err != nil {
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
	return items, size, problem.CheckRange("party", size, 1, timetable.MaxCapacity)
}
