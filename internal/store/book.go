package store

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/lock"
	"holdfast/internal/problem"
)

// BookRead says what to read once the calendar locks are held. What is left zero is not read.
type BookRead struct {
	// Key is the request's idempotency key. With it the transaction can be run again after a lost commit.
	Key string
	// Occupied asks for what is occupied.
	Occupied Period
	// CountService asks how many bookings that service has on CountDate, a civil date in the tenant's time zone.
	CountService *uuid.UUID
	CountDate    civil.Date
	// Email asks for the customer with that address, lower-case; CustomerID for the one with that id.
	Email      string
	CustomerID *uuid.UUID
}

// BookState is what was read under the calendar locks.
type BookState struct {
	// Now is the database's clock, read after the locks were granted. Holds expire by it.
	Now time.Time
	// CatalogVersion is the version of the tenant's services, resources, hours and closures.
	CatalogVersion int64
	// StoredResponse is the response stored under the key, nil if the key is free.
	StoredResponse *StoredResponse
	// Occupied is what touches the period that was asked for. Other requests may share the slice: the caller only reads it, and
	// doesn't keep it.
	Occupied []Occupancy
	// Count is how many bookings the counted service has.
	Count int
	// Customer is nil if there is none of that address or id.
	Customer *Customer
}

// bookRequest is one call of Book.
type bookRequest struct {
	keys   lock.CalendarKeys
	read   BookRead
	decide func(*BookTx, BookState) error
	start  time.Time // since when it waits
	wrote  bool      // it queued writes
}

// Book runs decide in a transaction that holds the locks `{tenant}:{date}` of keys. What read asks for was read after the
// locks were granted. When decide returns an error, or queues nothing, nothing of it is written. decide may be run several
// times, in another goroutine while this one waits, and must not have effects of its own.
//
// Requests of this process share transactions (group commit), each as if the requests before it had just committed. A request
// whose dates no other request of this process wants joins its tenant's group, whose transaction tries the locks of many
// dates. If one of its locks is held, or the group's transaction fails, it joins the group of the requests that wait for the
// same locks. If that transaction fails too, it runs alone, so that no request fails because of another one. Without group
// commit, bookAlone would do, and be slower.
//
// It costs two round trips, one of them when nothing is written, and one more if another transaction holds a lock.
//
// Errors: decide's own; problem.LockTimeout, problem.DatabaseUnavailable and problem.RequestInProgress, after which nothing was
// written; problem.SlotUnavailable when the exclusion constraint refused the booking; problem.OutcomeUnknown; ctx's error when
// it ends while the request waits in the process.
func (s *Store) Book(ctx context.Context, keys lock.CalendarKeys, read BookRead, decide func(*BookTx, BookState) error) error {
	err := s.retry(ctx, "book", read.Key != "", func() error {
		r := bookRequest{keys: keys, read: read, decide: decide, start: time.Now()}
		err := errRetryAlone
		if s.waiters.Empty(ids(keys.Keys())) {
			err = s.bookInTenantGroup(ctx, r)
		}
		if retryAlone(err) {
			err = s.bookInDateGroup(ctx, r)
		}
		if retryAlone(err) {
			err = s.bookAlone(ctx, r)
		}
		return err
	})
	if failedAt(err, stmtInsertBooking, sqlExclusionViolation) {
		return problem.Wrap(err, problem.SlotUnavailable, "The time is taken.")
	}
	return err
}

// bookAlone runs a request in a transaction of its own. It waits for the request's locks.
func (s *Store) bookAlone(ctx context.Context, r bookRequest) error {
	t, err := s.begin(ctx, r.keys.Set, r.start)
	if err != nil {
		return err
	}
	defer t.end()
	rows := newBookRows(t, &r)
	rows.queueReads()
	if err := t.read(); err != nil {
		return err
	}
	if err := rows.decide(ctx, 0); err != nil {
		return err
	}
	rows.queueWrites()
	return t.commit()
}

// BookTx is a transaction that holds the calendar locks of a tenant's dates and can book them. Only Store.Book and
// Store.Calendar make a useful one. Its methods queue what is written when the caller's function returns; the tenant comes from
// the locks.
type BookTx struct {
	t         *tx
	keys      lock.CalendarKeys
	customers []Customer
	bookings  []NewBooking
	expired   []uuid.UUID // holds
	storing   *StoredResponse
}

// StoreResponse queues the response that is stored under the request's idempotency key.
func (tx *BookTx) StoreResponse(a StoredResponse) { tx.storing = &a }

// InsertBooking queues a booking. It returns an error, which is a defect of the caller, when the booking touches a date whose
// lock isn't held.
func (tx *BookTx) InsertBooking(b NewBooking) error {
	last := civil.DateOf(b.BusyUntil.Add(-1).In(b.Location))
	for d := civil.DateOf(b.BusyFrom.In(b.Location)); !d.After(last); d = d.AddDays(1) {
		if !tx.keys.Covers(lock.Date(d)) {
			return fmt.Errorf("insert a booking: the lock of %s isn't held", d)
		}
	}
	tx.bookings = append(tx.bookings, b)
	return nil
}

// ExpireHolds queues the end of holds that are past their expiry by the transaction's clock; other bookings among ids stay as
// they are. What was paid on the holds is refunded. Their dates must be locked.
func (tx *BookTx) ExpireHolds(ids []uuid.UUID) { tx.expired = append(tx.expired, ids...) }

// PutCustomer queues a customer: a new one, or the new values of the one that was read. Of the one that was read, the name,
// phone, time zone and birthday that differ are written; nil leaves them as they are. A new customer whose email another
// request takes in the meantime is not written: the transaction then runs again, and finds the customer that has it.
func (tx *BookTx) PutCustomer(c Customer) { tx.customers = append(tx.customers, c) }
