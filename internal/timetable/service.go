package timetable

import "github.com/google/uuid"

// Service is what is sold, as far as the rules ask.
type Service struct {
	ID uuid.UUID
	// Name is what the items of a price are called by.
	Name string
	Spec
	// Currency is the tenant's.
	Currency string
	// Archived says that it takes no new bookings.
	Archived bool
}

// Resource is what serves bookings, as far as the rules ask.
type Resource struct {
	ID uuid.UUID
	// Capacity is the number of units that can be taken at the same time, numbered from 1. Bookings from before it was
	// lowered may still have higher units: they count as units in use.
	Capacity int
	// Times are when it is open, by the clock in the tenant's time zone.
	Times Times
}
