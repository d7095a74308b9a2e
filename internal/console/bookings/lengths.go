package bookings

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/civil"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/console/form"
	"holdfast/internal/datetime"
	"holdfast/internal/problem"
	"holdfast/internal/timetable"
)

// Fields that say how long a slot lasts whose service sells several lengths.
const (
	fieldLength = "length" // minutes, or days after a "d"
	fieldUntil  = "until"  // the time at which it ends, as clocks show it
)

// clockFormat is the format of fields with a time of day.
const clockFormat = "15:04"

// maxMinutes is the longest booking that a field asks for, as in the API.
const maxMinutes = 10_080

// lengthText returns how a field has a length.
func lengthText(l timetable.Length) string {
	if l.Days > 0 {
		return "d" + strconv.Itoa(l.Days)
	}
	return strconv.Itoa(l.Minutes)
}

// lengthField asks how long a slot lasts.
type lengthField struct {
	// Lengths are those that the service lists. Without a list the length is a number of minutes.
	Lengths           []form.TickedOption
	Minutes           string
	Least, Most, Step int
}

// lengthFieldOf returns the field of a service's length with what stands in it; nil for a service with one length. It
// also has a length that the service doesn't sell any more.
func lengthFieldOf(svc catalog.ServiceSpec, chosen timetable.Length) *lengthField {
	if !svc.Vary() {
		return nil
	}
	f := &lengthField{
		Minutes: strconv.Itoa(chosen.Minutes), Least: cmp.Or(svc.MinDurationMinutes, svc.DurationStepMinutes),
		Most: svc.MaxDurationMinutes,
		Step: svc.DurationStepMinutes,
	}
	if len(svc.Durations.Durations) == 0 {
		return f
	}
	sold := svc.Durations.Durations
	if !svc.Sell(chosen) {
		sold = append(slices.Clone(sold), timetable.Duration{Length: chosen})
	}
	for _, d := range sold {
		f.Lengths = append(f.Lengths,
			form.TickedOption{Value: lengthText(d.Length), Label: d.String(), Ticked: d.Length == chosen})
	}
	return f
}

// lengthIn returns the length that fields give of a slot that begins at a time; zero if they give none. Errors:
// problem.ValidationFailed.
func lengthIn(fields url.Values, svc catalog.ServiceSpec, starts time.Time) (l timetable.Length, err error) {
	if text := fields.Get(fieldUntil); text != "" {
		return lengthUntil(text, svc, starts)
	}
	text := fields.Get(fieldLength)
	if text == "" {
		return l, nil
	}
	if days, ok := strings.CutPrefix(text, "d"); ok {
		l.Days, err = numberOf("length", days, 1, maxMinutes/datetime.MinutesPerDay)
		return l, err
	}
	l.Minutes, err = numberOf("length", text, 1, maxMinutes)
	return l, err
}

// lengthUntil returns the length from a time to one that clocks show: in days if the service sells so many, as
// Booking.LengthOf.
func lengthUntil(text string, svc catalog.ServiceSpec, starts time.Time) (l timetable.Length, err error) {
	ends, err := form.Moments(fieldUntil, text, starts.Location())
	if err != nil {
		return l, err
	}
	for _, end := range ends {
		b := booking.Booking{StartsAt: starts, EndsAt: end}
		if l = b.LengthOf(svc, starts.Location()); svc.Sell(l) {
			break
		}
	}
	if l.Days == 0 && (l.Minutes < 1 || l.Minutes > maxMinutes) {
		err = problem.Invalid(fieldUntil, "out_of_range", "Expected a time after the beginning, at most a week later.")
	}
	return l, err
}

// lengthOf returns the length that a time gives; zero if it gives none.
func lengthOf(when timetable.When) (l timetable.Length) {
	if when.DurationDays != nil {
		l.Days = *when.DurationDays
	}
	if when.DurationMinutes != nil {
		l.Minutes = *when.DurationMinutes
	}
	return l
}

// setLength puts a length into a time; none if it is zero.
func setLength(when *timetable.When, l timetable.Length) {
	switch {
	case l.Days > 0:
		when.DurationDays = &l.Days
	case l.Minutes > 0:
		when.DurationMinutes = &l.Minutes
	}
}

// slotStart returns when a slot begins that fields name. Of two moments at which clocks show its time it is the one of
// the offset that the fields give. Without one it keeps the offset of before on the same date, and otherwise it is the
// first. before is the zero time for a new booking. Errors: problem.ValidationFailed.
func slotStart(fields url.Values, date civil.Date, before time.Time, loc *time.Location) (time.Time, error) {
	clock, err := time.Parse(clockFormat, fields.Get("time"))
	if err != nil {
		return clock, problem.Invalid("time", "invalid_format", "Expected a time of day such as 09:30.")
	}
	found := datetime.MomentsOf(date, clock.Hour()*60+clock.Minute(), loc)
	if len(found) == 0 {
		return clock, problem.Invalid("time", "nonexistent_time", "Clocks skip this time on that day.")
	}
	offset := fields.Get(fieldOffset)
	if offset == "" && datetime.DateOf(before, loc) == date {
		offset = before.In(loc).Format(offsetFormat)
	}
	for _, at := range found {
		if at.Format(offsetFormat) == offset {
			return at, nil
		}
	}
	return found[0], nil
}

// whichOf are the moments among which a field chooses, when clocks show the time of a slot twice; none otherwise.
func whichOf(at time.Time) (choices []form.TickedOption) {
	found := datetime.MomentsOf(civil.DateOf(at), at.Hour()*60+at.Minute(), at.Location())
	if len(found) < 2 {
		return nil
	}
	order := "the first "
	for _, one := range found {
		choices = append(choices, form.TickedOption{
			Value: one.Format(offsetFormat), Label: order + datetime.Clock(one), Ticked: one.Equal(at),
		})
		order = "the second "
	}
	return choices
}

// fieldOffset is the field that says which of two moments is meant at which clocks show the same time: its offset from
// UTC.
const (
	fieldOffset  = "offset"
	offsetFormat = "-07:00"
)
