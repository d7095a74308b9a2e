package timetable

import (
	"cmp"
	"fmt"
	"slices"

	"cloud.google.com/go/civil"

	"holdfast/internal/amount"
	"holdfast/internal/datetime"
	"holdfast/internal/problem"
)

// checkPrices returns problem.ValidationFailed for the first of the service's prices that is out of bounds or
// contradicts another one.
func (svc Spec) checkPrices() error {
	mostDeposit := func(price int64) int64 {
		// Where the price of a booking isn't known yet, the deposit is at most that.
		if svc.PricePer == PerUnit || len(svc.UnitTypes) > 0 || svc.pricedByTime() {
			return MaxAmount
		}
		return price
	}
	checks := []error{
		problem.CheckRange("price", svc.Price, 0, MaxAmount),
		problem.CheckRange("deposit", svc.Deposit, 0, mostDeposit(svc.Price)),
		problem.CheckRange("deposit_percent", svc.DepositPercent, 0, 100),
		problem.CheckRange("rates", len(svc.Rates), 0, maxRates),
		problem.CheckRange("price_per_minutes", svc.PricePerMinutes, 0, maxDurationMinutes),
		problem.CheckRange("unit_types", len(svc.UnitTypes), 0, maxUnitTypes),
	}
	switch {
	case svc.PricePer != "" && svc.PricePer != PerBooking && svc.PricePer != PerUnit:
		checks = append(checks, problem.Invalid("price_per", "not_one_of", "Expected booking or unit."))
	case svc.PricePer == PerUnit && len(svc.UnitTypes) > 0:
		checks = append(checks,
			problem.Invalid("price_per", "excluded",
				"Leave out price_per unit or unit_types: these have their own prices."))
	}
	if svc.Deposit > 0 && svc.DepositPercent > 0 {
		checks = append(checks, problem.Invalid("deposit_percent", "excluded", "Leave out deposit or deposit_percent."))
	}
	for i, u := range svc.UnitTypes {
		field := fmt.Sprintf("unit_types[%d]", i)
		checks = append(checks, problem.CheckRange(field+".price", u.Price, 0, MaxAmount),
			problem.CheckText(field+".name", u.Name), u.checkGuests(field))
		if slices.ContainsFunc(svc.UnitTypes[:i], func(before UnitType) bool { return before.Key == u.Key }) {
			checks = append(checks, problem.Invalid(field+".key", "duplicate", "Another unit type has this key."))
		}
	}
	for i, r := range svc.Rates {
		checks = append(checks, svc.checkRate(fmt.Sprintf("rates[%d]", i), r, mostDeposit(r.Price)))
	}
	return cmp.Or(checks...)
}

// checkGuests returns problem.ValidationFailed for ages, a least number or a note that is out of bounds.
func (u UnitType) checkGuests(field string) error {
	checks := []error{problem.CheckRange(field+".min_count", u.MinCount, 0, MaxCapacity),
		problem.CheckLines(field+".note", u.Note)}
	for _, age := range []struct {
		field string
		years *int
	}{{".min_age", u.MinAge}, {".max_age", u.MaxAge}} {
		if age.years != nil {
			checks = append(checks, problem.CheckRange(field+age.field, *age.years, 0, maxAge))
		}
	}
	if u.MinAge != nil && u.MaxAge != nil && *u.MaxAge < *u.MinAge {
		checks = append(checks, problem.Invalid(field+".max_age", "too_small", "Expected no less than min_age."))
	}
	return cmp.Or(checks...)
}

func (svc Spec) checkRate(field string, r Rate, mostDeposit int64) error {
	checks := []error{problem.CheckRange(field+".price", r.Price, 0, MaxAmount)}
	checks = append(checks, checkWeekdays(field+".weekdays", r.Weekdays))
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
	checks = append(checks, svc.checkRateDurations(field+".durations", r.Durations))
	for key, price := range r.UnitPrices {
		if !slices.ContainsFunc(svc.UnitTypes, func(u UnitType) bool { return u.Key == key }) {
			checks = append(checks, problem.Invalid(field+".unit_prices", "not_one_of", "Expected keys of unit_types."))
		}
		checks = append(checks, problem.CheckRange(field+".unit_prices", price, 0, MaxAmount))
	}
	return cmp.Or(checks...)
}

// rateOn returns the prices of a date.
func (svc Spec) rateOn(d civil.Date) Rate {
	day := WeekdayOf(d.Weekday())
	for _, r := range svc.Rates {
		if (len(r.Weekdays) == 0 || slices.Contains(r.Weekdays, day)) && (r.From == nil || !d.Before(*r.From)) &&
			(r.To == nil || !d.After(*r.To)) {
			return r
		}
	}
	return Rate{Price: svc.Price}
}

// depositOf returns the deposit, in minor units of currency, of a booking that costs price by a rate.
func (svc Spec) depositOf(rate Rate, price int64, currency string) int64 {
	switch {
	case rate.Deposit != nil:
		return *rate.Deposit
	case svc.DepositPercent > 0:
		return amount.Percent(price, svc.DepositPercent, currency)
	}
	return svc.Deposit
}
