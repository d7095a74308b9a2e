package timetable

import (
	"slices"

	"cloud.google.com/go/civil"
)

// Unavailable is why a party can't book a date or a slot. It is empty if it can.
type Unavailable string

// The reasons. Each is what a booking would be refused for, as far as a date has one reason.
const (
	// TooSoon and TooLate: it is over or within the lead time, or beyond the booking window.
	TooSoon Unavailable = "too_soon"
	TooLate Unavailable = "too_late"
	// ClosedOn: a closure closes what would be open.
	ClosedOn Unavailable = "closed"
	// NoHours: nothing is open long enough.
	NoHours Unavailable = "no_hours"
	// NoArrival: no stay of so many nights begins on this day of the week.
	NoArrival Unavailable = "no_arrival"
	// SoldOut: no unit is free, or the service takes no more bookings on the date.
	SoldOut Unavailable = "sold_out"
	// InTheWay: what is booked or blocked leaves units, but too few for the party, or not all of a resource where a
	// booking takes all, or nothing of what the service needs besides.
	InTheWay Unavailable = "in_the_way"
)

// notOpen returns why none of the resources of the first need is open on a date: ClosedOn if one of them would be but
// for a closure.
func (a *availability) notOpen(d civil.Date) Unavailable {
	if slices.ContainsFunc(a.rules.needs[0].resources, func(res Resource) bool {
		return len(res.Times.Intervals(d)) > 0 && a.rules.closed(&res, d)
	}) {
		return ClosedOn
	}
	return NoHours
}
