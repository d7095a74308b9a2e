package timetable

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"holdfast/internal/problem"
)

// MaxNights bounds the nights of a stay: each has a date, and the check-out has one too.
const MaxNights = maxStayDates - 1

// setNights fills in the bounds of a stay.
func (svc *Spec) setNights() {
	svc.MinNights = max(svc.MinNights, 1)
	if svc.MaxNights == 0 {
		svc.MaxNights = max(svc.MinNights, defaultMaxNights)
	}
}

// checkInMinute and checkOutMinute return when stays begin and end, in minutes after midnight by the clock.
func (svc Spec) checkInMinute() int { return MinuteOf(svc.CheckIn) }

// checkOutMinute is described with checkInMinute.
func (svc Spec) checkOutMinute() int { return MinuteOf(svc.CheckOut) }

// arrivesOn reports whether stays can begin on a day of the week.
func (svc Spec) arrivesOn(day time.Weekday) bool {
	return len(svc.ArrivalWeekdays) == 0 || slices.Contains(svc.ArrivalWeekdays, WeekdayOf(day))
}

func (svc Spec) checkStayKind() error {
	if svc.Occupies == OccupiesSession {
		return problem.Invalid("occupies", "not_for_kind",
			"A stay is shared with no other booking: give units or whole.")
	}
	for _, clock := range []struct{ field, text string }{{"check_in", svc.CheckIn}, {"check_out", svc.CheckOut}} {
		if clock.text == "" {
			return problem.Invalid(clock.field, "required",
				"Say at what time a stay begins and ends, such as 15:00 and 10:00.")
		}
	}
	switch {
	case svc.checkOutMinute() == 0:
		return problem.Invalid("check_out", "too_small",
			"Expected a time after 00:00: a stay ends on its check-out date.")
	case svc.checkInMinute() < svc.checkOutMinute():
		return problem.Invalid("check_in", "before_check_out",
			"Expected a time that is not before check_out: the next guest arrives on the date on which the former one leaves.")
	}
	return cmp.Or(
		notForKind("A stay lasts from its check-in to its check-out.",
			append(svc.slotFields(), svc.dateFields()...)...),
		checkWeekdays("arrival_weekdays", svc.ArrivalWeekdays),
		problem.CheckRange("min_nights", svc.MinNights, 1, MaxNights),
		problem.CheckRange("max_nights", svc.MaxNights, svc.MinNights, MaxNights),
		svc.checkArrivalRules(),
		svc.checkStayDates(),
	)
}

// checkStayDates returns problem.ValidationFailed if the longest stay touches more dates than a transaction may lock.
func (svc Spec) checkStayDates() error {
	dates := svc.MaxNights + 1
	// Whole dates: the last one of a buffer before is the check-in date, the first one of a buffer after is the
	// check-out date.
	dates += max(svc.BufferBeforeDays-1, 0) + max(svc.BufferAfterDays-1, 0)
	for _, minutes := range []int{svc.BufferBeforeMinutes, svc.BufferAfterMinutes} {
		if minutes > 0 {
			dates += 2 // a day may have 23 hours
		}
	}
	if dates > maxStayDates {
		return problem.Invalid("max_nights", "too_large",
			fmt.Sprintf("A stay touches at most %d dates, its check-out date and its buffers included: leave out %d nights.",
				maxStayDates, dates-maxStayDates))
	}
	return nil
}
