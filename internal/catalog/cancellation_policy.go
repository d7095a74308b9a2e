package catalog

import (
	"cmp"
	"fmt"
	"time"

	"holdfast/internal/amount"
	"holdfast/internal/datetime"
	"holdfast/internal/problem"
	"holdfast/internal/timetable"
)

// Bounds of a cancellation policy. A step can begin before the longest booking window does.
const (
	maxCancellationSteps = 20
	maxCancelFromMinutes = (timetable.MaxWindowDays + 10) * datetime.MinutesPerDay
)

// CancellationPolicy says what is kept, or due, of the price of a confirmed booking that is cancelled, or whose
// customer doesn't come. It is copied to the booking when it is made. The zero value is no policy: then the tenant
// decides what is refunded.
type CancellationPolicy struct {
	Steps  []CancellationStep `json:"steps,omitzero" maxItems:"20" nullable:"false" doc:"In the order of time, so from_minutes falls. Before the first step a cancellation is free. An empty list is free at any time."`
	NoShow *CancellationFee   `json:"no_show,omitempty" doc:"What it costs if the customer doesn't come; the whole price if absent."`
}

// CancellationStep is what a cancellation costs from FromMinutes before the booking starts, until the next step begins.
type CancellationStep struct {
	FromMinutes int `json:"from_minutes" minimum:"0" maximum:"5270400" example:"1440" doc:"The step begins this long before the booking starts."`
	CancellationFee
}

// CancellationFee is a part of the booking's price, or an amount, which counts at most as the price. Exactly one is
// set.
type CancellationFee struct {
	Percent *int   `json:"percent,omitempty" minimum:"0" maximum:"100" example:"50" doc:"Of the booking's price, rounded half up to a minor unit, or to the smallest amount that can be paid by card, such as 10 fils of KWD. Either this or amount."`
	Amount  *int64 `json:"amount,omitempty" minimum:"0" maximum:"9007199254740991" example:"2000" doc:"Minor units of currency; at most the price is kept."`
}

// Given reports whether there is a policy.
func (p CancellationPolicy) Given() bool { return p.Steps != nil || p.NoShow != nil }

// check returns problem.ValidationFailed for the first field that is out of bounds or out of order.
func (p CancellationPolicy) check() error {
	const field = "cancellation_policy."
	checks := []error{problem.CheckRange(field+"steps", len(p.Steps), 0, maxCancellationSteps)}
	for i, s := range p.Steps {
		step := fmt.Sprintf("%ssteps[%d]", field, i)
		checks = append(checks, problem.CheckRange(step+".from_minutes", s.FromMinutes, 0, maxCancelFromMinutes),
			s.CancellationFee.check(step))
		if i > 0 && s.FromMinutes >= p.Steps[i-1].FromMinutes {
			checks = append(checks,
				problem.Invalid(step+".from_minutes", "too_large", "Expected fewer minutes than the step before has."))
		}
	}
	if p.NoShow != nil {
		checks = append(checks, p.NoShow.check(field+"no_show"))
	}
	return cmp.Or(checks...)
}

func (f CancellationFee) check(field string) error {
	switch {
	case f.Percent != nil && f.Amount != nil:
		return problem.Invalid(field+".amount", "excluded", "Leave out percent or amount.")
	case f.Percent != nil:
		return problem.CheckRange(field+".percent", *f.Percent, 0, 100)
	case f.Amount != nil:
		return problem.CheckRange(field+".amount", *f.Amount, 0, timetable.MaxAmount)
	}
	return problem.Invalid(field, "required", "Give percent or amount.")
}

// amount returns the fee of a booking of that price.
func (f CancellationFee) amount(price int64, currency string) int64 {
	if f.Percent != nil {
		return amount.Percent(price, *f.Percent, currency)
	}
	return min(*f.Amount, price)
}

// CancelFee returns what a cancellation at now costs of a price, in minor units of currency, and when the fee changes
// next, nil if it doesn't.
func (p CancellationPolicy) CancelFee(price int64, currency string, startsAt, now time.Time,
) (fee int64, changesAt *time.Time) {
	for _, s := range p.Steps {
		if from := startsAt.Add(-time.Duration(s.FromMinutes) * time.Minute); now.Before(from) {
			return fee, &from
		}
		fee = s.amount(price, currency)
	}
	return fee, nil
}

// NoShowFee returns what is kept of a price, in minor units of currency, of a booking whose customer didn't come; all
// of it unless the policy says less.
func (p CancellationPolicy) NoShowFee(price int64, currency string) int64 {
	if p.NoShow == nil {
		return price
	}
	return p.NoShow.amount(price, currency)
}
