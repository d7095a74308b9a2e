package booking

import (
	"time"

	"cloud.google.com/go/civil"
)

// minutesPerDay is the wall-clock length of a civil date; "24:00" is minute 1440.
const minutesPerDay = 24 * 60

const (
	secondsPerDay = 24 * 60 * 60
	// maxChanges bounds the changes of a zone's clocks on one date. No zone has more than one.
	maxChanges = 3
)

// localDay is a civil date in a time zone. All its times are Unix times in seconds.
type localDay struct {
	date civil.Date
	// start is the date's first moment. If clocks skip the date, it is the moment at which they skip it.
	start    int64
	midnight int64 // 00:00 of the date in UTC
	periods  [1 + maxChanges]offsetPeriod
	n        int
}

// offsetPeriod is the part [from, until) of a date with one offset from UTC, in seconds.
type offsetPeriod struct{ from, until, offset int64 }

// localDayOf returns a date in loc. Most dates have one period, a date on which clocks change has two, and a date that they skip
// has none.
func localDayOf(d civil.Date, loc *time.Location) localDay {
	day := localDay{date: d, midnight: d.In(time.UTC).Unix()}
	found := false
	// No offset is as much as a day.
	for at, end := day.midnight-secondsPerDay, day.midnight+2*secondsPerDay; at < end; {
		local := time.Unix(at, 0).In(loc)
		_, seconds := local.Zone()
		_, change := local.ZoneBounds()
		offset, until := int64(seconds), end
		if !change.IsZero() {
			until = change.Unix()
		}
		if until <= at { // on the last day of a leap year ZoneBounds may return an end that is over
			until = at + secondsPerDay
		}
		p := offsetPeriod{max(at, day.midnight-offset), min(until, day.midnight+secondsPerDay-offset), offset}
		if !found && p.from < until {
			day.start, found = p.from, true
		}
		switch last := day.n - 1; {
		case p.from >= p.until:
		case last >= 0 && day.periods[last].until == p.from && day.periods[last].offset == offset: // only the zone's name changes
			day.periods[last].until = p.until
		case day.n < len(day.periods):
			day.periods[day.n] = p
			day.n++
		}
		at = until
	}
	return day
}

// moments appends the moments at which clocks show a minute of the date: one on most days, none in the hour that is skipped in
// spring, two in the hour that is repeated in autumn, the earlier first.
func (d *localDay) moments(list []int64, minute int) []int64 {
	for _, p := range d.periods[:d.n] {
		if at := d.midnight + int64(minute)*60 - p.offset; p.from <= at && at < p.until {
			list = append(list, at)
		}
	}
	return list
}

// first returns the earliest moment at which clocks show a minute of the date or, where they skip it, the moment at which they skip.
func (d *localDay) first(minute int) int64 {
	var found [1 + maxChanges]int64
	if at := d.moments(found[:0], minute); len(at) > 0 {
		return at[0]
	}
	return d.skipped(minute)
}

// last is first with the later of two moments.
func (d *localDay) last(minute int) int64 {
	var found [1 + maxChanges]int64
	if at := d.moments(found[:0], minute); len(at) > 0 {
		return at[len(at)-1]
	}
	return d.skipped(minute)
}

// skipped returns the moment of the change that skips a minute of the date.
func (d *localDay) skipped(minute int) int64 {
	for _, p := range d.periods[:d.n] {
		if d.midnight+int64(minute)*60 < p.from+p.offset {
			return p.from
		}
	}
	if d.n == 0 {
		return d.start
	}
	return d.periods[d.n-1].until
}

// localDays are the dates of a time zone. Those of the last month that were asked for are kept.
type localDays struct {
	loc  *time.Location
	kept [32]localDay // by the day of the month
	// fixed is the zone of offset, in seconds.
	fixed  *time.Location
	offset int64
}

// on returns a date. The pointer is valid until the same day of another month is asked for.
func (l *localDays) on(d civil.Date) *localDay {
	day := &l.kept[d.Day]
	if day.date != d {
		*day = localDayOf(d, l.loc)
	}
	return day
}

// time returns a moment in the time zone; d is the moment's date, or near it.
func (l *localDays) time(d civil.Date, at int64) time.Time {
	for _, p := range l.on(d).periods {
		if p.from <= at && at < p.until {
			return time.Unix(at, 0).In(l.fixedZone(p.offset)) // to look the offset up again takes longer
		}
	}
	return time.Unix(at, 0).In(l.loc)
}

func (l *localDays) fixedZone(offset int64) *time.Location {
	if l.fixed == nil || l.offset != offset {
		l.fixed, l.offset = time.FixedZone("", int(offset)), offset
	}
	return l.fixed
}

// closing returns the moment at which hours that begin on a date end. A minute after minutesPerDay is on the next date.
func (l *localDays) closing(d civil.Date, minute int) int64 {
	switch next := d.AddDays(1); {
	case minute == minutesPerDay:
		return l.on(next).start
	case minute > minutesPerDay:
		return l.on(next).last(minute - minutesPerDay)
	default:
		return l.on(d).last(minute)
	}
}

// startOfDay returns the first moment of a civil date in loc.
func startOfDay(d civil.Date, loc *time.Location) time.Time {
	return time.Unix(localDayOf(d, loc).start, 0).In(loc)
}

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
