package timetable

import (
	"cmp"
	"fmt"
	"slices"

	"holdfast/internal/datetime"
	"holdfast/internal/problem"
)

// maxDurations bounds the durations that a service lists.
const maxDurations = 50

// Length is how long a slot lasts: in minutes or, until the same time of day, in days. One of them is zero.
type Length struct {
	Minutes int `json:"minutes,omitempty" minimum:"0" maximum:"10080" example:"90" doc:"Either this or days."`
	Days    int `json:"days,omitempty" minimum:"0" maximum:"7" doc:"Until the same time of day so many days later. Either this or minutes."`
}

// String returns the length in words.
func (l Length) String() string {
	n, unit := l.Minutes, "minute"
	if l.Days > 0 {
		n, unit = l.Days, "day"
	}
	if n != 1 {
		unit += "s"
	}
	return fmt.Sprint(n, " ", unit)
}

// Field names the field of a request that gives a length.
func (l Length) Field() string {
	if l.Days > 0 {
		return "duration_days"
	}
	return "duration_minutes"
}

// minutes returns the length as far as clocks don't change.
func (l Length) minutes() int { return l.Minutes + l.Days*datetime.MinutesPerDay }

// Begun returns how many days of it have begun when it ends, as far as clocks don't change; one at least.
func (l Length) Begun() int {
	return max((l.minutes()+datetime.MinutesPerDay-1)/datetime.MinutesPerDay, 1)
}

// Check returns problem.ValidationFailed for a length that no slot has.
func (l Length) Check() error {
	if l.Days != 0 {
		return problem.CheckRange("duration_days", l.Days, 1, maxDurationDays)
	}
	return problem.CheckRange("duration_minutes", l.Minutes, 1, maxDurationMinutes)
}

// Duration is a length that a service sells. Price is in minor units; nil for the price of the service and its rates.
type Duration struct {
	Length
	Price *int64 `json:"price,omitempty" minimum:"0" maximum:"9007199254740991" example:"8000" doc:"In place of the service's price and its rates'."`
}

// Durations are the lengths that a slot service sells if it sells several. The zero value is that of a service with one
// length.
type Durations struct {
	Durations           []Duration `json:"durations,omitempty" maxItems:"50" nullable:"false" doc:"For a slot service: how long a slot can last, in place of duration_minutes. A booking says which."`
	MinDurationMinutes  int        `json:"min_duration_minutes,omitempty" minimum:"0" maximum:"10080" example:"60" doc:"For a slot service: the shortest slot, if a slot lasts as long as the booking says; duration_step_minutes if absent."`
	MaxDurationMinutes  int        `json:"max_duration_minutes,omitempty" minimum:"0" maximum:"10080" example:"480" doc:"The longest slot."`
	DurationStepMinutes int        `json:"duration_step_minutes,omitempty" minimum:"0" maximum:"10080" example:"30" doc:"A slot lasts min_duration_minutes, or so many minutes more, or twice so many, and so on."`
}

// Vary reports whether the service sells several lengths, so that a booking says which.
func (d Durations) Vary() bool {
	return len(d.Durations) > 0 || d.MinDurationMinutes != 0 || d.MaxDurationMinutes != 0 || d.DurationStepMinutes != 0
}

// least is the shortest of the lengths between bounds.
func (d Durations) least() int { return cmp.Or(d.MinDurationMinutes, d.DurationStepMinutes) }

// Sell reports whether a length is among those that are sold.
func (d Durations) Sell(l Length) bool {
	if len(d.Durations) > 0 {
		return slices.ContainsFunc(d.Durations, func(sold Duration) bool { return sold.Length == l })
	}
	return l.Days == 0 && l.Minutes >= d.least() && l.Minutes <= d.MaxDurationMinutes &&
		(l.Minutes-d.least())%d.DurationStepMinutes == 0
}

// Shortest returns the shortest length that is sold.
func (d Durations) Shortest() Length {
	if len(d.Durations) == 0 {
		return Length{Minutes: d.least()}
	}
	return slices.MinFunc(d.Durations, func(a, b Duration) int { return a.minutes() - b.minutes() }).Length
}

// bounds returns all lengths that may be the longest one: those of the list, and the most.
func (d Durations) bounds() []Length {
	lengths := []Length{{Minutes: d.MaxDurationMinutes}}
	for _, sold := range d.Durations {
		lengths = append(lengths, sold.Length)
	}
	return lengths
}

// priceOf returns what a length costs by a rate, in minor units, and how often: once, or for each part of it of
// PricePerMinutes that has begun.
func (svc Spec) priceOf(rate Rate, l Length) (price int64, times int) {
	for _, list := range [][]Duration{rate.Durations, svc.Durations.Durations} {
		for _, d := range list {
			if d.Length == l && d.Price != nil {
				return *d.Price, 1
			}
		}
	}
	if svc.PricePerMinutes == 0 {
		return rate.Price, 1
	}
	return rate.Price, (l.minutes() + svc.PricePerMinutes - 1) / svc.PricePerMinutes
}

// check returns problem.ValidationFailed for lengths that no slot has, or that contradict one another.
func (d Durations) check() error {
	if len(d.Durations) > 0 {
		if d.MinDurationMinutes != 0 || d.MaxDurationMinutes != 0 || d.DurationStepMinutes != 0 {
			return problem.Invalid("durations", "excluded",
				"Leave out durations, or the least, the most and the step of a duration.")
		}
		return checkDurations("durations", d.Durations)
	}
	return cmp.Or(
		problem.CheckRange("duration_step_minutes", d.DurationStepMinutes, 1, maxDurationMinutes),
		problem.CheckRange("min_duration_minutes", d.least(), 1, maxDurationMinutes),
		problem.CheckRange("max_duration_minutes", d.MaxDurationMinutes, d.least(), maxDurationMinutes),
	)
}

func checkDurations(field string, list []Duration) error {
	checks := []error{problem.CheckRange(field, len(list), 0, maxDurations)}
	for i, d := range list {
		at := fmt.Sprintf("%s[%d]", field, i)
		switch {
		case (d.Minutes != 0) == (d.Days != 0):
			checks = append(checks, problem.Invalid(at, "required", "Give either minutes or days."))
		case slices.ContainsFunc(list[:i], func(before Duration) bool { return before.Length == d.Length }):
			checks = append(checks, problem.Invalid(at, "duplicate", "The duration is listed already."))
		}
		checks = append(checks, problem.CheckRange(at+".minutes", d.Minutes, 0, maxDurationMinutes),
			problem.CheckRange(at+".days", d.Days, 0, maxDurationDays))
		if d.Price != nil {
			checks = append(checks, problem.CheckRange(at+".price", *d.Price, 0, MaxAmount))
		}
	}
	return cmp.Or(checks...)
}

// checkRateDurations returns problem.ValidationFailed for a rate's duration that the service doesn't list, or without a
// price.
func (svc Spec) checkRateDurations(field string, list []Duration) error {
	checks := []error{checkDurations(field, list)}
	for i, d := range list {
		at := fmt.Sprintf("%s[%d]", field, i)
		if !slices.ContainsFunc(svc.Durations.Durations, func(sold Duration) bool { return sold.Length == d.Length }) {
			checks = append(checks, problem.Invalid(at, "not_one_of", "Expected one of durations."))
		}
		if d.Price == nil {
			checks = append(checks, problem.Invalid(at+".price", "required",
				"Say what the duration costs by this rate."))
		}
	}
	return cmp.Or(checks...)
}
