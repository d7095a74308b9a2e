package timetable

import (
	"strconv"

	"cloud.google.com/go/civil"

	"holdfast/internal/problem"
)

// PartOfYear is the dates from one to another, both included, in the tenant's time zone: between two dates, of which
// one may be absent, or between two days of each year, also over new year. The zero value has every date.
type PartOfYear struct {
	From string `json:"from,omitempty" pattern:"^([0-9]{4}-)?[0-9]{2}-[0-9]{2}$" example:"06-01" doc:"First date: a month and day of each year, or a date such as 2027-06-01."`
	To   string `json:"to,omitempty" pattern:"^([0-9]{4}-)?[0-9]{2}-[0-9]{2}$" example:"08-31" doc:"Last date, in the form of from. A part of each year may go over new year."`
}

// hasEveryDate reports whether nothing bounds it.
func (p PartOfYear) hasEveryDate() bool { return p == PartOfYear{} }

// contains reports whether a date is in it.
func (p PartOfYear) contains(d civil.Date) bool {
	n := dayNumber(d.Year, int(d.Month), d.Day)
	first, last := numberOfDay(p.From), numberOfDay(p.To)
	if max(first, last) < firstDayOfYears && !p.hasEveryDate() { // of each year
		return withinYear(n%firstDayOfYears, first, last)
	}
	return first <= n && (p.To == "" || n <= last)
}

// check returns problem.ValidationFailed for dates that don't exist or contradict each other.
func (p PartOfYear) check(prefix string) error {
	if p.hasEveryDate() {
		return nil
	}
	isDate := func(text string) bool { return len(text) != len("06-01") } // an absent one bounds nothing
	if isDate(p.From) != isDate(p.To) {
		return problem.Invalid(prefix+"to", "invalid_format",
			"Give from and to alike: both with a year, or both without.")
	}
	for _, given := range []struct{ field, text string }{{"from", p.From}, {"to", p.To}} {
		if given.text == "" {
			continue
		}
		if _, err := seasonDate(prefix+given.field, given.text); err != nil {
			return err
		}
	}
	if isDate(p.From) && p.From != "" && p.To != "" && p.To < p.From {
		return problem.Invalid(prefix+"to", "before_from", "Expected a date that is not before from.")
	}
	return nil
}

// firstDayOfYears is more than the number of each day without a year.
const firstDayOfYears = 1_00_00

// dayNumber returns a number that grows with the date. A day of each year has the year 0.
func dayNumber(year, month, day int) int { return year*firstDayOfYears + month*1_00 + day }

// numberOfDay reads the number of a day such as 06-01 or 2027-06-01, whose form is checked; zero for none.
func numberOfDay(text string) int {
	if text == "" {
		return 0
	}
	of := func(from, to int) int {
		n, _ := strconv.Atoi(text[from:to])
		return n
	}
	end := len(text)
	year := 0
	if end > len("06-01") {
		year = of(0, end-len("-06-01"))
	}
	return dayNumber(year, of(end-5, end-3), of(end-2, end))
}

// withinYear reports whether a day of the year is within two others, both included, also over new year. The days are
// numbers without a year.
func withinYear(day, first, last int) bool {
	if first <= last {
		return first <= day && day <= last
	}
	return first <= day || day <= last
}
