package booking

import (
	"fmt"

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

func checkDate(field string, d civil.Date) error {
	if d.Year < minYear || d.Year > maxYear {
		return problem.Invalid(field, "out_of_range", fmt.Sprintf("Expected a year from %d to %d.", minYear, maxYear))
	}
	return nil
}

func between(field string, value, low, high int64) error {
	switch {
	case value < low:
		return problem.Invalid(field, "too_small", fmt.Sprintf("Expected at least %d.", low))
	case value > high:
		return problem.Invalid(field, "too_large", fmt.Sprintf("Expected at most %d.", high))
	}
	return nil
}
