package timetable

import (
	"fmt"
	"math"
	"slices"

	"holdfast/internal/datetime"
	"holdfast/internal/problem"
)

// CheckFits returns problem.ValidationFailed for a service none of whose lengths ever fits into the hours of a
// resource.
func (svc Spec) CheckFits(open []Times) error {
	lengths := []Length{{Minutes: svc.DurationMinutes, Days: svc.DurationDays}}
	if svc.Vary() {
		lengths = []Length{{Minutes: svc.least()}}
	}
	for i, d := range svc.Durations.Durations {
		lengths = append(lengths[:i], d.Length)
	}
	longest := 0
	for _, times := range open {
		if slices.ContainsFunc(lengths, times.fits) {
			return nil
		}
		longest = max(longest, times.LongestOpening())
	}
	if len(open) == 0 {
		return nil
	}
	field := lengths[0].Field()
	switch {
	case len(svc.Durations.Durations) > 0:
		field = "durations"
	case svc.Vary():
		field = "min_duration_minutes"
	}
	return problem.Invalid(
		field,
		"too_large",
		fmt.Sprintf("No opening hours of its resources fit it: they are open for at most %d minutes. "+
			"A length in days needs open hours when it begins and when it ends.", longest),
	)
}

// fits reports whether a slot of a length fits into the hours of some week: all of it, or of a length in days its
// beginning and its end. Where overrides open further dates, it takes these to fit.
func (t Times) fits(l Length) bool {
	if l.Days == 0 {
		return l.Minutes <= t.LongestOpening()
	}
	return t.opensDates() || slices.ContainsFunc(t.weeks(), func(w week) bool { return w.opensAfter(l.Days) })
}

// opensDates reports whether overrides open some date.
func (t Times) opensDates() bool {
	for _, hours := range t.dates {
		if len(hours) > 0 {
			return true
		}
	}
	return t.inherited != nil && t.inherited.opensDates()
}

// weeks are the weekly hours, of each season too.
func (t Times) weeks() []week {
	if t.inherited != nil {
		return t.inherited.weeks()
	}
	all := []week{t.weekly}
	for _, s := range t.seasons {
		all = append(all, s.week)
	}
	return all
}

// LongestOpening returns for how many minutes the hours are open at a stretch in some week; as long as can be where
// overrides open further dates, or where a week is open throughout.
func (t Times) LongestOpening() (minutes int) {
	if t.opensDates() {
		return math.MaxInt
	}
	for _, w := range t.weeks() {
		minutes = max(minutes, w.LongestOpening())
	}
	return minutes
}

const minutesPerWeek = 7 * datetime.MinutesPerDay

// intervals are the hours of a week, in minutes from the beginning of Sunday.
func (w week) intervals() (all []DayInterval) {
	for day, hours := range w {
		for _, s := range hours {
			all = append(all, s.shift(day))
		}
	}
	return all
}

// LongestOpening is that of Timetable.
func (w week) LongestOpening() (longest int) {
	all := w.intervals()
	for _, s := range all { // twice, because the week's end may touch its beginning
		all = append(all, s.shift(7))
	}
	var open DayInterval
	for i, s := range all {
		if i == 0 || s.From > open.Until {
			open = s
		}
		open.Until = max(open.Until, s.Until)
		longest = max(longest, open.Until-open.From)
	}
	if longest >= minutesPerWeek {
		return math.MaxInt
	}
	return longest
}

// opensAfter reports whether at some time of the week the hours are open, and so many days later open or just about to
// close.
func (w week) opensAfter(days int) bool {
	all := w.intervals()
	for _, begins := range all {
		begins = begins.shift(days % 7)
		for _, ends := range all {
			for _, weeks := range [...]int{-7, 0, 7, 14} {
				end := ends.shift(weeks)
				if from := max(begins.From, end.From); from < begins.Until && from <= end.Until {
					return true
				}
			}
		}
	}
	return false
}
