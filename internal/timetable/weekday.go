package timetable

import (
	"fmt"
	"slices"
	"time"

	"holdfast/internal/problem"
)

// Weekdays are the names of the days of the week, as the API spells them, in the order of time.Weekday.
var Weekdays = []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}

func weekdayOf(name string) time.Weekday {
	for i, w := range Weekdays {
		if w == name {
			return time.Weekday(i)
		}
	}
	return -1 // the schema lets no other name through
}

// checkWeekdays returns problem.ValidationFailed for a name that is none of a weekday, and for one that is listed
// twice.
func checkWeekdays(field string, names []string) error {
	for i, day := range names {
		if weekdayOf(day) < 0 {
			return problem.Invalid(fmt.Sprintf("%s[%d]", field, i), "not_one_of", "Expected a weekday.")
		}
		if slices.Contains(names[:i], day) {
			return problem.Invalid(fmt.Sprintf("%s[%d]", field, i), "duplicate", "The weekday is listed already.")
		}
	}
	return nil
}
