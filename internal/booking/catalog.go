package booking

import (
	"cmp"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/datetime"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
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

// Bounds of what a tenant may define. With them a booking touches at most 24 dates, fewer than the locks
// that a transaction may take.
const (
	maxCapacity         = 1000
	maxDurationDays     = 7
	maxDurationMinutes  = maxDurationDays * datetime.MinutesPerDay
	maxBufferDays       = 7
	maxBufferMinutes    = datetime.MinutesPerDay
	maxLeadMinutes      = 366 * datetime.MinutesPerDay
	maxWindowDays       = 3650
	maxServiceResources = 100
	maxPosition         = 1_000_000
)

// DefaultBookingWindowDays is how many days after today can be booked if a service doesn't say.
const DefaultBookingWindowDays = 365

// Resource is a room, person or boat that serves bookings.
type Resource struct {
	ID   uuid.UUID
	Name string
	// Capacity is the number of units that can be taken at the same time, numbered from 1. Bookings from before it was lowered may
	// still have higher units: they count as units in use.
	Capacity int
	// Position orders the tenant's resources where a list asks for that order.
	Position int
	Hours    Hours
	// ArchivedAt is set for a resource that takes no new bookings.
	ArchivedAt *time.Time
	// Version grows with every change.
	Version   int64
	CreatedAt time.Time
	UpdatedAt time.Time

	times timetable // of Hours
}

// BookableService is a service: what is sold, how, and by which resources.
type BookableService struct {
	ID uuid.UUID
	ServiceSpec
	// ArchivedAt is set for a service that takes no new bookings.
	ArchivedAt *time.Time
	// Version grows with every change.
	Version   int64
	CreatedAt time.Time
	UpdatedAt time.Time
	// Currency is the tenant's.
	Currency string
}

// Closure is a period of whole dates, both ends included, at which a resource can't be booked; without a
// resource it closes all of the tenant's.
type Closure struct {
	ID         uuid.UUID
	ResourceID *uuid.UUID
	From, To   civil.Date
	Reason     string
	// ArchivedAt is set for a closure that closes nothing any more.
	ArchivedAt *time.Time
	// Version grows with every change.
	Version   int64
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Check returns problem.ValidationFailed for a blank or unreadable name, a capacity or position out of bounds, or hours that contradict
// themselves.
func (r Resource) Check() error {
	return cmp.Or(tenant.CheckText("name", r.Name), problem.CheckRange("capacity", r.Capacity, 1, maxCapacity),
		problem.CheckRange("position", r.Position, 0, maxPosition), r.Hours.Check())
}

// Check returns problem.ValidationFailed for a period that ends before it starts, and for an unreadable reason.
func (c Closure) Check() error {
	var order, reason error
	if c.Reason != "" {
		reason = tenant.CheckText("reason", c.Reason)
	}
	if c.To.Before(c.From) {
		order = problem.Invalid("to", "before_from", "Expected a date that is not before from.")
	}
	return cmp.Or(datetime.CheckDate("from", c.From), datetime.CheckDate("to", c.To), order, reason)
}

// closes reports whether the closure keeps a resource from being booked on a date.
func (c Closure) closes(resource uuid.UUID, d civil.Date) bool {
	return (c.ResourceID == nil || *c.ResourceID == resource) && !d.Before(c.From) && !d.After(c.To)
}
