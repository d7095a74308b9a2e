package timetable

import (
	"time"

	"cloud.google.com/go/civil"

	"holdfast/internal/datetime"
	"holdfast/internal/timezone"
)

// localDayOf returns a date in loc.
func localDayOf(d civil.Date, loc *time.Location) timezone.Day {
	return timezone.DayOf(d.Year, d.Month, d.Day, loc)
}

// localDays are the dates of a time zone. Those of the last month that were asked for are kept.
type localDays struct {
	loc  *time.Location
	kept [32]struct { // by the day of the month
		date civil.Date
		day  timezone.Day
	}
	// fixed is the zone of offset, in seconds.
	fixed  *time.Location
	offset int64
}

// day returns a date. The pointer is valid until the same day of another month is asked for.
func (l *localDays) day(d civil.Date) *timezone.Day {
	kept := &l.kept[d.Day]
	if kept.date != d {
		kept.date, kept.day = d, localDayOf(d, l.loc)
	}
	return &kept.day
}

// time returns a moment in the time zone; d is the moment's date, or near it.
func (l *localDays) time(d civil.Date, at int64) time.Time {
	if offset, ok := l.day(d).Offset(at); ok {
		return time.Unix(at, 0).In(l.fixedZone(offset)) // to look the offset up again takes longer
	}
	return time.Unix(at, 0).In(l.loc)
}

func (l *localDays) fixedZone(offset int64) *time.Location {
	if l.fixed == nil || l.offset != offset {
		l.fixed, l.offset = time.FixedZone("", int(offset)), offset
	}
	return l.fixed
}

// closing returns the moment at which hours that begin on a date end. A minute after datetime.MinutesPerDay is on the
// next date.
func (l *localDays) closing(d civil.Date, minute int) int64 {
	switch next := d.AddDays(1); {
	case minute == datetime.MinutesPerDay:
		return l.day(next).Start()
	case minute > datetime.MinutesPerDay:
		return l.day(next).Last(minute - datetime.MinutesPerDay)
	default:
		return l.day(d).Last(minute)
	}
}

// exists reports whether a date has a moment in the time zone: clocks may skip it.
func (l *localDays) exists(d civil.Date) bool { return l.day(d).Start() < l.day(d.AddDays(1)).Start() }

// next returns the first date after d that exists, previous the last one before it.
func (l *localDays) next(d civil.Date) civil.Date {
	for d = d.AddDays(1); !l.exists(d); d = d.AddDays(1) {
	}
	return d
}

// previous is described with next.
func (l *localDays) previous(d civil.Date) civil.Date {
	for d = d.AddDays(-1); !l.exists(d); d = d.AddDays(-1) {
	}
	return d
}

// clockOn returns the first moment of a date at which clocks show a minute. Where they skip it, it is the first moment
// after, but at most the date's last minute: where they skip the end of a date, the moment after is of the next one.
func (l *localDays) clockOn(d civil.Date, minute int) int64 {
	return min(l.day(d).First(minute), l.day(d.AddDays(1)).Start()-60)
}

func minutes(n int) time.Duration { return time.Duration(n) * time.Minute }
