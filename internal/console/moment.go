package console

import (
	"time"

	"holdfast/internal/problem"
)

// fieldFormat is how a field has a date with a time of day.
const fieldFormat = "2006-01-02T15:04"

// momentOf returns a time of the tenant's clocks as the API has it. Errors: problem.ValidationFailed.
func momentOf(field, text string, loc *time.Location) (*string, error) {
	at, err := time.ParseInLocation(fieldFormat, text, loc)
	if err != nil || at.Format(fieldFormat) != text {
		return nil, problem.Invalid(field, "invalid_format", "Expected a date and a time of day that the clocks show.")
	}
	moment := at.Format(time.RFC3339)
	return &moment, nil
}
