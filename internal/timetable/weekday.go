package timetable

import (
	"fmt"
	"slices"
	"time"

	"holdfast/internal/problem"
)

// Weekday is a day of the week by its English name, as the API spells it.
type Weekday string

// weekdays has the names in the order of time.Weekday.
var weekdays = []Weekday{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}

// WeekdayOf returns the name of a day of the week.
func WeekdayOf(day time.Weekday) Weekday { return weekdays[day] }

// Values returns the names, with Monday first.
func (Weekday) Values() []string {
	return []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}
}

// day returns the day of the week, -1 for a name of none.
func (w Weekday) day() time.Weekday { return time.Weekday(slices.Index(weekdays, w)) }

// checkWeekdays returns problem.ValidationFailed for a name that is none of a weekday, and for one that is listed
// twice.
func checkWeekdays(field string, list []Weekday) error {
	for i, w := range list {
		if w.day() < 0 {
			return problem.Invalid(fmt.Sprintf("%s[%d]", field, i), "not_one_of", "Expected a weekday.")
		}
		if slices.Contains(list[:i], w) {
			return problem.Invalid(fmt.Sprintf("%s[%d]", field, i), "duplicate", "The weekday is listed already.")
		}
	}
	return nil
}
