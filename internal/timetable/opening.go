package timetable

import (
	"cmp"
	"slices"

	"cloud.google.com/go/civil"

	"holdfast/internal/datetime"
)

// interval is the time [from, until), in Unix time in seconds.
type interval struct{ from, until int64 }

// compare orders intervals by their start and then by their end.
func (p interval) compare(o interval) int {
	return cmp.Or(cmp.Compare(p.from, o.from), cmp.Compare(p.until, o.until))
}

// closed reports whether a closure keeps a resource from being booked on a whole date.
func (r *Rules) closed(res *Resource, d civil.Date) bool {
	return slices.ContainsFunc(r.Closures, func(c Closure) bool { return c.Closes(res.ID, d) })
}

// closedHours returns, in order, the hours of a date and of the next one that closures close. Where clocks skip or
// repeat an end of the hours, they are closed for no less than they say.
func (r *Rules) closedHours(res *Resource, d civil.Date, days *localDays) (closed []interval) {
	for i := range r.Closures {
		c := &r.Closures[i]
		for _, on := range [...]civil.Date{d, d.AddDays(1)} {
			if c.closesHours(res.ID, on) {
				closed = append(closed, interval{days.day(on).First(c.Hours.From), days.closing(on, c.Hours.Until)})
			}
		}
	}
	slices.SortFunc(closed, interval.compare)
	return closed
}

// open returns the hours of a resource that begin on a date: none if a closure closes it. Slots are counted from their
// beginning, also where a closure closes some of them.
func (r *Rules) open(res *Resource, d civil.Date) []DayInterval {
	if r.closed(res, d) {
		return nil
	}
	return res.Times.Intervals(d)
}

// openDuring reports whether a resource is open for a slot: see fits.
func (r *Rules) openDuring(res *Resource, at BookingTime) bool {
	days := localDays{loc: r.Loc}
	var open []interval
	last := datetime.DateOf(at.End, r.Loc)
	for d := datetime.DateOf(at.Start, r.Loc).AddDays(-1); !d.After(last); d = d.AddDays(1) {
		open = r.appendOpen(open, res, d, &days)
	}
	return at.Start.Before(at.End) && interval{at.Start.Unix(), at.End.Unix()}.fits(open, at.inDays)
}

// isOpenFor reports whether a resource that is open at some times is open for a slot: see fits.
func (r *Rules) isOpenFor(open []interval, slot interval) bool {
	return slot.fits(open, r.Service.DurationDays > 0)
}

// fits reports whether a slot fits into times that are open: all of it, or of a length in days its beginning and its
// end. Meanwhile the customer has what is rented, and nobody has to be there.
func (p interval) fits(open []interval, inDays bool) bool {
	if !inDays {
		return slices.ContainsFunc(open, func(o interval) bool { return o.from <= p.from && p.until <= o.until })
	}
	return slices.ContainsFunc(open, func(o interval) bool { return o.from <= p.from && p.from < o.until }) &&
		slices.ContainsFunc(open, func(o interval) bool { return o.from <= p.until && p.until <= o.until })
}

// appendOpen appends when a resource is open by the hours that begin on a date; list has those of the dates before.
// Hours that touch, such as the hours of two dates at midnight, are one interval.
func (r *Rules) appendOpen(list []interval, res *Resource, d civil.Date, days *localDays) []interval {
	hours := r.open(res, d)
	if len(hours) == 0 {
		return list
	}
	closed := r.closedHours(res, d, days)
	for _, s := range hours {
		list = appendOutside(list, r.opening(res, d, s, days), closed)
	}
	return list
}

// appendOutside appends the parts of p that no closed interval covers. closed is in order.
func appendOutside(list []interval, p interval, closed []interval) []interval {
	for _, c := range closed {
		list = appendTouching(list, interval{p.from, min(p.until, c.from)})
		p.from = max(p.from, c.until)
	}
	return appendTouching(list, p)
}

// appendTouching appends p, or makes it one with the last of the list if they touch.
func appendTouching(list []interval, p interval) []interval {
	if p.from >= p.until {
		return list
	}
	if end := len(list) - 1; end >= 0 && p.from <= list[end].until {
		list[end].until = max(list[end].until, p.until)
		return list
	}
	return append(list, p)
}

// opening returns the hours s of a resource that begin on a date, closed ones included. A closed date ends the hours
// that began on the date before.
func (r *Rules) opening(res *Resource, d civil.Date, s DayInterval, days *localDays) interval {
	if s.Until > datetime.MinutesPerDay && r.closed(res, d.AddDays(1)) {
		s.Until = datetime.MinutesPerDay
	}
	return interval{days.day(d).First(s.From), days.closing(d, s.Until)}
}
