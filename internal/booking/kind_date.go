package booking

import (
	"time"

	"cloud.google.com/go/civil"

	"holdfast/internal/catalog"
	"holdfast/internal/datetime"
	"holdfast/internal/problem"
)

// dateKind books whole civil dates.
type dateKind struct{}

func (dateKind) timeOf(r *rules, w When) (bookingTime, error) {
	switch {
	case w.given("date") != "":
		return bookingTime{}, problem.Invalid(w.given("date"), "not_for_kind", "The service is sold by the date; give date.")
	case w.Date == nil:
		return bookingTime{}, problem.Invalid("date", "required", "The service is sold by the date.")
	case datetime.CheckDate("", *w.Date) != nil:
		return bookingTime{}, outsideWindow()
	}
	at := bookingTime{date: *w.Date, start: startOfDay(*w.Date, r.loc), end: startOfDay(w.Date.AddDays(1), r.loc)}
	if !at.start.Before(at.end) {
		return at, problem.Invalid("date", "nonexistent_time", "Clocks in the tenant's time zone skip this date.")
	}
	return r.withBuffers(at), nil
}

func (dateKind) whenOf(b Booking, given When) When {
	if given.Date == nil {
		given.Date = &b.Date
	}
	return given
}

func (dateKind) isAt(b Booking, at bookingTime) bool { return b.Date == at.date }

func (dateKind) checkLength(*rules, bookingTime) error { return nil }

func (dateKind) isOpen(r *rules, res *catalog.Resource, at bookingTime) bool {
	return len(r.open(res, at.date)) > 0
}

func (dateKind) openDates(_ *rules, at bookingTime) []civil.Date { return []civil.Date{at.date} }

func (dateKind) isStart(*rules, *catalog.Resource, bookingTime) bool { return true }

// earliest counts the lead time to the beginning of the date. Without a lead time, the current date can be booked until it ends.
func (dateKind) earliest(r *rules, leadEnd time.Time) time.Time {
	return r.earliestOn(leadEnd, func(d civil.Date) time.Time { return startOfDay(d, r.loc) })
}

// earliestOn returns the first moment at which a booking of a date can begin, if it begins on each date at one time.
func (r *rules) earliestOn(leadEnd time.Time, start func(civil.Date) time.Time) time.Time {
	d := datetime.DateOf(leadEnd, r.loc)
	if r.service.MinLeadMinutes == 0 {
		return startOfDay(d, r.loc)
	}
	if start(d).Before(leadEnd) {
		d = d.AddDays(1)
	}
	return start(d)
}

func (dateKind) lengthOf(_ *rules, q AvailabilityQuery) (int, error) { return 0, q.checkNights() }

func (dateKind) free(a *availability, d civil.Date, full bool, _ *listing) (day Day, cut bool) {
	day = Day{Date: d, Slots: a.slots[:0]}
	day.Remaining, day.Available = a.unitsOn(d, full)
	return day, false
}

func (dateKind) pageDates(*rules, bool) int { return MaxAvailabilityDays }
