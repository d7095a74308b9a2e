package form

import (
	"time"

	"cloud.google.com/go/civil"

	"holdfast/internal/datetime"
	"holdfast/internal/problem"
)

// MomentFormat is the format of fields with a date and a time of day.
const MomentFormat = "2006-01-02T15:04"

// Moments returns the moments at which the tenant's clocks show a date and a time of day: two in the hour that is
// repeated in autumn. Errors: problem.ValidationFailed.
func Moments(field, text string, loc *time.Location) ([]time.Time, error) {
	local, err := time.Parse(MomentFormat, text)
	if err == nil {
		if found := datetime.MomentsOf(civil.DateOf(local), local.Hour()*60+local.Minute(), loc); len(found) > 0 {
			return found, nil
		}
	}
	return nil, problem.Invalid(field, "invalid_format", "Expected a date and a time of day that the clocks show.")
}
