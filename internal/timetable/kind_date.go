package timetable

import (
	"time"

	"cloud.google.com/go/civil"

	"holdfast/internal/datetime"
	"holdfast/internal/problem"
)

// dateKind books whole civil dates, also where a booking begins and ends by the clock.
type dateKind struct{}

func (dateKind) timeOf(r *Rules, w When) (BookingTime, error) {
	err := w.only("The service is sold by the date; give date.", "date")
	switch {
	case err != nil:
		return BookingTime{}, err
	case w.Date == nil:
		return BookingTime{}, problem.Invalid("date", "required", "The service is sold by the date.")
	case datetime.CheckDate("", *w.Date) != nil:
		return BookingTime{}, outsideWindow()
	}
	days := localDays{loc: r.Loc}
	start, end := r.onDate(*w.Date, &days)
	at := BookingTime{Date: *w.Date, Start: time.Unix(start, 0).In(r.Loc), End: time.Unix(end, 0).In(r.Loc)}
	if start >= end {
		return at, problem.Invalid("date", "nonexistent_time",
			"Clocks in the tenant's time zone skip this date, or the booking's time on it.")
	}
	from, until := r.busyOnDate(*w.Date, end, &days)
	at.BusyFrom, at.BusyUntil = time.Unix(from, 0).In(r.Loc), time.Unix(until, 0).In(r.Loc)
	return at, nil
}

// onDate returns when a booking of a date begins and ends, as Unix times in seconds. Where clocks skip the date, or all
// of the booking's time, the end isn't after the start.
func (r *Rules) onDate(d civil.Date, days *localDays) (start, end int64) {
	s, next := &r.Service, d.AddDays(1)
	switch {
	case !days.exists(d):
		return 0, 0
	case s.Starts == "":
		return days.day(d).Start(), days.day(next).Start()
	case s.EndsNextDate():
		return days.clockOn(d, s.StartsMinute()), days.clockOn(next, s.EndsMinute())
	case s.EndsMinute() == 0:
		return days.clockOn(d, s.StartsMinute()), days.day(next).Start()
	}
	return days.clockOn(d, s.StartsMinute()), days.clockOn(d, s.EndsMinute())
}

// busyOnDate returns what a booking of a date that ends at a moment occupies with its buffers, as Unix times in
// seconds: whole dates.
func (r *Rules) busyOnDate(d civil.Date, end int64, days *localDays) (from, until int64) {
	return r.busy(d, days.day(d).Start(), r.lastMidnight(end, days), days)
}

// lastMidnight returns when the date ends on which a booking is that ends at a moment, as Unix times in seconds.
func (r *Rules) lastMidnight(end int64, days *localDays) int64 {
	return days.day(datetime.DateOf(time.Unix(end-1, 0), r.Loc).AddDays(1)).Start()
}

func (dateKind) whenOf(_ *Rules, has BookingTime, given When) When {
	if given.Date == nil {
		given.Date = &has.Date
	}
	return given
}

func (dateKind) isAt(_ *Rules, has, at BookingTime) bool { return has.Date == at.Date }

func (dateKind) checkLength(*Rules, BookingTime) error { return nil }

func (dateKind) isOpen(r *Rules, res *Resource, at BookingTime) bool {
	return len(r.open(res, at.Date)) > 0
}

func (dateKind) openDates(_ *Rules, at BookingTime) []civil.Date { return []civil.Date{at.Date} }

func (dateKind) isStart(*Rules, *Resource, BookingTime) bool { return true }

// earliest counts the lead time to the beginning of the booking. Without a lead time, the current date can be booked
// until the booking ends.
func (dateKind) earliest(r *Rules, leadEnd time.Time) time.Time {
	return r.earliestOn(leadEnd, func(d civil.Date) (start, end int64) {
		return r.onDate(d, &localDays{loc: r.Loc})
	})
}

// earliestOn returns the first moment at which a booking can begin, if on each date it begins and ends at one time, in
// Unix time in seconds.
func (r *Rules) earliestOn(leadEnd time.Time, times func(civil.Date) (start, end int64)) time.Time {
	d := datetime.DateOf(leadEnd, r.Loc)
	start, end := times(d)
	if r.Service.MinLeadMinutes == 0 {
		if !leadEnd.Before(time.Unix(end, 0)) {
			d = d.AddDays(1)
		}
		return datetime.StartOfDay(d, r.Loc)
	}
	if time.Unix(start, 0).Before(leadEnd) {
		d = d.AddDays(1)
		if start, _ = times(d); start == 0 {
			return datetime.StartOfDay(d, r.Loc)
		}
	}
	return time.Unix(start, 0).In(r.Loc)
}

func (dateKind) ofLength(r *Rules, q AvailabilityQuery) (*Rules, int, error) {
	return r, 0, q.checkLength()
}

func (dateKind) free(a *availability, d civil.Date, full bool, _ *listing) (day Day, cut bool) {
	return a.onDate(d, full), false
}

func (dateKind) pageDates(*Rules, bool) int { return MaxAvailabilityDays }
