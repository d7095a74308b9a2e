package catalog

import (
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
)

// kindRules is what differs between the kinds of services when they are described. See booking's kinds for when they are booked.
type kindRules struct {
	// wholeDates says that a booking begins and ends at midnight.
	wholeDates bool
	// defaults fills in what the service doesn't say.
	defaults func(*ServiceSpec)
	// check returns problem.ValidationFailed for values that the kind doesn't have, or that are out of bounds.
	check func(ServiceSpec) error
}

// kinds has a row for each kind.
var kinds = map[Kind]kindRules{
	KindDate: {wholeDates: true, defaults: func(*ServiceSpec) {}, check: ServiceSpec.checkDateKind},
	KindSlot: {defaults: (*ServiceSpec).setInterval, check: ServiceSpec.checkSlotKind},
}

// WholeDates reports whether bookings of the kind are of whole dates.
func (k Kind) WholeDates() bool { return kinds[k].wholeDates }

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

func (svc ServiceSpec) checkDateKind() error {
	for _, value := range []struct {
		field  string
		given  bool
		detail string
	}{
		{"duration_minutes", svc.DurationMinutes != 0, "A date service takes the whole date."},
		{"duration_days", svc.DurationDays != 0, "A date service takes the whole date."},
		{"until_closing", svc.UntilClosing, "A date service takes the whole date."},
		{"slot_interval_minutes", svc.SlotIntervalMinutes != 0, "A date service has no slots."},
	} {
		if value.given {
			return problem.Invalid(value.field, "not_for_kind", value.detail)
		}
	}
	return nil
}

func (svc ServiceSpec) checkSlotKind() error {
	if err := svc.checkDuration(); err != nil {
		return err
	}
	return problem.CheckRange("slot_interval_minutes", svc.SlotIntervalMinutes, 1, datetime.MinutesPerDay)
}
