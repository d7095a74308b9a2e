package store

import (
	"errors"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/claim"
)

// WriteRead says what to read before a change that needs no date lock. What is left zero is not read.
type WriteRead struct {
	// Resource and Service ask for one of the tenant's resources and services, whose row is locked.
	Resource *uuid.UUID
	Service  *uuid.UUID
	// Upcoming asks for what Resource or Service occupies from now on.
	Upcoming *Upcoming
	// Customer asks for a customer, whose row is locked.
	Customer *CustomerRead
	// TenantHours asks for the tenant's hours, and keeps other transactions from changing them.
	TenantHours bool
}

// WriteState is what was read before a change.
type WriteState struct {
	// Now is the database's clock.
	Now time.Time
	// Resource, Service, Customer and TenantHours are nil if there is none of that id, or none was asked for.
	Resource *Resource
	Service  *Service
	// Upcoming is what was asked for, in any order. Some of it may be over at Now, or a hold past its expiry.
	Upcoming []claim.Claim
	Customer *Customer
	// Receiving is the customer that receives what the other one has, EarlierMerged who was merged into the customer before.
	Receiving     *Customer
	EarlierMerged []uuid.UUID
	// LockedFirst are the customer's bookings that were locked, Bookings those that it has once its own row is locked, and Wallets its
	// wallets. FormerBookings are those that the customer, or one of EarlierMerged, had before another customer got them; it may have one
	// of them again.
	LockedFirst    []uuid.UUID
	FormerBookings []uuid.UUID
	Bookings       []Booking
	Wallets        []uuid.UUID
	// Overtaken says that one of the bookings changed while they were being locked: in the feed, the next change would come before that
	// one.
	Overtaken   bool
	TenantHours *TenantHours
}

// Upcoming asks for what occupies a resource, or a resource for a service, after a time. Longest is the longest time that one booking
// can occupy any resource; Since is a date on which no such booking can begin any more.
type Upcoming struct {
	After   time.Time
	Longest time.Duration
	Since   civil.Date
}

// CustomerRead asks for a customer and locks its row: nobody changes it, and nobody books for it, until the transaction ends.
type CustomerRead struct {
	ID uuid.UUID
	// Bookings asks for the customer's bookings, present and former, for its wallets and for who was merged into it. The rows of the
	// present bookings are locked, before that of the customer.
	Bookings bool
	// Receiving asks for another customer too, whose row is locked with that of the customer in the order of their ids; the nil uuid for
	// none.
	Receiving uuid.UUID
}

// ErrBookingsChanged says that a customer got another booking, or that one of its bookings changed, while its bookings were being locked.
// The caller begins again.
var ErrBookingsChanged = errors.New("store: the customer's bookings changed")

// BookingsChanged returns ErrBookingsChanged if the customer's bookings aren't those that were locked, or if one of them changed meanwhile.
func (st WriteState) BookingsChanged() error {
	if st.Overtaken || len(st.Bookings) != len(st.LockedFirst) {
		return ErrBookingsChanged
	}
	return nil
}

// WriteTx is a transaction of one tenant that holds no advisory lock, only locks of rows that it reads. Its methods queue what is written
// when the caller's function returns. None of them writes when and where a booking is; one that changes the catalog raises the version that
// bookings are judged by.
type WriteTx struct {
	transaction
	tenant uuid.UUID
}
