package store

import (
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/claim"
	"holdfast/internal/db"
)

// BookRead says what to read once the date locks are held. What is left zero is not read.
type BookRead struct {
	// Occupied asks for what is occupied.
	Occupied claim.Query
	// CountService asks how many bookings that service has on CountDate, a civil date in the tenant's time zone. Those of one session count
	// as one. CountExcept isn't counted; nil counts all.
	CountService, CountExcept *uuid.UUID
	CountDate                 civil.Date
	// Email asks for the customer with that address, lower-case; CustomerID for the one with that id.
	Email      string
	CustomerID *uuid.UUID
	// NamesInUse asks which names of a booking are in use.
	NamesInUse BookingNames
	// VisitorHolds asks how many holds of the customer with the address Email visitors made that last: it counts up to so
	// many, and zero doesn't ask. VisitorHoldExcept isn't counted; nil counts all.
	VisitorHolds      int
	VisitorHoldExcept *uuid.UUID
}

// BookingNames are what a booking is found by, besides its code. What is nil isn't asked for.
type BookingNames struct {
	ID                           *uuid.UUID
	Reference, ExternalReference *string
}

// BookState is what was read under the date locks.
type BookState struct {
	// Now is the database's clock, read after the locks were granted. Holds expire by it.
	Now time.Time
	// CatalogVersion is the version of the tenant's services, resources, hours, closures and blocks.
	CatalogVersion int64
	// Occupied is what touches the period that was asked for. Other requests may share the slice: the caller only reads it, and
	// doesn't keep it.
	Occupied []claim.Claim
	// Count is how many bookings the counted service has.
	Count int
	// Customer is nil if there is none of that address or id.
	Customer *Customer
	// NamesInUse are the names that were asked for and are in use: an id by a booking, a customer, a resource or a service of the tenant, a
	// reference by a booking.
	NamesInUse BookingNames
	// VisitorHolds is how many holds of the customer visitors made that last. Those that other transactions write at this
	// moment aren't among them: the customer has no lock.
	VisitorHolds int
}

// bookRequest is one call of Book.
type bookRequest struct {
	read   BookRead
	decide func(*BookTx, BookState) error
}

// BookTx is a transaction that holds the date locks of a tenant's dates and can book them. Only Store.Book and
// Store.Dates make a useful one. Its methods queue what is written when the caller's function returns; the tenant comes from
// the locks.
type BookTx struct {
	*db.DatesTx
	customers []putCustomer
	bookings  []NewBooking
}

// InsertBooking queues a booking. It returns an error, which is a defect of the caller, when the booking touches a date whose
// lock isn't held.
func (tx *BookTx) InsertBooking(b NewBooking) error {
	if err := tx.Require("insert a booking", b.BusyFrom, b.BusyUntil, b.Location); err != nil {
		return err
	}
	tx.bookings = append(tx.bookings, b)
	return nil
}

// PutCustomer queues a customer: a new one, or the new values of the one that was read. Of the one that was read, the name,
// phone, time zone and birthday that differ are written; nil leaves them as they are. Without replaces they are only filled in: what
// another transaction wrote meanwhile stays. A new customer whose email another request takes in the meantime is not written: the
// transaction then runs again, and finds the customer that has it. In the feed, the customer's change comes before the changes that are
// queued after this call.
func (tx *BookTx) PutCustomer(c Customer, replaces bool) {
	tx.customers = append(tx.customers,
		putCustomer{Customer: c, replaces: replaces, changeID: uuid.Must(uuid.NewV7()), actor: tx.Actor()})
}
