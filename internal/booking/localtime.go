package booking

import (
	"slices"
	"time"

	"cloud.google.com/go/civil"
)

// minutesPerDay is the wall-clock length of a civil date; "24:00" is minute 1440.
const minutesPerDay = 24 * 60

// instants returns the moments at which clocks in loc show the given minute of a civil date: one on most days,
// none in the hour that is skipped in spring, two in the hour that is repeated in autumn, the earlier first.
func instants(d civil.Date, minute int, loc *time.Location) []time.Time {
	// The wall clock as if it were UTC; each offset that loc has around then gives a candidate.
	wall := time.Date(d.Year, d.Month, d.Day, 0, minute, 0, 0, time.UTC)
	near := time.Date(d.Year, d.Month, d.Day, 0, minute, 0, 0, loc)
	from, until := near.ZoneBounds()
	sample := []time.Time{near}
	if !from.IsZero() {
		sample = append(sample, from.Add(-1))
	}
	if !until.IsZero() {
		sample = append(sample, until)
	}
	var found []time.Time
	for _, s := range sample {
		_, offset := s.In(loc).Zone()
		t := wall.Add(-time.Duration(offset) * time.Second).In(loc)
		if showsWall(t, wall) && !slices.ContainsFunc(found, t.Equal) {
			found = append(found, t)
		}
	}
	slices.SortFunc(found, time.Time.Compare)
	return found
}

// instantsOf returns instants for one date. On a date without a change of the clock, which most are, that is an
// addition.
func instantsOf(d civil.Date, loc *time.Location) func(minute int) []time.Time {
	start, next := startOfDay(d, loc), startOfDay(d.AddDays(1), loc)
	if !start.Before(next) { // a zone that moves over the date line skips a whole date
		return func(int) []time.Time { return nil }
	}
	if _, change := start.ZoneBounds(); !change.IsZero() && change.Before(next) {
		return func(minute int) []time.Time { return instants(d, minute, loc) }
	}
	first := start.Hour()*60 + start.Minute() // not midnight if the clock changed to this date's first moment
	return func(minute int) []time.Time {
		at := start.Add(time.Duration(minute-first) * time.Minute)
		if at.Before(start) || !at.Before(next) { // clocks skip the date's first minutes, or its last ones
			return nil
		}
		return []time.Time{at}
	}
}

// showsWall reports whether the clock at t shows the same date and time as wall does in UTC.
func showsWall(t, wall time.Time) bool {
	_, offset := t.Zone()
	return t.Add(time.Duration(offset) * time.Second).Equal(wall)
}

// firstInstant returns the earliest moment at which clocks in loc show the given minute of a date or, where
// they skip it, the moment at which they skip.
func firstInstant(d civil.Date, minute int, loc *time.Location) time.Time {
	if at := instants(d, minute, loc); len(at) > 0 {
		return at[0]
	}
	return skipped(d, minute, loc)
}

// lastInstant is firstInstant with the later of two moments.
func lastInstant(d civil.Date, minute int, loc *time.Location) time.Time {
	if at := instants(d, minute, loc); len(at) > 0 {
		return at[len(at)-1]
	}
	return skipped(d, minute, loc)
}

// skipped returns the moment of the change that skips a minute of a date.
func skipped(d civil.Date, minute int, loc *time.Location) time.Time {
	wall := time.Date(d.Year, d.Month, d.Day, 0, minute, 0, 0, time.UTC)
	near := time.Date(d.Year, d.Month, d.Day, 0, minute, 0, 0, loc)
	_, offset := near.Zone()
	from, until := near.ZoneBounds()
	if near.Add(time.Duration(offset) * time.Second).After(wall) {
		return from
	}
	return until
}

// startOfDay returns the first moment of a civil date in loc.
func startOfDay(d civil.Date, loc *time.Location) time.Time { return firstInstant(d, 0, loc) }

// dateOf returns the civil date in loc at t.
func dateOf(t time.Time, loc *time.Location) civil.Date { return civil.DateOf(t.In(loc)) }

// datesOf returns the civil dates in loc that the period [from, until) touches.
func datesOf(from, until time.Time, loc *time.Location) []civil.Date {
	return datesBetween(dateOf(from, loc), dateOf(until.Add(-1), loc))
}

// datesBetween returns the civil dates from first to last.
func datesBetween(first, last civil.Date) (dates []civil.Date) {
	for d := first; !d.After(last); d = d.AddDays(1) {
		dates = append(dates, d)
	}
	return dates
}
