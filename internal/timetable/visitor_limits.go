package timetable

import (
	"cmp"
	"fmt"

	"holdfast/internal/problem"
)

// CheckLimits returns problem.ValidationFailed if a visitor asks for more nights, days or units than the tenant's
// limits allow.
func (r *Rules) CheckLimits(at BookingTime, units int) error {
	l := r.Limits
	if !l.AllowNights(r.nightsTaken(at)) {
		field := "service_id" // which sells no other length
		switch {
		case at.Nights > 0:
			field = "check_out"
		case at.length != (Length{}):
			field = at.length.Field()
		}
		return problem.Invalid(field, "too_large",
			fmt.Sprintf("Visitors can take at most %d nights or days at once.", l.Nights))
	}
	if l.AllowUnits(units) {
		return nil
	}
	return problem.Invalid(r.Service.partyField(), "too_large",
		fmt.Sprintf("Visitors can take at most %d at once.", l.Units))
}

// nightsTaken returns the nights of a stay, or the days of a slot; 1 for what takes a day or less.
func (r *Rules) nightsTaken(at BookingTime) int {
	if at.Nights > 0 {
		return at.Nights
	}
	return cmp.Or(at.length, Length{Minutes: r.Service.DurationMinutes, Days: r.Service.DurationDays}).Begun()
}

// forVisitors returns the rules of what a visitor can have within the tenant's limits, for availability: stays of no
// more nights, and no slots of more days. availability.vacancyOf looks at the units.
func (r *Rules) forVisitors() *Rules {
	of := *r
	of.visitors = true
	switch {
	case r.Service.Kind == KindStay && !r.Limits.AllowNights(r.Service.MaxNights):
		of.Service.MaxNights = r.Limits.Nights
	case !r.Limits.AllowNights(r.nightsTaken(BookingTime{})):
		of.SetResources(nil)
	}
	return &of
}
