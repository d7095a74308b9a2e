package booking

import (
	"time"

	"cloud.google.com/go/civil"

	"holdfast/internal/datetime"
	"holdfast/internal/problem"
	"holdfast/internal/timetable"
)

// dateKind books whole civil dates, also where a booking begins and ends by the clock.
type dateKind struct{}

func (dateKind) timeOf(r *rules, w When) (bookingTime, error) {
	err := w.only("The service is sold by the date; give date.", "date")
	switch {
	case err != nil:
		return bookingTime{}, err
	case w.Date == nil:
		return bookingTime{}, problem.Invalid("date", "required", "The service is sold by the date.")
	case datetime.CheckDate("", *w.Date) != nil:
		return bookingTime{}, outsideWindow()
	}
	days := localDays{loc: r.loc}
	start, end := r.onDate(*w.Date, &days)
	at := bookingTime{date: *w.Date, start: time.Unix(start, 0).In(r.loc), end: time.Unix(end, 0).In(r.loc)}
	if start >= end {
		return at, problem.Invalid("date", "nonexistent_time",
			"Clocks in the tenant's time zone skip this date, or the booking's time on it.")
	}
	from, until := r.busyOnDate(*w.Date, end, &days)
	at.busyFrom, at.busyUntil = time.Unix(from, 0).In(r.loc), time.Unix(until, 0).In(r.loc)
	return at, nil
}

// onDate returns when a booking of a date begins and ends, as Unix times in seconds. Where clocks skip the date, or all of the booking's
// time, the end isn't after the start.
func (r *rules) onDate(d civil.Date, days *localDays) (start, end int64) {
	s, next := &r.service, d.AddDays(1)
	switch {
	case !days.exists(d):
		return 0, 0
	case s.Starts == "":
		return days.on(d).Start(), days.on(next).Start()
	case s.EndsNextDate():
		return days.clockOn(d, s.StartsMinute()), days.clockOn(next, s.EndsMinute())
	case s.EndsMinute() == 0:
		return days.clockOn(d, s.StartsMinute()), days.on(next).Start()
	}
	return days.clockOn(d, s.StartsMinute()), days.clockOn(d, s.EndsMinute())
}

// busyOnDate returns what a booking of a date that ends at a moment occupies with its buffers, as Unix times in seconds: whole dates.
func (r *rules) busyOnDate(d civil.Date, end int64, days *localDays) (from, until int64) {
	return r.busy(d, days.on(d).Start(), r.lastMidnight(end, days), days)
}

// lastMidnight returns when the date ends on which a booking is that ends at a moment, as Unix times in seconds.
func (r *rules) lastMidnight(end int64, days *localDays) int64 {
	return days.on(datetime.DateOf(time.Unix(end-1, 0), r.loc).AddDays(1)).Start()
}

func (dateKind) whenOf(_ *rules, has bookingTime, given When) When {
	if given.Date == nil {
		given.Date = &has.date
	}
	return given
}

func (dateKind) isAt(_ *rules, has, at bookingTime) bool { return has.date == at.date }

func (dateKind) checkLength(*rules, bookingTime) error { return nil }

func (dateKind) isOpen(r *rules, res *timetable.Resource, at bookingTime) bool {
	return len(r.open(res, at.date)) > 0
}

func (dateKind) openDates(_ *rules, at bookingTime) []civil.Date { return []civil.Date{at.date} }

func (dateKind) isStart(*rules, *timetable.Resource, bookingTime) bool { return true }

// earliest counts the lead time to the beginning of the booking. Without a lead time, the current date can be booked until the booking
// ends.
func (dateKind) earliest(r *rules, leadEnd time.Time) time.Time {
	return r.earliestOn(leadEnd, func(d civil.Date) (start, end int64) {
		return r.onDate(d, &localDays{loc: r.loc})
	})
}

// earliestOn returns the first moment at which a booking can begin, if on each date it begins and ends at one time, in Unix time in
// seconds.
func (r *rules) earliestOn(leadEnd time.Time, times func(civil.Date) (start, end int64)) time.Time {
	d := datetime.DateOf(leadEnd, r.loc)
	start, end := times(d)
	if r.service.MinLeadMinutes == 0 {
		if !leadEnd.Before(time.Unix(end, 0)) {
			d = d.AddDays(1)
		}
		return startOfDay(d, r.loc)
	}
	if time.Unix(start, 0).Before(leadEnd) {
		d = d.AddDays(1)
		if start, _ = times(d); start == 0 {
			return startOfDay(d, r.loc)
		}
	}
	return time.Unix(start, 0).In(r.loc)
}

func (dateKind) ofLength(r *rules, q AvailabilityQuery) (*rules, int, error) {
	return r, 0, q.checkLength()
}

func (dateKind) free(a *availability, d civil.Date, full bool, _ *listing) (day Day, cut bool) {
	return a.onDate(d, full), false
}

func (dateKind) pageDates(*rules, bool) int { return MaxAvailabilityDays }
