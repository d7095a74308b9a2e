package timezone

import "time"

const (
	secondsPerDay = 24 * 60 * 60
	// maxChanges bounds the changes of a zone's clocks on one date. No zone has more than one.
	maxChanges = 3
)

// Day is a civil date in a time zone. All its times are Unix times in seconds. A minute of it is wall-clock time: the
// number of minutes after 00:00.
type Day struct {
	start    int64
	midnight int64 // 00:00 of the date in UTC
	periods  [1 + maxChanges]offsetPeriod
	n        int
}

// offsetPeriod is the part [from, until) of a date with one offset from UTC, in seconds.
type offsetPeriod struct{ from, until, offset int64 }

// DayOf returns a date in loc. Most dates have one period, a date on which clocks change has two, and a date that they
// skip has none.
func DayOf(year int, month time.Month, dayOfMonth int, loc *time.Location) Day {
	day := Day{midnight: time.Date(year, month, dayOfMonth, 0, 0, 0, 0, time.UTC).Unix()}
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
		// only the zone's name changes
		case last >= 0 && day.periods[last].until == p.from && day.periods[last].offset == offset:
			day.periods[last].until = p.until
		case day.n < len(day.periods):
			day.periods[day.n] = p
			day.n++
		}
		at = until
	}
	return day
}

// Start returns the date's first moment. If clocks skip the date, it is the moment at which they skip it.
func (d *Day) Start() int64 { return d.start }

// Midnight returns 00:00 of the date in UTC. It is the same in every time zone.
func (d *Day) Midnight() int64 { return d.midnight }

// Offset returns the offset from UTC in seconds at a moment of the date. It is not ok for a moment of another date.
func (d *Day) Offset(at int64) (seconds int64, ok bool) {
	for _, p := range d.periods[:d.n] {
		if p.from <= at && at < p.until {
			return p.offset, true
		}
	}
	return 0, false
}

// Moments appends the moments at which clocks show a minute of the date: one on most days, none in the hour that is
// skipped in spring, two in the hour that is repeated in autumn, the earlier first.
func (d *Day) Moments(list []int64, minute int) []int64 {
	for _, p := range d.periods[:d.n] {
		if at := d.midnight + int64(minute)*60 - p.offset; p.from <= at && at < p.until {
			list = append(list, at)
		}
	}
	return list
}

// First returns the earliest moment at which clocks show a minute of the date or, where they skip it, the moment at
// which they skip.
func (d *Day) First(minute int) int64 {
	var found [1 + maxChanges]int64
	if at := d.Moments(found[:0], minute); len(at) > 0 {
		return at[0]
	}
	return d.Skipped(minute)
}

// Last is First with the later of two moments.
func (d *Day) Last(minute int) int64 {
	var found [1 + maxChanges]int64
	if at := d.Moments(found[:0], minute); len(at) > 0 {
		return at[len(at)-1]
	}
	return d.Skipped(minute)
}

// Skipped returns the moment of the change that skips a minute of the date.
func (d *Day) Skipped(minute int) int64 {
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
