package catalog

import (
	"cmp"
	"fmt"

	"github.com/google/uuid"

	"holdfast/internal/datetime"
	"holdfast/internal/problem"
	"holdfast/internal/settings"
	"holdfast/internal/tenant"
)

// Check returns problem.ValidationFailed for the first field that is out of bounds or doesn't fit the kind.
func (o ServiceSpec) Check() error {
	checks := []error{
		tenant.CheckText("name", o.Name),
		checkBuffer("buffer_before", o.BufferBeforeMinutes, o.BufferBeforeDays),
		checkBuffer("buffer_after", o.BufferAfterMinutes, o.BufferAfterDays),
		problem.CheckRange("booking_window_days", o.WindowDays(), 0, maxWindowDays),
		problem.CheckRange("min_lead_minutes", o.MinLeadMinutes, 0, min(maxLeadMinutes, o.windowMinutes())),
		o.checkPrices(),
		o.Terms.check(),
		problem.CheckRange("resource_ids", len(o.ResourceIDs), 1, maxServiceResources),
		o.checkReminders(),
		o.Metadata.Check(),
	}
	if o.MaxPerDay != nil {
		checks = append(checks, problem.CheckRange("max_per_day", *o.MaxPerDay, 1, 1_000_000))
	}
	switch o.Kind {
	case KindSlot:
		checks = append(checks, o.checkDuration(),
			problem.CheckRange("slot_interval_minutes", o.SlotIntervalMinutes, 1, datetime.MinutesPerDay))
	case KindDate:
		for _, length := range []struct {
			field string
			given bool
		}{{"duration_minutes", o.DurationMinutes != 0}, {"duration_days", o.DurationDays != 0}, {"until_closing", o.UntilClosing}} {
			if length.given {
				checks = append(checks, problem.Invalid(length.field, "not_for_kind", "A date service takes the whole date."))
			}
		}
		if o.SlotIntervalMinutes != 0 {
			checks = append(checks, problem.Invalid("slot_interval_minutes", "not_for_kind", "A date service has no slots."))
		}
	default:
		checks = append(checks, problem.Invalid("kind", "not_one_of", "Expected date or slot."))
	}
	seen := make(map[uuid.UUID]bool, len(o.ResourceIDs))
	for i, id := range o.ResourceIDs {
		if seen[id] {
			checks = append(checks, problem.Invalid(fmt.Sprintf("resource_ids[%d]", i), "duplicate", "The resource is listed already."))
		}
		seen[id] = true
	}
	return cmp.Or(checks...)
}

func (o ServiceSpec) checkReminders() error {
	_, err := settings.Reminders("reminders", o.Reminders)
	return err
}

// checkDuration returns problem.ValidationFailed unless a slot has exactly one length.
func (o ServiceSpec) checkDuration() error {
	switch {
	case o.UntilClosing && (o.DurationMinutes != 0 || o.DurationDays != 0):
		return problem.Invalid("until_closing", "excluded", "Leave out until_closing, or the duration.")
	case o.UntilClosing:
		return nil
	case o.DurationDays != 0 && o.DurationMinutes != 0:
		return problem.Invalid("duration_days", "excluded", "Leave out duration_minutes or duration_days.")
	case o.DurationDays != 0:
		return problem.CheckRange("duration_days", o.DurationDays, 1, maxDurationDays)
	}
	if o.DurationMinutes == 0 {
		return problem.Invalid("duration_minutes", "required", "Give duration_minutes or duration_days, or until_closing: true.")
	}
	return problem.CheckRange("duration_minutes", o.DurationMinutes, 1, maxDurationMinutes)
}

// checkBuffer returns problem.ValidationFailed for a buffer that is too long, or that is given in minutes and in days.
func checkBuffer(field string, minutes, days int) error {
	if minutes != 0 && days != 0 {
		return problem.Invalid(field+"_days", "excluded", "Leave out "+field+"_minutes or "+field+"_days.")
	}
	return cmp.Or(problem.CheckRange(field+"_minutes", minutes, 0, maxBufferMinutes),
		problem.CheckRange(field+"_days", days, 0, maxBufferDays))
}
