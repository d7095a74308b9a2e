package timetable

import (
	"fmt"
	"slices"

	"cloud.google.com/go/civil"

	"holdfast/internal/datetime"
	"holdfast/internal/problem"
)

const (
	maxStartTimes = 50
	maxStartDates = 366
	maxStartsADay = 48
)

// Clock is a time of day, HH:MM, by the clock in the tenant's time zone.
type Clock string

// ClockPattern is the form of a Clock.
const ClockPattern = "^([01][0-9]|2[0-3]):[0-5][0-9]$"

// StartTime says at which times of day slots of a service start: on single dates, or on weekdays of a part of the year.
type StartTime struct {
	Weekdays []Weekday    `json:"weekdays,omitempty" minItems:"1" maxItems:"7" nullable:"false" doc:"Each weekday if absent."`
	Dates    []civil.Date `json:"dates,omitempty" minItems:"1" maxItems:"366" nullable:"false" format:"date" example:"[\"2027-12-24\"]" doc:"Single dates, in place of weekdays, from and to."`
	PartOfYear
	At []Clock `json:"at,omitempty" maxItems:"48" nullable:"false" example:"[\"19:00\"]" doc:"By the clock. Where clocks skip a time, no slot starts; where they show it twice, two do. Absent: none on these dates."`
}

// rank orders the start times that have a date: 3 for single dates, 2 for a part of the year, 1 for every date. It is
// zero for one that doesn't have the date.
func (s *StartTime) rank(d civil.Date) int {
	switch {
	case len(s.Dates) > 0:
		if slices.Contains(s.Dates, d) {
			return 3
		}
		return 0
	case !s.contains(d):
		return 0
	case s.hasEveryDate():
		return 1
	}
	return 2
}

// hasWeekday reports whether slots start by it on the weekday of a date.
func (s *StartTime) hasWeekday(d civil.Date) bool {
	return len(s.Weekdays) == 0 || slices.Contains(s.Weekdays, WeekdayOf(d.Weekday()))
}

// HasStartTimes reports whether slots of the service start at times of its own, and not from each opening on.
func (svc *Spec) HasStartTimes() bool { return len(svc.StartTimes) > 0 }

// startsOn returns the minutes after midnight at which slots start on a date, of a service that has start times. Those
// of the highest rank count together, and no others.
func (svc *Spec) startsOn(d civil.Date) (starts []int) {
	most := 0
	for i := range svc.StartTimes {
		most = max(most, svc.StartTimes[i].rank(d))
	}
	for i := range svc.StartTimes {
		if s := &svc.StartTimes[i]; most > 0 && s.rank(d) == most && s.hasWeekday(d) {
			for _, at := range s.At {
				starts = append(starts, MinuteOf(string(at)))
			}
		}
	}
	return starts
}

// IsStart reports whether a booking begins at one of the service's start times; of a service without any it does.
func (r *Rules) IsStart(at BookingTime) bool { return !r.Service.HasStartTimes() || r.onGrid(nil, at) }

// weeklyStarts returns how many slots start in a week, at most. Single dates count as if they were each day.
func (svc *Spec) weeklyStarts() (n int) {
	for i := range svc.StartTimes {
		s := &svc.StartTimes[i]
		if days := len(s.Weekdays); days > 0 {
			n += days * len(s.At)
		} else {
			n += 7 * len(s.At)
		}
	}
	return n
}

// checkStartTimes returns problem.ValidationFailed for start times that are too many or contradict themselves.
func (svc *Spec) checkStartTimes() error {
	if err := problem.CheckRange("start_times", len(svc.StartTimes), 0, maxStartTimes); err != nil {
		return err
	}
	for i := range svc.StartTimes {
		if err := svc.StartTimes[i].check(fmt.Sprintf("start_times[%d].", i)); err != nil {
			return err
		}
	}
	return nil
}

func (s *StartTime) check(prefix string) error {
	if err := checkWeekdays(prefix+"weekdays", s.Weekdays); err != nil {
		return err
	}
	if err := s.PartOfYear.check(prefix); err != nil {
		return err
	}
	if len(s.Dates) > 0 && (len(s.Weekdays) > 0 || !s.hasEveryDate()) {
		return problem.Invalid(prefix+"dates", "excluded", "Leave out dates, or weekdays, from and to.")
	}
	if err := problem.CheckRange(prefix+"dates", len(s.Dates), 0, maxStartDates); err != nil {
		return err
	}
	for i, d := range s.Dates {
		if err := datetime.CheckDate(fmt.Sprintf("%sdates[%d]", prefix, i), d); err != nil {
			return err
		}
	}
	if err := problem.CheckRange(prefix+"at", len(s.At), 0, maxStartsADay); err != nil {
		return err
	}
	for i, at := range s.At {
		field := fmt.Sprintf("%sat[%d]", prefix, i)
		if ClockOf(MinuteOf(string(at))) != string(at) || MinuteOf(string(at)) >= datetime.MinutesPerDay {
			return problem.Invalid(field, "invalid_format", "Expected a time of day such as 19:00.")
		}
		if slices.Contains(s.At[:i], at) {
			return problem.Invalid(field, "duplicate", "The time is listed already.")
		}
	}
	return nil
}
