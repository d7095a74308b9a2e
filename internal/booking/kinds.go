package booking

import (
	"time"

	"cloud.google.com/go/civil"

	"holdfast/internal/timetable"
)

// kind is what differs between the kinds of services when they are booked.
type kind interface {
	// timeOf returns the time that w asks for: see rules.bookingTimeOf.
	timeOf(r *rules, w When) (bookingTime, error)
	// whenOf returns the request for the time to which a booking moves: what isn't given is as it has it.
	whenOf(r *rules, has bookingTime, given When) When
	// isAt reports whether a booking that has a time is at another one already. It then is not judged again.
	isAt(r *rules, has, at bookingTime) bool
	// checkLength returns problem.ValidationFailed for a time that has a length, or a first date, that the service doesn't sell.
	checkLength(r *rules, at bookingTime) error
	// isOpen reports whether a resource is open at a time.
	isOpen(r *rules, res *timetable.Resource, at bookingTime) bool
	// openDates returns the dates on which a closure is in a booking's way.
	openDates(r *rules, at bookingTime) []civil.Date
	// isStart reports whether a booking can start at a time. It doesn't check that the resource stays open until the end.
	isStart(r *rules, res *timetable.Resource, at bookingTime) bool
	// earliest returns the first moment at which a booking can begin. leadEnd is when the lead time ends that begins now.
	earliest(r *rules, leadEnd time.Time) time.Time
	// ofLength returns the rules of a booking that is as long as availability is asked about, and a number for this length; zero where the
	// service has one. Errors: problem.ValidationFailed.
	ofLength(r *rules, q AvailabilityQuery) (of *rules, length int, err error)
	// free returns what is free on a date inside the booking window: see availability.day. full says that the service takes no more
	// bookings on the date.
	free(a *availability, d civil.Date, full bool, l *listing) (day Day, cut bool)
	// pageDates returns for how many dates to read the bookings of a page of availability.
	pageDates(r *rules, daysOnly bool) int
}

// kinds has a row for each kind of the catalog.
var kinds = map[timetable.Kind]kind{
	timetable.KindDate: dateKind{},
	timetable.KindSlot: slotKind{},
	timetable.KindStay: stayKind{},
}

// whenOf returns the request for the time to which a booking moves: what isn't given is as it has it.
func (r *rules) whenOf(has bookingTime, given When) When { return r.kind().whenOf(r, has, given) }

func (r *rules) kind() kind { return kinds[r.service.Kind] }
