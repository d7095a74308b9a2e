package booking

import (
	"cmp"
	"fmt"

	"holdfast/internal/problem"
	"holdfast/internal/timetable"
)

// checkLimits returns problem.ValidationFailed if a visitor asks for more nights, days or units than the tenant's
// limits allow.
func (r *rules) checkLimits(at bookingTime, units int) error {
	l := r.limits
	if !l.AllowNights(r.nightsTaken(at)) {
		field := "service_id" // which sells no other length
		switch {
		case at.nights > 0:
			field = "check_out"
		case at.length != (timetable.Length{}):
			field = at.length.Field()
		}
		return problem.Invalid(field, "too_large",
			fmt.Sprintf("Visitors can take at most %d nights or days at once.", l.Nights))
	}
	if l.AllowUnits(units) {
		return nil
	}
	field := "party_size"
	if len(r.service.UnitTypes) > 0 {
		field = "party"
	}
	return problem.Invalid(field, "too_large", fmt.Sprintf("Visitors can take at most %d at once.", l.Units))
}

// nightsTaken returns the nights of a stay, or the days of a slot; 1 for what takes a day or less.
func (r *rules) nightsTaken(at bookingTime) int {
	if at.nights > 0 {
		return at.nights
	}
	return cmp.Or(at.length, timetable.Length{Minutes: r.service.DurationMinutes, Days: r.service.DurationDays}).Begun()
}

// forVisitors returns the rules of what a visitor can have within the tenant's limits, for availability: stays of no
// more nights, and no slots of more days. availability.orBooked looks at the units.
func (r *rules) forVisitors() *rules {
	of := *r
	of.visitors = true
	switch {
	case r.service.Kind == timetable.KindStay && !r.limits.AllowNights(r.service.MaxNights):
		of.service.MaxNights = r.limits.Nights
	case !r.limits.AllowNights(r.nightsTaken(bookingTime{})):
		of.setResources(nil)
	}
	return &of
}

// orBooked returns what is free without a reason if the party can be booked: if a.ids has more than those from before.
// A visitor can't book more units than the tenant's limits allow.
func (a *availability) orBooked(f vacancy, before int) vacancy {
	limits := a.rules.limits
	if a.rules.visitors && !limits.AllowUnits(f.largest) {
		f.largest = limits.Units
	}
	switch {
	case len(a.ids) == before:
	case a.rules.visitors && !limits.AllowUnits(a.party):
		a.ids, f.reason = a.ids[:before], InTheWay
	default:
		f.reason = ""
	}
	return f
}
