// Package datetime reads dates and times as requests give them, and knows the civil dates of a time zone.
package datetime

import (
	"fmt"
	"regexp"
	"time"

	"cloud.google.com/go/civil"

	"holdfast/internal/problem"
)

// MinutesPerDay is the wall-clock length of a civil date; "24:00" is minute 1440.
const MinutesPerDay = 24 * 60

// Years outside of these are typing errors; the bounds keep every date that is computed from one within what
// PostgreSQL and RFC 3339 can say.
const (
	MinYear = 1900
	MaxYear = 9000
)

// ParseDate reads a date such as 2027-07-01. Errors: problem.ValidationFailed for the field.
func ParseDate(field, text string) (civil.Date, error) {
	d, err := civil.ParseDate(text)
	if err != nil {
		return d, problem.Invalid(field, "invalid_format", "Expected a date, such as 2027-07-01.")
	}
	return d, nil
}

// ParseOptionalDate is ParseDate for a field that may be empty: nil then.
func ParseOptionalDate(field, text string) (*civil.Date, error) {
	if text == "" {
		return nil, nil
	}
	d, err := ParseDate(field, text)
	return &d, err
}

// timePattern refuses what time.Parse reads beyond RFC 3339: hours of one digit, commas, and offsets of 24 hours and
// more.
var timePattern = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

// ParseTime reads an RFC 3339 time such as 2027-07-01T10:00:00+02:00, in its offset. Errors: problem.ValidationFailed
// for the field.
func ParseTime(field, text string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil || !timePattern.MatchString(text) {
		return t, problem.Invalid(field, "invalid_format",
			"Expected an RFC 3339 time with an offset, such as 2027-07-01T10:00:00+02:00.")
	}
	return t, nil
}

// CheckDate returns problem.ValidationFailed for a year that is out of bounds.
func CheckDate(field string, d civil.Date) error {
	if d.Year < MinYear || d.Year > MaxYear {
		return problem.Invalid(field, "out_of_range", fmt.Sprintf("Expected a year from %d to %d.", MinYear, MaxYear))
	}
	return nil
}

// DateOf returns the civil date in loc at t.
func DateOf(t time.Time, loc *time.Location) civil.Date { return civil.DateOf(t.In(loc)) }

// DatesBetween returns the civil dates from first to last.
func DatesBetween(first, last civil.Date) (dates []civil.Date) {
	for d := first; !d.After(last); d = d.AddDays(1) {
		dates = append(dates, d)
	}
	return dates
}
