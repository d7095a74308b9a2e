package payment

import (
	"fmt"
	"time"

	"cloud.google.com/go/civil"

	"holdfast/internal/datetime"
	"holdfast/internal/problem"
)

// Years outside of these are typing errors.
const minYear, maxYear = 1900, 9000

// maxReconcileDays is how many of a tenant's dates one request compares.
const maxReconcileDays = 31

// Days are civil dates of a tenant, both included.
type Days struct{ From, To civil.Date }

// Period returns the first moment of the days in loc, and the first one after them.
func (d Days) Period(loc *time.Location) (from, until time.Time) {
	return datetime.StartOfDay(d.From, loc).In(loc), datetime.StartOfDay(d.To.AddDays(1), loc).In(loc)
}

// check returns problem.ValidationFailed or problem.TooManyDates for days that a request can't compare.
func (d Days) check() error {
	for _, given := range []struct {
		field string
		date  civil.Date
	}{{"from", d.From}, {"to", d.To}} {
		if given.date.Year < minYear || given.date.Year > maxYear {
			return problem.Invalid(given.field, "out_of_range", "Expected a year from 1900 to 9000.")
		}
	}
	switch n := d.To.DaysSince(d.From) + 1; {
	case n < 1:
		return problem.Invalid("to", "before_from", "Expected a date that is not before from.")
	case n > maxReconcileDays:
		return problem.New(problem.TooManyDates,
			fmt.Sprintf("At most %d dates are compared at a time.", maxReconcileDays))
	}
	return nil
}
