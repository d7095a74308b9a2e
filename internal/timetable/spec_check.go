package timetable

import (
	"cmp"

	"holdfast/internal/problem"
)

// Check returns problem.ValidationFailed for the first field that is out of bounds or doesn't fit the kind.
func (svc Spec) Check() error {
	checks := []error{
		checkBuffer("buffer_before", svc.BufferBeforeMinutes, svc.BufferBeforeDays),
		checkBuffer("buffer_after", svc.BufferAfterMinutes, svc.BufferAfterDays),
		problem.CheckRange("booking_window_days", svc.WindowDays(), 0, MaxWindowDays),
		problem.CheckRange("min_party_size", svc.MinPartySize, 0, MaxCapacity),
		problem.CheckRange("min_lead_minutes", svc.MinLeadMinutes, 0, min(maxLeadMinutes, svc.windowMinutes())),
		svc.checkPrices(),
		svc.Occupies.check(),
		svc.checkNeeds(),
	}
	if svc.MaxPerDay != nil {
		checks = append(checks, problem.CheckRange("max_per_day", *svc.MaxPerDay, 1, 1_000_000))
	}
	if k, known := kinds[svc.Kind]; known {
		checks = append(checks, k.check(svc))
	} else {
		checks = append(checks, problem.Invalid("kind", "not_one_of", "Expected date, slot or stay."))
	}
	return cmp.Or(checks...)
}

// checkDuration returns problem.ValidationFailed unless a slot has exactly one length.
func (svc Spec) checkDuration() error {
	if svc.Vary() {
		return svc.checkVaryingDuration()
	}
	switch {
	case svc.PricePerMinutes != 0:
		return problem.Invalid("price_per_minutes", "not_for_kind",
			"Only a service that sells several durations has it.")
	case svc.UntilClosing && (svc.DurationMinutes != 0 || svc.DurationDays != 0):
		return problem.Invalid("until_closing", "excluded", "Leave out until_closing, or the duration.")
	case svc.UntilClosing:
		return nil
	case svc.DurationDays != 0 && svc.DurationMinutes != 0:
		return problem.Invalid("duration_days", "excluded", "Leave out duration_minutes or duration_days.")
	case svc.DurationDays != 0:
		return problem.CheckRange("duration_days", svc.DurationDays, 1, maxDurationDays)
	}
	if svc.DurationMinutes == 0 {
		return problem.Invalid("duration_minutes", "required",
			"Give duration_minutes or duration_days, or until_closing: true.")
	}
	return problem.CheckRange("duration_minutes", svc.DurationMinutes, 1, maxDurationMinutes)
}

// checkVaryingDuration is checkDuration for a service that sells several lengths.
func (svc Spec) checkVaryingDuration() error {
	for _, one := range []ofKind{
		{"duration_minutes", svc.DurationMinutes != 0}, {"duration_days", svc.DurationDays != 0},
		{"until_closing", svc.UntilClosing},
	} {
		if one.given {
			return problem.Invalid(one.field, "excluded",
				"Leave it out, or leave out the durations of which a booking chooses one.")
		}
	}
	if svc.Occupies == OccupiesSession {
		return problem.Invalid("occupies", "excluded",
			"The bookings of a session last equally long: give units or whole, or one duration.")
	}
	return svc.Durations.check()
}

// checkBuffer returns problem.ValidationFailed for a buffer that is too long, or that is given in minutes and in days.
func checkBuffer(field string, minutes, days int) error {
	if minutes != 0 && days != 0 {
		return problem.Invalid(field+"_days", "excluded", "Leave out "+field+"_minutes or "+field+"_days.")
	}
	return cmp.Or(problem.CheckRange(field+"_minutes", minutes, 0, maxBufferMinutes),
		problem.CheckRange(field+"_days", days, 0, maxBufferDays))
}
