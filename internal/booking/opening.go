package booking

import (
	"cmp"
	"slices"
	"time"

	"cloud.google.com/go/civil"

	"holdfast/internal/catalog"
	"holdfast/internal/datetime"
)

// interval is the time [from, until), in Unix time in seconds.
type interval struct{ from, until int64 }

// compare orders intervals by their start and then by their end.
func (p interval) compare(o interval) int {
	return cmp.Or(cmp.Compare(p.from, o.from), cmp.Compare(p.until, o.until))
}

// closed reports whether a closure keeps a resource from being booked on a date.
func (r *rules) closed(res *catalog.Resource, d civil.Date) bool {
	return slices.ContainsFunc(r.closures, func(c catalog.Closure) bool { return c.Closes(res.ID, d) })
}

// open returns the hours of a resource that begin on a date: none if a closure closes it.
func (r *rules) open(res *catalog.Resource, d civil.Date) []catalog.DayInterval {
	if r.closed(res, d) {
		return nil
	}
	return res.Times.On(d)
}

// openDuring reports whether a resource is open for all of [from, until).
func (r *rules) openDuring(res *catalog.Resource, from, until time.Time) bool {
	days := localDays{loc: r.loc}
	var open []interval
	last := datetime.DateOf(until.Add(-1), r.loc)
	for d := datetime.DateOf(from, r.loc).AddDays(-1); !d.After(last); d = d.AddDays(1) {
		open = r.appendOpen(open, res, d, &days)
	}
	return from.Before(until) && slices.ContainsFunc(open, func(p interval) bool {
		return !from.Before(time.Unix(p.from, 0)) && !until.After(time.Unix(p.until, 0))
	})
}

// appendOpen appends when a resource is open by the hours that begin on a date; list has those of the dates before. Hours that touch,
// such as the hours of two dates at midnight, are one interval.
func (r *rules) appendOpen(list []interval, res *catalog.Resource, d civil.Date, days *localDays) []interval {
	for _, s := range r.open(res, d) {
		p := r.opening(res, d, s, days)
		if end := len(list) - 1; end >= 0 && p.from <= list[end].until {
			list[end].until = max(list[end].until, p.until)
			continue
		}
		list = append(list, p)
	}
	return list
}

// opening returns the hours s of a resource that begin on a date. A closed date ends the hours that began on the date before.
func (r *rules) opening(res *catalog.Resource, d civil.Date, s catalog.DayInterval, days *localDays) interval {
	if s.Until > datetime.MinutesPerDay && r.closed(res, d.AddDays(1)) {
		s.Until = datetime.MinutesPerDay
	}
	return interval{days.on(d).First(s.From), days.closing(d, s.Until)}
}
