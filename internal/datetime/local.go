package datetime

import (
	"time"

	"cloud.google.com/go/civil"

	"holdfast/internal/problem"
	"holdfast/internal/timezone"
)

// ParseLocalTime reads an RFC 3339 time and returns it in loc, the tenant's time zone. Any offset names a moment. But a
// time whose offset is one of the tenant's own, except UTC, was meant as wall-clock time there, and is refused when
// clocks skip it. Errors: problem.ValidationFailed for the field.
func ParseLocalTime(field, text string, loc *time.Location) (time.Time, error) {
	t, err := ParseTime(field, text)
	if err != nil {
		return t, err
	}
	if _, given := t.Zone(); given != 0 {
		date, minute := civil.DateOf(t), t.Hour()*60+t.Minute()
		day := timezone.DayOf(date.Year, date.Month, date.Day, loc)
		if CheckDate("", date) == nil && len(day.Moments(nil, minute)) == 0 {
			change := time.Unix(day.Skipped(minute), 0)
			_, before := change.Add(-1).In(loc).Zone()
			_, after := change.In(loc).Zone()
			if given == before || given == after {
				return t, problem.Invalid(field, "nonexistent_time", "Clocks in the tenant's time zone skip this time.")
			}
		}
	}
	return t.In(loc), nil
}

// MomentsOf returns the moments at which clocks in loc show a time of day, in minutes, on a date: none if they skip it,
// two if they show it twice, the earlier first.
func MomentsOf(date civil.Date, minute int, loc *time.Location) (list []time.Time) {
	day := timezone.DayOf(date.Year, date.Month, date.Day, loc)
	for _, at := range day.Moments(nil, minute) {
		list = append(list, time.Unix(at, 0).In(loc))
	}
	return list
}

// StartOfDay returns the first moment of a civil date in loc, also where clocks skip its midnight.
func StartOfDay(d civil.Date, loc *time.Location) time.Time {
	day := timezone.DayOf(d.Year, d.Month, d.Day, loc)
	return time.Unix(day.Start(), 0).In(loc)
}

// DatesIn returns the civil dates in loc that the time [from, until) touches.
func DatesIn(from, until time.Time, loc *time.Location) []civil.Date {
	return DatesBetween(DateOf(from, loc), DateOf(until.Add(-1), loc))
}
