package booking

import (
	"context"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/claim"
	"holdfast/internal/customer"
	"holdfast/internal/db"
	"holdfast/internal/lock"
)

// reads say what to read once the date locks are held. What is left zero is not read.
type reads struct {
	// Occupied asks for what is occupied.
	Occupied claim.Query
	// CountService asks how many bookings that service has on CountDate, a civil date in the tenant's time zone. Those
	// of one session count as one. CountExcept isn't counted; nil counts all.
	CountService, CountExcept *uuid.UUID
	CountDate                 civil.Date
	// Email asks for the customer with that address, lower-case; CustomerID for the one with that id.
	Email      string
	CustomerID *uuid.UUID
	// NamesInUse asks which names of a booking are in use.
	NamesInUse bookingNames
	// VisitorHolds asks how many holds of the customer with the address Email visitors made that last: it counts up to
	// so many, and zero doesn't ask. VisitorHoldExcept isn't counted; nil counts all.
	VisitorHolds      int
	VisitorHoldExcept *uuid.UUID
	// Booking asks for a booking, OpenPayment for its open payment or refund. Only requests that share no transaction
	// ask.
	Booking     *uuid.UUID
	OpenPayment bool
}

// state is what was read under the date locks.
type state struct {
	// Now is the database's clock, read after the locks were granted. Holds expire by it.
	Now time.Time
	// CatalogVersion is the version of the tenant's services, resources, hours, closures and blocks.
	CatalogVersion int64
	// Occupied is what touches the period that was asked for. Other requests may share the slice: the caller only reads
	// it, and doesn't keep it.
	Occupied []claim.Claim
	// Count is how many bookings the counted service has.
	Count int
	// Customer is nil if there is none of that address or id.
	Customer *customer.Row
	// NamesInUse are the names that were asked for and are in use: an id by a thing of the tenant that has a history, a
	// reference by a booking.
	NamesInUse bookingNames
	// VisitorHolds is how many holds of the customer visitors made that last. Those that other transactions write at
	// this moment aren't among them: the customer has no lock.
	VisitorHolds int
	// Booking and OpenPayment are nil if there is none, or none was asked for.
	Booking     *Row
	OpenPayment *OpenPayment
}

// datesTx is a transaction that holds the locks of a tenant's dates, with what a request writes there.
type datesTx struct {
	*db.DatesTx

	customers []customer.Booked
	bookings  []newRow
	late      []func() // queue what is written after the customers
}

// insert queues a booking. It returns an error, which is a defect of the caller, when the booking touches a date whose
// lock isn't held.
func (tx *datesTx) insert(b newRow) error {
	if err := tx.Require("insert a booking", b.BusyFrom, b.BusyUntil, b.Location); err != nil {
		return err
	}
	tx.bookings = append(tx.bookings, b)
	return nil
}

// putCustomer queues a customer: a new one, or the new values of the one that was read. Of the one that was read, the
// name, phone, time zone and birthday that differ are written; nil leaves them as they are. Without replaces they are
// only filled in: what another transaction wrote meanwhile stays. A new customer whose email another request takes in
// the meantime is not written: the transaction then runs again, and finds the customer that has it. In the feed, the
// customer's change comes before the changes that are queued after this call.
func (tx *datesTx) putCustomer(c customer.Row, replaces bool) {
	tx.customers = append(tx.customers, customer.NewBooked(c, replaces, tx.Actor()))
}

// afterCustomers has queue called after the customers that the transaction writes were queued.
func (tx *datesTx) afterCustomers(queue func()) { tx.late = append(tx.late, queue) }

// groupRequest is what a request asks of a transaction that several requests may share.
type groupRequest struct {
	reads  reads
	decide func(*datesTx, state) error
}

// book runs decide in a transaction that holds the locks `{tenant}:{date}` of keys, and that other requests of this
// process may share: see db.Group. request is what is served, nil for a booking without a key. What asked asks for was
// read after the locks were granted. When decide returns an error, or queues nothing, nothing of it is written. decide
// may be run several times, in another goroutine while this one waits, and must not have effects of its own.
//
// Errors: decide's own; problem.SlotUnavailable when the exclusion constraint refused the booking;
// problem.AlreadyExists for an id or a reference that another booking took at the same time; those of db.Group.Run.
func (s *Service) book(ctx context.Context, request *db.Request, keys lock.DateKeys, asked reads,
	decide func(*datesTx, state) error,
) error {
	return s.group.Run(ctx, "book", request, keys, groupRequest{asked, decide})
}

// beginGroup queues what the requests of one transaction read.
func beginGroup(tx *db.Tx, requests []groupRequest) db.Work {
	shared := newSharedReads(tx, requests...)
	shared.queue()
	return shared
}

// dates runs decide in a transaction of its own that holds the locks `{tenant}:{date}` of keys. What asked asks for was
// read after the locks were granted, and the booking that it asks for is locked. It is otherwise like book.
//
// Errors: decide's own; problem.SlotUnavailable when the exclusion constraint refused a booking; problem.AlreadyExists
// for a reference that another booking took; those of db.DB.Dates.
func (s *Service) dates(ctx context.Context, request *db.Request, keys lock.DateKeys, asked reads,
	decide func(*datesTx, state) error,
) error {
	return s.db.Dates(ctx, request, keys, func(locked *db.DatesTx) func() error {
		if asked.Booking != nil {
			// Before the customers are read: the erasure of the booking's customer waits for this lock, or has ended.
			QueueLock(locked, *asked.Booking)
		}
		shared := newSharedReads(locked, groupRequest{asked, decide})
		shared.queue()
		return func() error {
			err := shared.Decide(0, locked)
			if err == nil {
				shared.Write(locked)
			}
			return err
		}
	})
}

// readDates reads what dates reads, in one round trip and without a lock: it may be otherwise a moment later. Errors:
// problem.DatabaseUnavailable.
func (s *Service) readDates(ctx context.Context, tenant uuid.UUID, asked reads) (st state, err error) {
	var shared *sharedReads
	err = s.db.Read(ctx, "read what a booking is judged by", tenant, func(tx *db.Tx) {
		shared = newSharedReads(tx, groupRequest{reads: asked})
		shared.queue()
	})
	if err == nil {
		st = shared.state(0)
	}
	return st, err
}
