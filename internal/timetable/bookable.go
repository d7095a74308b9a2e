package timetable

import (
	"time"

	"cloud.google.com/go/civil"
)

// bookable is what differs between the kinds of services when they are booked.
type bookable interface {
	// timeOf returns the time that w asks for: see Rules.BookingTimeOf.
	timeOf(r *Rules, w When) (BookingTime, error)
	// whenOf returns the request for the time to which a booking moves: what isn't given is as it has it.
	whenOf(r *Rules, has BookingTime, given When) When
	// isAt reports whether a booking that has a time is at another one already. It then is not judged again.
	isAt(r *Rules, has, at BookingTime) bool
	// checkLength returns problem.ValidationFailed for a time that has a length, or a first date, that the service
	// doesn't sell.
	checkLength(r *Rules, at BookingTime) error
	// isOpen reports whether a resource is open at a time.
	isOpen(r *Rules, res *Resource, at BookingTime) bool
	// openDates returns the dates on which a closure is in a booking's way.
	openDates(r *Rules, at BookingTime) []civil.Date
	// isStart reports whether a booking can start at a time. It doesn't check that the resource stays open until the
	// end.
	isStart(r *Rules, res *Resource, at BookingTime) bool
	// earliest returns the first moment at which a booking can begin. leadEnd is when the lead time ends that begins
	// now.
	earliest(r *Rules, leadEnd time.Time) time.Time
	// ofLength returns the rules of a booking that is as long as availability is asked about, and a number for this
	// length; zero where the service has one. Errors: problem.ValidationFailed.
	ofLength(r *Rules, q AvailabilityQuery) (of *Rules, length int, err error)
	// free returns what is free on a date inside the booking window: see availability.day. full says that the service
	// takes no more bookings on the date.
	free(a *availability, d civil.Date, full bool, l *listing) (day Day, cut bool)
	// pageDates returns for how many dates to read the bookings of a page of availability.
	pageDates(r *Rules, daysOnly bool) int
}

// kind returns how the service is booked.
func (r *Rules) kind() bookable { return kinds[r.Service.Kind].bookable }

// WhenOf returns the request for the time to which a booking moves: what isn't given is as it has it.
func (r *Rules) WhenOf(has BookingTime, given When) When { return r.kind().whenOf(r, has, given) }

// IsAt reports whether a booking that has a time is at another one already. It then is not judged again.
func (r *Rules) IsAt(has, at BookingTime) bool { return r.kind().isAt(r, has, at) }
