package store

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/lock"
	"holdfast/internal/problem"
	"holdfast/internal/store/internal/dbsqlc"
)

// BookRead says what to read once the calendar locks are held.
type BookRead struct {
	// Key is the request's idempotency key.
	Key string
	// Occupied asks for what is occupied.
	Occupied Period
	// CountService asks how many bookings that service has on the first of the locked dates; nil doesn't ask.
	CountService *uuid.UUID
	// Email asks for the customer with that address, lower-case; CustomerID for the one with that id.
	Email      string
	CustomerID *uuid.UUID
}

// BookState is what there is under the calendar locks.
type BookState struct {
	// Now is the database's clock, read after the locks were granted. Holds expire by it.
	Now time.Time
	// CatalogVersion is the version of the tenant's services, resources, hours and closures.
	CatalogVersion int64
	// Answer is the stored answer of the key, nil if it is free.
	Answer *Answer
	// Occupied is what touches the period that was asked for. It may be shared with others who book: it is to be read, and
	// not to be kept.
	Occupied []Occupancy
	// Count is how many bookings the counted service has on the first of the locked dates.
	Count int
	// Customer is nil if there is none of that address or id.
	Customer *Customer
}

// BookTx is a transaction that holds the calendar locks of a tenant's dates and can book them. Only Store.Book makes
// a useful one. Its methods queue what is written when the caller's function returns; tenant and date come from the
// locks.
type BookTx struct {
	ctx     context.Context
	keys    lock.CalendarKeys
	tenant  uuid.UUID
	now     time.Time
	key     string
	expired bool // a dead answer occupies the key

	customers []Customer
	bookings  []insertion
	expire    []uuid.UUID // holds
	rest      flight
}

// Book runs decide in a transaction that holds the locks `{tenant}:{date}` of keys. What read asks for was read after
// the locks were granted. When decide returns an error, or queues nothing, nothing of it is written. decide may be run
// several times, in another goroutine while this one waits, and must not have effects of its own.
//
// Requests of this process for one tenant share transactions, each as if those before it had just committed: those that
// wait for the same locks, and those whose locks nobody holds. Whatever fails a transaction as a whole is settled by running
// each request in one of its own, so that none fails for another's reason.
//
// It costs two round trips, one of them when nothing is written, and one more if somebody else turns out to hold a lock.
//
// Errors: decide's own; problem.LockTimeout, problem.DatabaseUnavailable and problem.RequestInProgress, after which nothing
// was written;
// problem.SlotUnavailable when the exclusion constraint refused the booking; problem.OutcomeUnknown; ctx's error when
// it ends while the request waits for others of this process.
func (s *Store) Book(ctx context.Context, keys lock.CalendarKeys, read BookRead, decide func(*BookTx, BookState) error) error {
	if len(keys.Keys()) == 0 {
		return fmt.Errorf("store: book: %w", lock.ErrNoKeys)
	}
	err := s.retry(ctx, "book", read.Key != "", func() error {
		return s.bookTogether(ctx, keys, read, decide)
	})
	if failedAt(err, stepInsertBooking, sqlExclusionViolation) {
		return problem.Wrap(err, problem.SlotUnavailable, "The time is taken.")
	}
	return err
}

// InsertBooking queues a booking on the locked date and the answer that tells of it, in one statement. It returns an
// error, which is a defect of the caller, when the booking touches a date whose lock isn't held.
func (tx *BookTx) InsertBooking(b NewBooking, a Answer) error {
	last := civil.DateOf(b.BusyUntil.Add(-1).In(b.Location))
	for d := civil.DateOf(b.BusyFrom.In(b.Location)); !d.After(last); d = d.AddDays(1) {
		if !tx.keys.Covers(lock.Date(d)) {
			return fmt.Errorf("store: insert a booking: the lock of %s isn't held", d)
		}
	}
	if tx.expired {
		addDeleteExpired(tx.ctx, &tx.rest, tx.tenant, tx.key, tx.now)
	}
	tx.bookings = append(tx.bookings, insertion{NewBooking: b, answer: a, key: tx.key, date: civil.Date(tx.keys.Date())})
	return nil
}

// ExpireHolds queues the end of holds that are past their expiry by the transaction's clock; others among ids
// stay as they are. What was paid on them is refunded.
func (tx *BookTx) ExpireHolds(ids []uuid.UUID) {
	tx.expire = append(tx.expire, ids...)
	addExpireHolds(tx.ctx, &tx.rest, tx.tenant, ids, tx.now)
}

// PutCustomer queues a customer: a new one, or what replaces the one that was read. A new one whose email is taken in the
// meantime is not written, and Book then runs decide again, which finds the one that has it. Of one that was read, the name,
// phone, time zone and birthday that differ are written; nil leaves them as they are.
func (tx *BookTx) PutCustomer(c Customer) {
	tx.customers = append(tx.customers, c)
}

// addCustomerUpdate adds what differs between a customer as it was read and as it is to be.
func addCustomerUpdate(ctx context.Context, f *flight, tenant uuid.UUID, was, is Customer) {
	change := dbsqlc.CustomerUpdateParams{
		TenantID: tenant, CustomerID: was.CustomerID, Name: ifChanged(&was.Name, &is.Name), Phone: ifChanged(was.Phone, is.Phone),
		TimeZone: ifChanged(was.TimeZone, is.TimeZone), Birthday: ifChanged(was.Birthday, is.Birthday),
	}
	if change.Name == nil && change.Phone == nil && change.TimeZone == nil && change.Birthday == nil {
		return
	}
	exec(f, "update the customer", func(q *dbsqlc.Queries) error { return q.CustomerUpdate(ctx, change) })
}

// ifChanged returns the new value, nil if it is the same as before.
func ifChanged[T comparable](was, is *T) *T {
	if is == nil || was != nil && *was == *is {
		return nil
	}
	return is
}

func addCustomer(ctx context.Context, f *flight, tenant uuid.UUID, c Customer, now time.Time) {
	exec(f, "insert the customer", func(q *dbsqlc.Queries) error {
		return q.CustomerInsert(ctx, dbsqlc.CustomerInsertParams{
			TenantID: tenant, CustomerID: c.CustomerID, Email: c.Email, Name: c.Name, Phone: c.Phone,
			TimeZone: c.TimeZone, Birthday: c.Birthday, CreatedAt: now,
		})
	})
}
