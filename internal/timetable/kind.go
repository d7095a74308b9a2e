package timetable

import (
	"cmp"

	"holdfast/internal/datetime"
	"holdfast/internal/problem"
)

// ServiceKind is how a service is sold.
type ServiceKind string

// The kinds of services.
const (
	// KindDate sells whole civil dates.
	KindDate ServiceKind = "date"
	// KindSlot sells a duration inside the opening hours.
	KindSlot ServiceKind = "slot"
	// KindStay sells nights, from a check-in to a check-out.
	KindStay ServiceKind = "stay"
)

// kindRules is what differs between the kinds of services: when they are described, and when they are booked.
type kindRules struct {
	bookable
	// wholeDates says that a booking takes whole dates.
	wholeDates bool
	// wholeDateBuffers says that buffers in days are whole dates.
	wholeDateBuffers bool
	// longestDays is how many days, at most, a booking of a service lasts that has no duration in minutes.
	longestDays func(Spec) int
	// pricedByNight says that a price is of each night.
	pricedByNight bool
	// defaults fills in what the service doesn't say.
	defaults func(*Spec)
	// check returns problem.ValidationFailed for values that the kind doesn't have, or that are out of bounds.
	check func(Spec) error
}

// kinds has a row for each kind.
var kinds = map[ServiceKind]kindRules{
	KindDate: {
		bookable: dateKind{}, wholeDates: true, wholeDateBuffers: true, longestDays: Spec.dateDays,
		defaults: func(*Spec) {}, check: Spec.checkDateKind,
	},
	KindSlot: {bookable: slotKind{}, longestDays: Spec.slotDays, defaults: (*Spec).setInterval,
		check: Spec.checkSlotKind},
	KindStay: {
		bookable: stayKind{}, wholeDateBuffers: true, pricedByNight: true,
		longestDays: func(svc Spec) int { return svc.MaxNights + 1 },
		defaults:    (*Spec).setNights, check: Spec.checkStayKind,
	},
}

// WholeDates reports whether bookings of the kind take whole dates.
func (k ServiceKind) WholeDates() bool { return kinds[k].wholeDates }

// wholeDateBuffers reports whether buffers in days of the kind are whole dates. Otherwise they reach to the same time
// of day.
func (k ServiceKind) wholeDateBuffers() bool { return kinds[k].wholeDateBuffers }

// pricedByTime reports whether a price is of a part of a booking's time.
func (svc Spec) pricedByTime() bool { return kinds[svc.Kind].pricedByNight || svc.Vary() }

// dateDays is how many dates a booking of a date takes.
func (svc Spec) dateDays() int {
	if svc.EndsNextDate() {
		return 2
	}
	return 1
}

// StartsMinute and EndsMinute return when bookings of a date service begin and end, in minutes after midnight by the
// clock: both 0 for one that lasts from midnight to midnight.
func (svc Spec) StartsMinute() int { return MinuteOf(svc.Starts) }

// EndsMinute is described with StartsMinute.
func (svc Spec) EndsMinute() int { return MinuteOf(svc.Ends) }

// EndsNextDate reports whether bookings of a date service end on the date after their own, later than at its midnight.
func (svc Spec) EndsNextDate() bool {
	return svc.EndsMinute() > 0 && svc.EndsMinute() <= svc.StartsMinute()
}

// slotDays is how many days a slot has beside its minutes. A slot until closing counts as one day: opening hours last
// at most a day.
func (svc Spec) slotDays() int {
	if svc.UntilClosing {
		return 1
	}
	return svc.DurationDays
}

// setInterval sets the default interval of slots: their duration, at most a day.
func (svc *Spec) setInterval() {
	if svc.SlotIntervalMinutes > 0 {
		return
	}
	duration := svc.DurationMinutes
	if svc.Vary() {
		duration = svc.Shortest().Minutes
	}
	svc.SlotIntervalMinutes = min(duration, datetime.MinutesPerDay)
	if duration == 0 {
		svc.SlotIntervalMinutes = datetime.MinutesPerDay
	}
}

// ofKind is a field that services of some kinds don't have.
type ofKind struct {
	field string
	given bool
}

// dateFields are the fields that only date services have, slotFields and stayFields those that only slot services and
// stays have.
func (svc Spec) dateFields() []ofKind {
	return []ofKind{{"starts", svc.Starts != ""}, {"ends", svc.Ends != ""}}
}

func (svc Spec) slotFields() []ofKind {
	return []ofKind{
		{"duration_minutes", svc.DurationMinutes != 0},
		{"duration_days", svc.DurationDays != 0},
		{"until_closing", svc.UntilClosing},
		{"slot_interval_minutes", svc.SlotIntervalMinutes != 0},
		{"start_times", len(svc.StartTimes) > 0},
		{"durations", len(svc.Durations.Durations) > 0},
		{"min_duration_minutes", svc.MinDurationMinutes != 0},
		{"max_duration_minutes", svc.MaxDurationMinutes != 0},
		{"duration_step_minutes", svc.DurationStepMinutes != 0},
		{"price_per_minutes", svc.PricePerMinutes != 0},
	}
}

func (svc Spec) stayFields() []ofKind {
	return []ofKind{
		{"check_in", svc.CheckIn != ""},
		{"check_out", svc.CheckOut != ""},
		{"min_nights", svc.MinNights != 0},
		{"max_nights", svc.MaxNights != 0},
		{"arrival_weekdays", len(svc.ArrivalWeekdays) > 0},
		{"departure_weekdays", len(svc.DepartureWeekdays) > 0},
		{"nights_multiple", svc.NightsMultiple != 0},
		{"arrival_rules", len(svc.ArrivalRules) > 0},
		{"sell_gaps", svc.SellGaps},
	}
}

// notForKind returns problem.ValidationFailed for the first of the fields that is given.
func notForKind(detail string, fields ...ofKind) error {
	for _, f := range fields {
		if f.given {
			return problem.Invalid(f.field, "not_for_kind", detail)
		}
	}
	return nil
}

func (svc Spec) checkDateKind() error {
	for _, clock := range []struct{ field, text, other string }{{"starts", svc.Starts, svc.Ends},
		{"ends", svc.Ends, svc.Starts}} {
		if clock.text == "" && clock.other != "" {
			return problem.Invalid(clock.field, "required", "Give both starts and ends, or neither.")
		}
	}
	return cmp.Or(notForKind("A date service takes the whole date.", svc.slotFields()...),
		notForKind("Only a stay has it.", svc.stayFields()...))
}

func (svc Spec) checkSlotKind() error {
	return cmp.Or(notForKind("Only a stay has it.", svc.stayFields()...),
		notForKind("Only a date service has it.", svc.dateFields()...),
		svc.checkDuration(),
		svc.checkStartTimes(),
		problem.CheckRange("slot_interval_minutes", svc.SlotIntervalMinutes, 1, datetime.MinutesPerDay))
}
