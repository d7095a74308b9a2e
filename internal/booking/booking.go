package booking

import (
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/catalog"
	"holdfast/internal/customer"
	"holdfast/internal/datetime"
	"holdfast/internal/etag"
	"holdfast/internal/event"
	"holdfast/internal/timetable"
)

// Booking is a customer's claim on a resource's time.
type Booking struct {
	ID         uuid.UUID
	ServiceID  uuid.UUID
	ResourceID uuid.UUID
	Details
	// Code is short, to be read over the phone.
	Code string
	// Customer has the id and the birthday of the customer, and otherwise the contact that was given for this booking.
	// It is the zero Customer for a hold whose customer is not known yet.
	Customer customer.Customer
	Status   Status
	// Date is the civil date of StartsAt in Location: of a stay its check-in date. The check-out date is that of
	// EndsAt.
	Date             civil.Date
	StartsAt, EndsAt time.Time
	Location         *time.Location
	PartySize        int
	// Nights is how many nights a stay is for; 0 for what isn't one.
	Nights int
	// HoldExpiresAt is when a hold ends by itself; it stays set when the hold was confirmed.
	HoldExpiresAt *time.Time
	// Price and Deposit are minor units of Currency, as they were when the booking was made or quoted anew.
	Price, Deposit int64
	Currency       string
	// Items add up to Price.
	Items []timetable.Item
	// Terms are the service's as they were when the booking was made or quoted anew.
	catalog.Terms
	// CancellationFee is what is kept, or due, of the price of a booking that ended by its cancellation policy, in
	// minor units; CancellationFeeSet says that the request that ended the booking said it, whether or not there is a
	// policy. CancellationReason is nil unless one was given.
	CancellationFee    int64
	CancellationFeeSet bool
	CancellationReason *string
	Balance
	// Due is what is still to pay, Overpaid what was paid too much; see State.Due and State.Overpaid. Minor units of
	// Currency.
	Due, Overpaid int64
	// Version grows with every change, those of the money included.
	Version              int64
	CreatedAt, UpdatedAt time.Time
	StatusTimes
	// LinkRevision is what the links carry that lead the customer to the booking. Links with another one don't work any
	// more.
	LinkRevision int
	// Known is the customer as it is known, without the contact that was given for the booking. Greetings depend on its
	// time zone.
	Known customer.Customer

	busyFrom, busyUntil time.Time
	sessionID           *uuid.UUID  // nil if it is in none
	furtherIDs          []uuid.UUID // the resources that it has beside ResourceID
	storedVersion       int64       // without the money's changes
}

// HasCustomer reports whether the customer is known. It is of every booking but a hold, or what became of a hold that
// was never confirmed.
func (b Booking) HasCustomer() bool { return b.Customer.ID != uuid.Nil }

func (b Booking) customerID() *uuid.UUID {
	if !b.HasCustomer() {
		return nil
	}
	return &b.Customer.ID
}

// ResourceIDs returns all resources that the booking has.
func (b Booking) ResourceIDs() []uuid.UUID { return append([]uuid.UUID{b.ResourceID}, b.furtherIDs...) }

// booked returns the booking for the rules of the timetable.
func (b Booking) booked() timetable.Booking {
	return timetable.Booking{
		ID: b.ID, ResourceIDs: b.ResourceIDs(), SessionID: b.sessionID,
		BookingTime: timetable.BookedTime(b.Date, b.StartsAt, b.EndsAt, b.busyFrom, b.busyUntil, b.Nights),
	}
}

// checkOut returns the check-out date of a stay.
func (b Booking) checkOut() civil.Date { return datetime.DateOf(b.EndsAt, b.Location) }

// LengthOf returns how long a booking of a service is that sells several lengths, in a time zone: in days if the
// service sells so many, and otherwise in minutes.
func (b Booking) LengthOf(svc catalog.ServiceSpec, loc *time.Location) timetable.Length {
	return svc.LengthBetween(b.StartsAt, b.EndsAt, loc)
}

// WholeDates reports whether the booking begins and ends at midnight.
func (b Booking) WholeDates() bool {
	atMidnight := func(at time.Time) bool {
		return at.Equal(datetime.StartOfDay(datetime.DateOf(at, b.Location), b.Location))
	}
	return atMidnight(b.StartsAt) && atMidnight(b.EndsAt)
}

// State returns what decides about the booking's changes and its money.
func (b Booking) State() State {
	s := State{Status: b.Status, HoldExpiresAt: b.HoldExpiresAt}
	return s.withFee(b.CancellationFeeSet || b.CancellationPolicy.Given(), b.CancellationFee)
}

// UnitNights returns what the booking takes of what is sold, as CreateRequest.UnitNights counts it.
func (b Booking) UnitNights() int {
	return b.PartySize * max(b.Nights, datetime.DateOf(b.EndsAt, b.Location).DaysSince(b.Date), 1)
}

// Subject names the booking as what events are about.
func (b Booking) Subject() event.Subject {
	return event.Subject{Type: event.SubjectBooking, ID: b.ID}
}

// DepositDue returns what is still to pay of the deposit at now, in minor units of Currency.
func (b Booking) DepositDue(now time.Time) int64 {
	return b.State().DepositDue(b.Deposit, b.Price, b.Balance, now)
}

// updateDue sets what the booking owes and what is too much at now.
func (b *Booking) updateDue(now time.Time) {
	b.Due, b.Overpaid = b.State().Due(b.Price, b.Balance, now), b.State().Overpaid(b.Price, b.Balance, now)
}

// ETag returns the strong entity tag of the booking's version.
func (b Booking) ETag() string { return etag.Of(b.Version) }
