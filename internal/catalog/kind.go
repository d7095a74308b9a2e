package catalog

import (
	"cmp"

	"holdfast/internal/datetime"
	"holdfast/internal/problem"
)

// Kind is how a service is sold.
type Kind string

// The kinds of services.
const (
	// KindDate sells whole civil dates.
	KindDate Kind = "date"
	// KindSlot sells a duration inside the opening hours.
	KindSlot Kind = "slot"
	// KindStay sells nights, from a check-in to a check-out.
	KindStay Kind = "stay"
)

// kindRules is what differs between the kinds of services when they are described. See booking's kinds for when they are booked.
type kindRules struct {
	// wholeDates says that a booking takes whole dates.
	wholeDates bool
	// wholeDateBuffers says that buffers in days are whole dates.
	wholeDateBuffers bool
	// longestDays is how many days, at most, a booking of a service lasts that has no duration in minutes.
	longestDays func(ServiceSpec) int
	// pricedByNight says that a price is of each night.
	pricedByNight bool
	// defaults fills in what the service doesn't say.
	defaults func(*ServiceSpec)
	// check returns problem.ValidationFailed for values that the kind doesn't have, or that are out of bounds.
	check func(ServiceSpec) error
}

// kinds has a row for each kind.
var kinds = map[Kind]kindRules{
	KindDate: {
		wholeDates: true, wholeDateBuffers: true, longestDays: func(ServiceSpec) int { return 1 },
		defaults: func(*ServiceSpec) {}, check: ServiceSpec.checkDateKind,
	},
	KindSlot: {longestDays: ServiceSpec.slotDays, defaults: (*ServiceSpec).setInterval, check: ServiceSpec.checkSlotKind},
	KindStay: {
		wholeDateBuffers: true, pricedByNight: true, longestDays: func(svc ServiceSpec) int { return svc.MaxNights + 1 },
		defaults: (*ServiceSpec).setNights, check: ServiceSpec.checkStayKind,
	},
}

// WholeDates reports whether bookings of the kind take whole dates.
func (k Kind) WholeDates() bool { return kinds[k].wholeDates }

// WholeDateBuffers reports whether buffers in days of the kind are whole dates. Otherwise they reach to the same time of day.
func (k Kind) WholeDateBuffers() bool { return kinds[k].wholeDateBuffers }

// pricedByTime reports whether a price is of a part of a booking's time.
func (svc ServiceSpec) pricedByTime() bool { return kinds[svc.Kind].pricedByNight }

// slotDays is a day until closing: opening hours last a day at most.
func (svc ServiceSpec) slotDays() int {
	if svc.UntilClosing {
		return 1
	}
	return svc.DurationDays
}

// setInterval has slots start every duration, but at least every day.
func (svc *ServiceSpec) setInterval() {
	if svc.SlotIntervalMinutes > 0 {
		return
	}
	svc.SlotIntervalMinutes = min(svc.DurationMinutes, datetime.MinutesPerDay)
	if svc.DurationMinutes == 0 {
		svc.SlotIntervalMinutes = datetime.MinutesPerDay
	}
}

// ofKind is a field that services of some kinds don't have.
type ofKind struct {
	field string
	given bool
}

// slotFields are the fields that only slot services have, stayFields those that only stays have.
func (svc ServiceSpec) slotFields() []ofKind {
	return []ofKind{
		{"duration_minutes", svc.DurationMinutes != 0},
		{"duration_days", svc.DurationDays != 0},
		{"until_closing", svc.UntilClosing},
		{"slot_interval_minutes", svc.SlotIntervalMinutes != 0},
	}
}

func (svc ServiceSpec) stayFields() []ofKind {
	return []ofKind{
		{"check_in", svc.CheckIn != ""},
		{"check_out", svc.CheckOut != ""},
		{"min_nights", svc.MinNights != 0},
		{"max_nights", svc.MaxNights != 0},
		{"arrival_weekdays", len(svc.ArrivalWeekdays) > 0},
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

func (svc ServiceSpec) checkDateKind() error {
	return cmp.Or(notForKind("A date service takes the whole date.", svc.slotFields()...),
		notForKind("Only a stay has it.", svc.stayFields()...))
}

func (svc ServiceSpec) checkSlotKind() error {
	return cmp.Or(notForKind("Only a stay has it.", svc.stayFields()...), svc.checkDuration(),
		problem.CheckRange("slot_interval_minutes", svc.SlotIntervalMinutes, 1, datetime.MinutesPerDay))
}
