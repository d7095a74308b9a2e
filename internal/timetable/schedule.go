package timetable

import (
	"cmp"
	"slices"
	"time"

	"cloud.google.com/go/civil"

	"holdfast/internal/datetime"
	"holdfast/internal/problem"
)

// When says when a booking is to be: on a date for a date service, from a time for a slot service, from a check-in to a
// check-out for a stay.
type When struct {
	Date *civil.Date `json:"date,omitempty" format:"date" example:"2027-07-01" doc:"For a date service. A booking that moves keeps what isn't given of its time."`
	// StartsAt is RFC 3339 with an offset.
	StartsAt *string `json:"starts_at,omitempty" maxLength:"40" format:"date-time" example:"2027-07-01T10:00:00+02:00" doc:"For a slot service: RFC 3339 with an offset."`
	// DurationMinutes and DurationDays say how long a slot lasts whose service sells several lengths. At most one is
	// given.
	DurationMinutes *int `json:"duration_minutes,omitempty" minimum:"1" maximum:"10080" example:"90" doc:"For a slot service that sells several durations: how long it lasts. A booking that moves keeps its own unless it is given."`
	DurationDays    *int `json:"duration_days,omitempty" minimum:"1" maximum:"7" doc:"In place of duration_minutes: until the same time of day so many days later."`
	// CheckIn and CheckOut are the first and the last date of a stay.
	CheckIn  *civil.Date `json:"check_in,omitempty" format:"date" example:"2027-07-01" doc:"For a stay: the check-in date. A stay that moves with check_in alone keeps its nights."`
	CheckOut *civil.Date `json:"check_out,omitempty" format:"date" example:"2027-07-04" doc:"For a stay: the check-out date. A stay that changes by check_out alone keeps its arrival."`
}

// only returns problem.ValidationFailed for a field that is given although it isn't among those that a kind has.
func (w When) only(detail string, has ...string) error {
	if field := w.given(has...); field != "" {
		return problem.Invalid(field, "not_for_kind", detail)
	}
	return nil
}

// given returns the first field that is given although it isn't among those that a kind has, as requests name it; none
// if it is empty.
func (w When) given(has ...string) string {
	for _, f := range [...]struct {
		name  string
		given bool
	}{
		{"date", w.Date != nil}, {"starts_at", w.StartsAt != nil}, {"check_in", w.CheckIn != nil},
		{"check_out", w.CheckOut != nil},
		{"duration_minutes", w.DurationMinutes != nil}, {"duration_days", w.DurationDays != nil},
	} {
		if f.given && !slices.Contains(has, f.name) {
			return f.name
		}
	}
	return ""
}

// BookingTime is when a booking takes place, and what it occupies.
type BookingTime struct {
	Date                civil.Date // of start
	Start, End          time.Time
	BusyFrom, BusyUntil time.Time // with the buffers
	Nights              int       // of a stay
	inDays              bool      // a slot's length is in days: see Rules.isOpenFor
	length              Length    // of a slot whose service sells several
}

// BookedTime returns the time of a booking that was made. start and end are in the time zone in which it was.
func BookedTime(d civil.Date, start, end, busyFrom, busyUntil time.Time, nights int) BookingTime {
	days := localDays{loc: start.Location()}
	n := datetime.DateOf(end, end.Location()).DaysSince(d)
	return BookingTime{
		Date:      d,
		Start:     start,
		End:       end,
		BusyFrom:  busyFrom,
		BusyUntil: busyUntil,
		Nights:    nights,
		inDays:    n > 0 && days.addDays(d, start.Unix(), n) == end.Unix(),
	}
}

// BookingTimeOf returns the time that w means for the service. With until_closing it is the longest of the resources'
// times, so that all their dates are locked; timeOn gives each resource's own. Errors: problem.ValidationFailed for a
// time of the wrong kind, one that can't be read, or a date or wall-clock time that doesn't exist in the tenant's time
// zone; problem.OutsideBookingWindow for a year out of all bounds.
func (r *Rules) BookingTimeOf(w When) (BookingTime, error) { return r.kind().timeOf(r, w) }

// timeOn returns the time of a booking on one of the resources: with until_closing it ends when that resource closes.
func (r *Rules) timeOn(res *Resource, at BookingTime) BookingTime {
	if r.Service.UntilClosing {
		return r.withEnd(at, res)
	}
	return at
}

// withEnd returns the time of a slot that begins at at.Start on a resource. The resource matters for until_closing
// only.
func (r *Rules) withEnd(at BookingTime, res *Resource) BookingTime {
	days := localDays{loc: r.Loc}
	at.End = time.Unix(r.slotEnd(res, at.Date, at.Start.Unix(), &days), 0).In(r.Loc)
	at.inDays = r.Service.DurationDays > 0
	return r.withBuffers(at)
}

// withBuffers returns the time with what it occupies.
func (r *Rules) withBuffers(at BookingTime) BookingTime {
	days := localDays{loc: r.Loc}
	from, until := r.busy(at.Date, at.Start.Unix(), at.End.Unix(), &days)
	at.BusyFrom, at.BusyUntil = time.Unix(from, 0).In(r.Loc), time.Unix(until, 0).In(r.Loc)
	return at
}

// parseStart reads the start of a booking: see datetime.ParseLocalTime.
func parseStart(text string, loc *time.Location) (time.Time, error) {
	return datetime.ParseLocalTime("starts_at", text, loc)
}

// appendSlots appends the slots of a resource that start on a date, in order, if the resource is open for all of the
// slot: see isOpenFor. Of a service with start times they start at starts, the minutes after midnight on the date. Else
// they start every interval of wall-clock time from each opening on, of the date or, over midnight, of the date before.
// open is when the resource is open, from the date before on and for the duration after the date.
func (r *Rules) appendSlots(slots []interval, res *Resource, d civil.Date, starts []int, open []interval,
	days *localDays) []interval {
	day, every := days.day(d), r.Service.SlotIntervalMinutes
	var moments [4]int64
	add := func(minute int) {
		found := day.Moments(moments[:0], minute)
		if minute == 0 && len(found) == 0 && days.exists(d) { // clocks skip midnight: the date begins later
			found = append(found, day.Start())
		}
		for _, at := range found {
			slots = append(slots, interval{from: at})
		}
	}
	list := func(from, until int) {
		for minute := from; minute < min(until, datetime.MinutesPerDay); minute += every {
			add(minute)
		}
	}
	if r.Service.HasStartTimes() {
		for _, minute := range starts {
			add(minute)
		}
	} else {
		for _, s := range r.open(res, d) {
			list(s.From, s.Until)
		}
		for _, s := range r.open(res, d.AddDays(-1)) {
			if s = s.shift(-1); s.Until > 0 { // it began on the date before: go to its first slot on this date
				list((s.From%every+every)%every, s.Until)
			}
		}
	}
	slices.SortFunc(slots, func(a, b interval) int { return cmp.Compare(a.from, b.from) })
	i, kept := 0, slots[:0]
	for _, s := range slots {
		for i < len(open) && open[i].until <= s.from {
			i++
		}
		if i == len(open) || s.from < open[i].from || len(kept) > 0 && kept[len(kept)-1].from == s.from {
			continue
		}
		if s.until = r.slotEnd(res, d, s.from, days); r.isOpenFor(open[i:], s) {
			kept = append(kept, s)
		}
	}
	return kept
}

// onGrid reports whether a slot begins at at.Start. It doesn't check that the resource stays open until the end. The
// first moment of a date is its midnight, also where clocks skip that.
func (r *Rules) onGrid(res *Resource, at BookingTime) bool {
	if at.Start.Second() != 0 || at.Start.Nanosecond() != 0 {
		return false
	}
	var own []int
	if r.Service.HasStartTimes() {
		own = r.Service.startsOn(at.Date)
	}
	starts := func(minute int) bool {
		if r.Service.HasStartTimes() {
			return slices.Contains(own, minute)
		}
		startsSlot := func(s DayInterval) bool {
			return minute >= s.From && minute < s.Until && (minute-s.From)%r.Service.SlotIntervalMinutes == 0
		}
		return slices.ContainsFunc(r.open(res, at.Date), startsSlot) ||
			slices.ContainsFunc(r.open(res, at.Date.AddDays(-1)),
				func(s DayInterval) bool { return startsSlot(s.shift(-1)) })
	}
	return starts(at.Start.Hour()*60+at.Start.Minute()) || at.Start.Equal(datetime.StartOfDay(at.Date, r.Loc)) &&
		starts(0)
}

// checkWindow returns problem.OutsideBookingWindow for a time that is over, too soon or too far away.
func (r *Rules) checkWindow(at BookingTime, now time.Time) error {
	if at.Start.Before(r.earliest(now)) || at.Date.After(r.latest(now)) {
		return outsideWindow()
	}
	return nil
}

// earliest returns the first moment at which a booking can begin, at now; firstDate and latest return the first and the
// last date that can be booked.
func (r *Rules) earliest(now time.Time) time.Time {
	return r.kind().earliest(r, now.Add(minutes(r.Service.MinLeadMinutes)))
}

func (r *Rules) firstDate(now time.Time) civil.Date { return datetime.DateOf(r.earliest(now), r.Loc) }

func (r *Rules) latest(now time.Time) civil.Date {
	return datetime.DateOf(now, r.Loc).AddDays(r.Service.WindowDays())
}

func outsideWindow() error {
	return problem.New(problem.OutsideBookingWindow, "The time is over, too soon or too far away to be booked.")
}
