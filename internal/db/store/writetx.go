package store

import (
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
	// TenantHours asks for the tenant's hours, and keeps other transactions from changing them.
	TenantHours bool
}

// WriteState is what was read before a change.
type WriteState struct {
	// Now is the database's clock.
	Now time.Time
	// Resource, Service and TenantHours are nil if there is none of that id, or none was asked for.
	Resource *Resource
	Service  *Service
	// Upcoming is what was asked for, in any order. Some of it may be over at Now, or a hold past its expiry.
	Upcoming    []claim.Claim
	TenantHours *TenantHours
}

// Upcoming asks for what occupies a resource, or a resource for a service, after a time. Longest is the longest time
// that one booking can occupy any resource; Since is a date on which no such booking can begin any more.
type Upcoming struct {
	After   time.Time
	Longest time.Duration
	Since   civil.Date
}

// WriteTx is a transaction of one tenant that holds no advisory lock, only locks of rows that it reads. Its methods
// queue what is written when the caller's function returns. None of them writes when and where a booking is; one that
// changes the catalog raises the version that bookings are judged by.
type WriteTx struct {
	transaction
	tenant uuid.UUID
}
