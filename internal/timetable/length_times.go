package timetable

import (
	"time"

	"cloud.google.com/go/civil"

	"holdfast/internal/datetime"
	"holdfast/internal/problem"
)

// lengthOf returns the length that a request gives of a slot whose service sells several, and the zero Length for a
// service with one length. Errors: problem.ValidationFailed.
func (r *Rules) lengthOf(inMinutes, inDays *int) (l Length, err error) {
	switch {
	case !r.Service.Vary() && inMinutes != nil:
		return l, problem.Invalid("duration_minutes", "not_for_kind", "The service has one length.")
	case !r.Service.Vary() && inDays != nil:
		return l, problem.Invalid("duration_days", "not_for_kind", "The service has one length.")
	case !r.Service.Vary():
		return l, nil
	case inMinutes != nil && inDays != nil:
		return l, problem.Invalid("duration_days", "excluded", "Leave out duration_minutes or duration_days.")
	case inDays != nil:
		if *inDays == 0 {
			return l, problem.Invalid("duration_days", "too_small", "Expected at least 1.")
		}
		l.Days = *inDays
	case inMinutes != nil:
		l.Minutes = *inMinutes
	default:
		return l, problem.Invalid("duration_minutes", "required", "The service sells several durations: say which.")
	}
	return l, l.Check()
}

// withLength returns the rules of a service that sells only one of its lengths.
func (r *Rules) withLength(l Length) *Rules {
	of := *r
	of.Service.DurationMinutes, of.Service.DurationDays = l.Minutes, l.Days
	return &of
}

// slotOn returns what the price of a slot on a date depends on.
func (r *Rules) slotOn(d civil.Date) BookingTime {
	at := BookingTime{Date: d}
	if r.Service.Vary() {
		at.length = Length{Minutes: r.Service.DurationMinutes, Days: r.Service.DurationDays}
	}
	return at
}

// checkSold returns problem.ValidationFailed for a length that the service doesn't sell.
func (r *Rules) checkSold(l Length) error {
	if r.Service.Sell(l) {
		return nil
	}
	return problem.Invalid(l.Field(), "not_one_of", "The service sells no slot of this duration.")
}

// LengthBetween returns how long a booking from one moment to another is, in a time zone, of a service that sells
// several lengths: in days if the service sells so many, and otherwise in minutes.
func (svc *Spec) LengthBetween(from, until time.Time, loc *time.Location) Length {
	days := localDays{loc: loc}
	date := datetime.DateOf(from, loc)
	for _, sold := range svc.Durations.Durations {
		if sold.Days > 0 && days.addDays(date, from.Unix(), sold.Days) == until.Unix() {
			return sold.Length
		}
	}
	return Length{Minutes: int(until.Sub(from) / time.Minute)}
}

// slotEnd returns when a slot of a resource ends that starts at a moment of a date; both are Unix times in seconds.
// With until_closing it is the end of the opening hours, which begin on the date or on the date before, or the
// beginning of closed hours, and the start itself if the resource is closed then.
func (r *Rules) slotEnd(res *Resource, d civil.Date, start int64, days *localDays) int64 {
	switch {
	case r.Service.DurationDays > 0:
		return days.addDays(d, start, r.Service.DurationDays)
	case !r.Service.UntilClosing:
		return start + int64(r.Service.DurationMinutes)*60
	}
	end := start
	var parts [4]interval
	for _, begun := range [...]civil.Date{d.AddDays(-1), d} {
		closed := r.closedHours(res, begun, days)
		for _, s := range r.open(res, begun) {
			for _, p := range appendOutside(parts[:0], r.opening(res, begun, s, days), closed) {
				if p.from <= start {
					end = max(end, p.until)
				}
			}
		}
	}
	return end
}

// busy returns what a booking from start to end occupies with its buffers, as Unix times in seconds. d is the date of
// the start.
func (r *Rules) busy(d civil.Date, start, end int64, days *localDays) (from, until int64) {
	s := &r.Service
	from, until = start-int64(s.BufferBeforeMinutes)*60, end+int64(s.BufferAfterMinutes)*60
	switch {
	case s.BufferBeforeDays == 0:
	case s.Kind.WholeDates():
		from = days.day(d.AddDays(-s.BufferBeforeDays)).Start()
	case s.Kind.wholeDateBuffers(): // the last one is the date itself
		from = days.day(d.AddDays(1 - s.BufferBeforeDays)).Start()
	default:
		from = days.addDays(d, start, -s.BufferBeforeDays)
	}
	switch {
	case s.BufferAfterDays == 0:
	case s.Kind.WholeDates():
		until = days.day(datetime.DateOf(time.Unix(end-1, 0), r.Loc).AddDays(1 + s.BufferAfterDays)).Start()
	case s.Kind.wholeDateBuffers(): // the first one is the date of the end
		until = days.day(datetime.DateOf(time.Unix(end, 0), r.Loc).AddDays(s.BufferAfterDays)).Start()
	default:
		until = days.addDays(datetime.DateOf(time.Unix(end, 0), r.Loc), end, s.BufferAfterDays)
	}
	return from, until
}

// addDays returns the moment n civil days after a moment of the date d: the one at which clocks show the same time of
// day. Where clocks skip that time, it is the moment at which they skip it; where they show it twice, the first one.
// From the first moment of a date it is the first moment of another one. Moments are Unix times in seconds, at whole
// minutes.
func (l *localDays) addDays(d civil.Date, at int64, n int) int64 {
	if at == l.day(d).Start() {
		return l.day(d.AddDays(n)).Start()
	}
	local := l.time(d, at)
	return l.day(d.AddDays(n)).First(local.Hour()*60 + local.Minute())
}
