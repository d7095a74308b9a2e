package timetable

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"cloud.google.com/go/civil"

	"holdfast/internal/datetime"
	"holdfast/internal/problem"
)

// stayKind books nights: from a check-in time on the first date to a check-out time on the last date.
type stayKind struct{}

func (stayKind) timeOf(r *Rules, w When) (BookingTime, error) {
	err := w.only("The service is sold as a stay; give check_in and check_out.", "check_in", "check_out")
	switch {
	case err != nil:
		return BookingTime{}, err
	case w.CheckIn == nil:
		return BookingTime{}, problem.Invalid("check_in", "required",
			"The service is sold as a stay: give the check-in date.")
	case w.CheckOut == nil:
		return BookingTime{}, problem.Invalid("check_out", "required",
			"The service is sold as a stay: give the check-out date.")
	case datetime.CheckDate("", *w.CheckIn) != nil, datetime.CheckDate("", *w.CheckOut) != nil:
		return BookingTime{}, outsideWindow()
	case !w.CheckOut.After(*w.CheckIn):
		return BookingTime{}, problem.Invalid("check_out", "not_after_check_in", "Expected a date after check_in.")
	case w.CheckOut.DaysSince(*w.CheckIn) > MaxNights:
		return BookingTime{},
			problem.Invalid("check_out", "too_large", fmt.Sprintf("A stay has at most %d nights.", MaxNights))
	}
	days := localDays{loc: r.Loc}
	for _, given := range []struct {
		field string
		date  civil.Date
	}{{"check_in", *w.CheckIn}, {"check_out", *w.CheckOut}} {
		if !days.exists(given.date) {
			return BookingTime{}, problem.Invalid(given.field, "nonexistent_time",
				"Clocks in the tenant's time zone skip this date.")
		}
	}
	at := BookingTime{
		Date:  *w.CheckIn,
		Start: time.Unix(days.clockOn(*w.CheckIn, r.Service.checkInMinute()), 0).In(r.Loc),
		End:   time.Unix(days.clockOn(*w.CheckOut, r.Service.checkOutMinute()), 0).In(r.Loc),
	}
	at.Nights = len(r.nightsOf(at))
	return r.withBuffers(at), nil
}

// whenOf moves a stay with its nights where only check_in is given, and changes its nights where only check_out is.
func (stayKind) whenOf(_ *Rules, has BookingTime, given When) When {
	if has.Nights > 0 && given.CheckOut == nil {
		checkOut := has.lastDate()
		if given.CheckIn != nil {
			checkOut = given.CheckIn.AddDays(checkOut.DaysSince(has.Date))
		}
		given.CheckOut = &checkOut
	}
	if given.CheckIn == nil {
		given.CheckIn = &has.Date
	}
	return given
}

func (stayKind) isAt(_ *Rules, has, at BookingTime) bool {
	return has.Date == at.Date && has.Nights == at.Nights && has.lastDate() == at.lastDate()
}

func (stayKind) checkLength(r *Rules, at BookingTime) error {
	s := &r.Service
	switch {
	case !s.arrivesOn(at.Date.Weekday()):
		return problem.Invalid("check_in", "not_an_arrival_day",
			"No stay of the service begins on this day of the week.")
	case !s.departsOn(at.lastDate().Weekday()):
		return problem.Invalid("check_out", "not_a_departure_day",
			"No stay of the service ends on this day of the week.")
	case s.mayFillGap(at.Date, at.Nights): // Allocate knows the gaps
		return nil
	}
	return s.checkNights(at.Date, at.Nights)
}

// isOpen asks for the dates of the nights. The check-out date may be closed.
func (stayKind) isOpen(r *Rules, res *Resource, at BookingTime) bool {
	for _, d := range r.nightsOf(at) {
		if len(r.open(res, d)) == 0 {
			return false
		}
	}
	return true
}

func (stayKind) openDates(r *Rules, at BookingTime) []civil.Date { return r.nightsOf(at) }

func (stayKind) isStart(*Rules, *Resource, BookingTime) bool { return true }

// earliest counts the lead time to the check-in. Without a lead time, a stay can be booked until its check-in date
// ends.
func (stayKind) earliest(r *Rules, leadEnd time.Time) time.Time {
	return r.earliestOn(leadEnd, func(d civil.Date) (start, end int64) {
		days := localDays{loc: r.Loc}
		if !days.exists(d) {
			return 0, 0
		}
		return days.clockOn(d, r.Service.checkInMinute()), days.day(d.AddDays(1)).Start()
	})
}

func (stayKind) ofLength(r *Rules, q AvailabilityQuery) (*Rules, int, error) {
	if q.Nights == nil {
		return r, 0, q.checkLength("nights")
	}
	return r, *q.Nights,
		cmp.Or(q.checkLength("nights"), problem.CheckRange("nights", *q.Nights, 1, MaxNights))
}

// free tells of a date what can be had by a guest who arrives on it.
func (stayKind) free(a *availability, d civil.Date, full bool, _ *listing) (day Day, cut bool) {
	switch {
	case !a.days.exists(d):
		return a.nothingOn(d, NoHours), false
	case !a.rules.Service.arrivesOn(d.Weekday()):
		return a.nothingOn(d, NoArrival), false
	}
	day = a.nothingOn(d, NoArrival)
	if v, stay := a.vacancyFrom(d, full); stay.Nights > 0 {
		day = a.withVacancy(day, &v, stay)
	}
	if n := len(a.nights); n > 0 {
		a.mostNights = a.nights[n-1]
	}
	day.Nights = a.nights
	return day, false
}

func (stayKind) pageDates(*Rules, bool) int { return MaxAvailabilityDays }

// vacancyFrom returns what is free for a stay that begins on a date, and the stay. It has a.length nights or, if that
// is zero, the fewest that are sold from there; without nights, none is sold. It sets a.nights to the numbers of nights
// for which the party can stay. full says that the service takes no more bookings on the date.
func (a *availability) vacancyFrom(d civil.Date, full bool) (v vacancy, stay BookingTime) {
	s := &a.rules.Service
	at := BookingTime{Date: d, Start: time.Unix(a.days.clockOn(d, s.checkInMinute()), 0).In(a.rules.Loc)}
	a.setOpen(func(*resourceTimes, bool) bool { return true }) // each night so far
	// fits says that the party can stay for the nights so far
	fits := true
	// the first night on which nothing is open that was open before
	var shut *civil.Date
	for night := d; at.Nights < s.MaxNights && (fits || at.Nights < a.length); night = a.days.next(night) {
		a.setOpen(func(res *resourceTimes, before bool) bool {
			return before && len(a.rules.open(res.Resource, night)) > 0
		})
		if shut == nil && !slices.ContainsFunc(a.groups[0].states, func(s resourceState) bool { return s.open }) {
			shut = &night
		}
		a.effort += len(a.resources) * (1 + len(a.rules.Closures))
		checkOut := a.days.next(night)
		at.Nights++
		at.End = time.Unix(a.days.clockOn(checkOut, s.checkOutMinute()), 0).In(a.rules.Loc)
		sold := s.checkNights(d, at.Nights) == nil
		switch {
		case !s.departsOn(checkOut.Weekday()), !sold && !s.mayFillGap(d, at.Nights), !fits && at.Nights != a.length:
			continue
		case !sold:
			a.keepGaps(at)
		}
		a.ids = a.ids[:0]
		of := a.vacancyOf(d, interval{at.Start.Unix(), at.End.Unix()}, full)
		can := len(a.ids) > 0
		asked := at.Nights == a.length || a.length == 0 && stay.Nights == 0 && (sold || can)
		if asked && slices.ContainsFunc(a.groups[0].states, func(s resourceState) bool { return sold || s.starts }) {
			v, stay = *of, at
			if v.capacity == 0 {
				v.reason = a.notOpen(*shut)
			}
		}
		if fits = fits && (can || !sold); can && fits {
			a.nights = append(a.nights, at.Nights)
		}
	}
	return v, stay
}

// keepGaps is that of Rules for the time of a stay.
func (a *availability) keepGaps(stay BookingTime) {
	a.rules.keepGaps(&a.groups[0], stay, a.party, a.firstDate, func(i int, from, until int64) int {
		return a.unitsDuring(&a.resources[i], from, until)
	})
}

// nightsOf returns the dates of a stay's nights: from its check-in date to the date before its check-out date. A date
// that clocks skip has no night.
func (r *Rules) nightsOf(at BookingTime) []civil.Date {
	days := localDays{loc: r.Loc}
	var nights []civil.Date
	for d := at.Date; d.Before(datetime.DateOf(at.End, r.Loc)); d = d.AddDays(1) {
		if days.exists(d) {
			nights = append(nights, d)
		}
	}
	return nights
}

// lastDate returns the civil date on which the time ends, where it is: of a stay the check-out date.
func (t BookingTime) lastDate() civil.Date { return datetime.DateOf(t.End, t.End.Location()) }
