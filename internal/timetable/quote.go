package timetable

import (
	"fmt"
	"maps"

	"holdfast/internal/problem"
)

// Party is who comes: size units, or of a service with unit types a number of each, by its key.
type Party struct {
	Size  int
	Units map[string]int
}

// Quote is what a booking costs. The items' amounts add up to price. All amounts are minor units of the service's
// currency.
type Quote struct {
	PartySize      int // units that the booking takes
	Items          []Item
	Price, Deposit int64
}

// Quote returns what a booking of a party at a time costs. It depends on nothing but the rules. Errors:
// problem.ValidationFailed for a party that doesn't fit the service's unit types, a duration that isn't sold, and a
// price that is out of bounds.
func (r *Rules) Quote(at BookingTime, p Party) (Quote, error) {
	s := r.Service
	rate := s.rateOn(at.Date)
	q := Quote{PartySize: p.Size}
	var err error
	switch {
	case at.Nights > 0:
		err = q.addNights(r, at, p)
	case at.length != (Length{}):
		if err = r.checkSold(at.length); err == nil {
			err = q.addLength(&s, p, rate, at.length)
		}
	default:
		err = q.add(&s, p, rate)
	}
	if err != nil {
		return q, err
	}
	for i := range q.Items {
		item := &q.Items[i]
		if item.UnitPrice > 0 && int64(item.Quantity) > (MaxAmount-q.Price)/item.UnitPrice {
			return q, problem.Invalid(s.partyField(), "too_large", "The price of so many is too large.")
		}
		item.Amount = int64(item.Quantity) * item.UnitPrice
		q.Price += item.Amount
	}
	q.Deposit = min(s.depositOf(rate, q.Price, s.Currency), q.Price)
	return q, nil
}

// partyField names the field of a request that says who comes.
func (svc *Spec) partyField() string {
	if len(svc.UnitTypes) > 0 {
		return "party"
	}
	return "party_size"
}

// CheckParty returns problem.ValidationFailed for a party that is smaller than the service's least one. units are those
// that it takes.
func (r *Rules) CheckParty(units int) error {
	if least := r.Service.MinPartySize; units < least {
		return problem.Invalid(r.Service.partyField(), "too_small", fmt.Sprintf("Expected at least %d.", least))
	}
	return nil
}

// add adds what a party costs once by a rate, without the amounts.
func (q *Quote) add(s *Service, p Party, rate Rate) error {
	base := Item{Name: s.Name, Quantity: 1, UnitPrice: rate.Price}
	switch {
	case len(s.UnitTypes) > 0:
		if rate.Price > 0 {
			q.Items = append(q.Items, base)
		}
		units, size, err := partyItems(s.Spec, p.Units, rate)
		if err != nil {
			return err
		}
		q.Items, q.PartySize = append(q.Items, units...), size
	case p.Units != nil:
		return problem.Invalid("party", "not_for_kind", "The service has no unit types: give party_size.")
	default:
		if s.PricePer == PerUnit {
			base.Quantity = p.Size
		}
		q.Items = append(q.Items, base)
	}
	return nil
}

// addLength adds what a party costs by a rate for a slot of one of several lengths.
func (q *Quote) addLength(s *Service, p Party, rate Rate, l Length) error {
	price, times := s.priceOf(rate, l)
	rate.Price = price
	err := q.add(s, p, rate)
	for i := range q.Items {
		item := &q.Items[i]
		item.Name, item.Quantity = item.Name+", "+l.String(), item.Quantity*times
		if times > 1 {
			item.Periods = times
		}
	}
	return err
}

// addNights adds what a party costs for the nights of a stay, each by the rate of its date. Nights in a row that cost
// the same share their items.
func (q *Quote) addNights(r *Rules, at BookingTime, p Party) error {
	nights := r.nightsOf(at)
	for len(nights) > 0 {
		rate, n := r.Service.rateOn(nights[0]), 1
		for n < len(nights) && sameRate(rate, r.Service.rateOn(nights[n])) {
			n++
		}
		before := len(q.Items)
		if err := q.add(&r.Service, p, rate); err != nil {
			return err
		}
		from, to := nights[0].String(), nights[n-1].String()
		label := fmt.Sprintf(", %s to %s, %d nights", from, to, n)
		if n == 1 {
			label = ", " + from + ", 1 night"
		}
		for i := range q.Items[before:] {
			item := &q.Items[before+i]
			item.Name, item.Nights, item.From, item.To, item.Quantity = item.Name+label, n, from, to, item.Quantity*n
		}
		nights = nights[n:]
	}
	return nil
}

// sameRate reports whether two rates have the same prices.
func sameRate(a, b Rate) bool {
	return a.Price == b.Price && maps.Equal(a.UnitPrices, b.UnitPrices)
}

// partyItems returns the items of a party by unit type, without their amounts, and how many units of the capacity they
// take.
func partyItems(svc Spec, given map[string]int, rate Rate,
) (items []Item, size int, err error) {
	if given == nil {
		return nil, 0, problem.Invalid("party", "required", "The service has unit types: say how many come of each.")
	}
	known := 0
	for _, u := range svc.UnitTypes {
		n, ok := given[u.Key]
		if n < u.MinCount {
			return nil, 0, problem.Invalid("party."+u.Key, "too_small",
				fmt.Sprintf("Expected at least %d: %s.", u.MinCount, u.Name))
		}
		if !ok {
			continue
		}
		known++
		if err := problem.CheckRange("party."+u.Key, n, 0, MaxCapacity); err != nil {
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
	return items, size, problem.CheckRange("party", size, 1, MaxCapacity)
}
