package console

import (
	"net/url"
	"time"

	"cloud.google.com/go/civil"

	"holdfast/internal/datetime"
	"holdfast/internal/problem"
)

// Formats of fields with a date and a time of day, and with a time of day.
const (
	fieldFormat = "2006-01-02T15:04"
	clockFormat = "15:04"
)

// momentsOf returns the moments at which the tenant's clocks show a date and a time of day: two in the hour that is repeated in autumn.
// Errors: problem.ValidationFailed.
func momentsOf(field, text string, loc *time.Location) ([]time.Time, error) {
	local, err := time.Parse(fieldFormat, text)
	if err == nil {
		if found := datetime.MomentsOf(civil.DateOf(local), local.Hour()*60+local.Minute(), loc); len(found) > 0 {
			return found, nil
		}
	}
	return nil, problem.Invalid(field, "invalid_format", "Expected a date and a time of day that the clocks show.")
}

// fieldOffset is the field that says which of two moments is meant at which clocks show the same time: its offset from UTC.
const (
	fieldOffset  = "offset"
	offsetFormat = "-07:00"
)

// slotStart returns when a slot begins that fields name. Of two moments at which clocks show its time it is the one of the offset that the
// fields give. Without one it keeps the offset of before on the same date, and otherwise it is the first. before is the zero time for a new
// booking. Errors: problem.ValidationFailed.
func slotStart(fields url.Values, date civil.Date, before time.Time, loc *time.Location) (time.Time, error) {
	clock, err := time.Parse(clockFormat, fields.Get("time"))
	if err != nil {
		return clock, problem.Invalid("time", "invalid_format", "Expected a time of day such as 09:30.")
	}
	found := datetime.MomentsOf(date, clock.Hour()*60+clock.Minute(), loc)
	if len(found) == 0 {
		return clock, problem.Invalid("time", "nonexistent_time", "Clocks skip this time on that day.")
	}
	offset := fields.Get(fieldOffset)
	if offset == "" && datetime.DateOf(before, loc) == date {
		offset = before.In(loc).Format(offsetFormat)
	}
	for _, at := range found {
		if at.Format(offsetFormat) == offset {
			return at, nil
		}
	}
	return found[0], nil
}

// whichOf are the moments among which a field chooses, when clocks show the time of a slot twice; none otherwise.
func whichOf(at time.Time) (choices []tickedOption) {
	found := datetime.MomentsOf(civil.DateOf(at), at.Hour()*60+at.Minute(), at.Location())
	if len(found) < 2 {
		return nil
	}
	order := "the first "
	for _, one := range found {
		choices = append(choices, tickedOption{
			Value: one.Format(offsetFormat), Label: order + datetime.Clock(one), Ticked: one.Equal(at),
		})
		order = "the second "
	}
	return choices
}
