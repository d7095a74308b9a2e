package booking

import (
	"fmt"
	"regexp"
	"time"

	"cloud.google.com/go/civil"

	"holdfast/internal/problem"
)

// Years outside of these are typing errors; the bounds keep every date that is computed from one within what
// PostgreSQL and RFC 3339 can say.
const (
	minYear = 1900
	maxYear = 9000
)

// ParseDate reads a date such as 2027-07-01. Errors: problem.ValidationFailed for the field.
func ParseDate(field, text string) (civil.Date, error) {
	d, err := civil.ParseDate(text)
	if err != nil {
		return d, problem.Invalid(field, "invalid_format", "Expected a date, such as 2027-07-01.")
	}
	return d, nil
}

// timePattern refuses what time.Parse reads beyond RFC 3339: hours of one digit, commas, and offsets of 24 hours and more.
var timePattern = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

// ParseTime reads an RFC 3339 time such as 2027-07-01T10:00:00+02:00, in its offset. Errors: problem.ValidationFailed for the field.
func ParseTime(field, text string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil || !timePattern.MatchString(text) {
		return t, problem.Invalid(field, "invalid_format", "Expected an RFC 3339 time with an offset, such as 2027-07-01T10:00:00+02:00.")
	}
	return t, nil
}

func checkDate(field string, d civil.Date) error {
	if d.Year < minYear || d.Year > maxYear {
		return problem.Invalid(field, "out_of_range", fmt.Sprintf("Expected a year from %d to %d.", minYear, maxYear))
	}
	return nil
}
