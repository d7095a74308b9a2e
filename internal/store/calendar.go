package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/lock"
	"holdfast/internal/problem"
	"holdfast/internal/store/internal/dbsqlc"
)

// CalendarRead says what to read once the calendar locks are held. What is left zero is not read.
type CalendarRead struct {
	// Key is the request's idempotency key. With it the transaction can be run again after a lost commit.
	Key string
	// Occupied asks for what is occupied.
	Occupied Period
	// CountService asks how many bookings that service has on the locked date.
	CountService *uuid.UUID
	// Email asks for the customer with that address, lower-case; CustomerID for the one with that id.
	Email      string
	CustomerID *uuid.UUID
	// Booking asks for a booking, Closure for a closure.
	Booking *uuid.UUID
	Closure *uuid.UUID
}

// CalendarState is what was read under the calendar locks.
type CalendarState struct {
	// Now is the database's clock, read after the locks were granted. Holds expire by it.
	Now time.Time
	// CatalogVersion is the version of the tenant's services, resources, hours and closures.
	CatalogVersion int64
	// Answer is the stored answer of the key, nil if it is free.
	Answer   *Answer
	Occupied []Occupancy
	// Count is how many bookings the counted service has on the locked date.
	Count int
	// Customer, Booking and Closure are nil if there is none of that id, or none was asked for.
	Customer *Customer
	Booking  *Booking
	Closure  *Closure
}

// CalendarTx is a transaction that holds the calendar locks of a tenant's dates. Only Store.Calendar makes a
// useful one. Its methods queue what is written when the caller's function returns; tenant and date come from
// the locks.
type CalendarTx struct {
	ctx     context.Context
	keys    lock.CalendarKeys
	tenant  uuid.UUID
	now     time.Time
	key     string
	expired bool // a dead answer occupies the key
	f       *flight
}

// Calendar runs decide in a transaction that holds the locks `{tenant}:{date}` of keys. What read asks for was
// read after the locks were granted. When decide returns an error, or queues nothing, the transaction is
// rolled back; otherwise its writes commit in one flight. decide may be run several times and must not have
// effects of its own.
//
// It costs two round trips, one of them when nothing is written. Errors: decide's own; problem.LockTimeout,
// problem.DatabaseUnavailable and problem.RequestInProgress, after which nothing was written;
// problem.SlotUnavailable when the exclusion constraint refused the booking; problem.NotFound for a closure's
// resource that doesn't exist; problem.OutcomeUnknown.
func (s *Store) Calendar(ctx context.Context, keys lock.CalendarKeys, read CalendarRead, decide func(*CalendarTx, CalendarState) error) error {
	if len(keys.Keys()) == 0 {
		return fmt.Errorf("store: calendar transaction: %w", lock.ErrNoKeys)
	}
	tenant := uuid.UUID(keys.Tenant())
	err := s.retry(ctx, "change the calendar", read.Key != "", func() error {
		var rows calendarRows
		return s.run(ctx, transaction{
			tenant: tenant,
			kind:   kindCalendar,
			keys:   keys.Keys(),
			read:   func(f *flight) { rows.add(context.WithoutCancel(ctx), f, keys, read) },
			now:    func() time.Time { return rows.clock.Now },
			write: func(f *flight) error {
				state := rows.state()
				return decide(&CalendarTx{
					ctx: context.WithoutCancel(ctx), keys: keys, tenant: tenant, now: state.Now, key: read.Key,
					expired: rows.expired(), f: f,
				}, state)
			},
		})
	})
	switch {
	case failedAt(err, stepInsertBooking, sqlExclusionViolation):
		return problem.Wrap(err, problem.SlotUnavailable, "The time is taken.")
	case failedAt(err, stepInsertClosure, sqlForeignKeyViolation):
		return problem.Missing()
	}
	return err
}

// calendarRows holds the rows of a calendar transaction's first flight.
type calendarRows struct {
	clock                                                              dbsqlc.CalendarClockRow
	answer                                                             dbsqlc.IdempotencyGetRow
	occupied                                                           []dbsqlc.BookingListOccupyingRow
	counts                                                             []dbsqlc.BookingCountByDateRow
	customer                                                           Customer
	booking                                                            Booking
	closure                                                            Closure
	clockFound, answerFound, customerFound, bookingFound, closureFound bool
}

func (r *calendarRows) add(ctx context.Context, f *flight, keys lock.CalendarKeys, read CalendarRead) {
	tenant := uuid.UUID(keys.Tenant())
	one(f, "read the clock", &r.clock, &r.clockFound, func(q *dbsqlc.Queries) (dbsqlc.CalendarClockRow, error) {
		return q.CalendarClock(ctx, tenant)
	})
	if read.Key != "" {
		addAnswer(ctx, f, tenant, read.Key, &r.answer, &r.answerFound)
	}
	if len(read.Occupied.Resources) > 0 {
		addOccupied(ctx, f, tenant, read.Occupied, &r.occupied)
	}
	if read.CountService != nil {
		date := civil.Date(keys.Date())
		addCounts(ctx, f, tenant, *read.CountService, date, date, &r.counts)
	}
	switch {
	case read.CustomerID != nil:
		one(f, "read the customer", &r.customer, &r.customerFound, func(q *dbsqlc.Queries) (Customer, error) {
			return q.CustomerGet(ctx, tenant, *read.CustomerID)
		})
	case read.Email != "":
		one(f, "read the customer", &r.customer, &r.customerFound, func(q *dbsqlc.Queries) (Customer, error) {
			c, err := q.CustomerGetByEmail(ctx, tenant, read.Email)
			return Customer(c), err
		})
	}
	if read.Booking != nil {
		one(f, "read the booking", &r.booking, &r.bookingFound, func(q *dbsqlc.Queries) (Booking, error) {
			return q.BookingGet(ctx, tenant, *read.Booking)
		})
	}
	if read.Closure != nil {
		one(f, "read the closure", &r.closure, &r.closureFound, func(q *dbsqlc.Queries) (Closure, error) {
			return q.ClosureGet(ctx, tenant, *read.Closure)
		})
	}
}

// expired reports whether an answer whose life is over occupies the key.
func (r *calendarRows) expired() bool { return r.answerFound && dead(r.answer, r.clock.Now) }

func (r *calendarRows) state() CalendarState {
	st := CalendarState{Now: r.clock.Now, CatalogVersion: r.clock.CatalogVersion, Occupied: occupanciesOf(r.occupied)}
	if r.answerFound && !r.expired() {
		st.Answer = answerOf(r.answer)
	}
	for _, c := range r.counts {
		st.Count += int(c.Bookings)
	}
	if r.customerFound {
		st.Customer = &r.customer
	}
	if r.bookingFound {
		st.Booking = &r.booking
	}
	if r.closureFound {
		st.Closure = &r.closure
	}
	return st
}

// NewBooking is a booking to be written. Its tenant and date are those of the lock.
type NewBooking struct {
	BookingID, ServiceID, ResourceID, CustomerID uuid.UUID
	// Status is "held" or "confirmed".
	Status              string
	StartsAt, EndsAt    time.Time
	BusyFrom, BusyUntil time.Time
	// Location is the tenant's time zone; the store checks against it that every date that the booking
	// touches is locked.
	Location      *time.Location
	PartySize     int32
	Units         []UnitRange
	HoldExpiresAt *time.Time
	// Price and Deposit are minor units of Currency.
	Price, Deposit int64
	Currency       string
	Metadata       json.RawMessage
}

// Names of statements whose violations have a meaning: the time is taken, the key is, or the customer was made by
// another booking; the closure's resource doesn't exist.
const (
	stepInsertBooking = "insert the booking"
	stepInsertClosure = "insert the closure"
)

// InsertBooking queues a booking on the locked date and the answer that tells of it, in one statement. It returns an
// error, which is a defect of the caller, when the booking touches a date whose lock isn't held.
func (tx *CalendarTx) InsertBooking(b NewBooking, a Answer) error {
	last := civil.DateOf(b.BusyUntil.Add(-1).In(b.Location))
	for d := civil.DateOf(b.BusyFrom.In(b.Location)); !d.After(last); d = d.AddDays(1) {
		if !tx.keys.Covers(lock.Date(d)) {
			return fmt.Errorf("store: insert a booking: the lock of %s isn't held", d)
		}
	}
	tx.makeRoom()
	exec(tx.f, stepInsertBooking, func(q *dbsqlc.Queries) error {
		return q.BookingInsert(tx.ctx, dbsqlc.BookingInsertParams{
			TenantID: tx.tenant, BookingID: b.BookingID, ServiceID: b.ServiceID, ResourceID: b.ResourceID,
			CustomerID: b.CustomerID, Status: b.Status, Date: civil.Date(tx.keys.Date()), StartsAt: b.StartsAt, EndsAt: b.EndsAt,
			TimeZone: b.Location.String(), PartySize: b.PartySize, Units: multirange(b.Units), BusyFrom: b.BusyFrom,
			BusyUntil: b.BusyUntil, HoldExpiresAt: b.HoldExpiresAt, Price: b.Price, Deposit: b.Deposit, Currency: b.Currency,
			Metadata: b.Metadata, Now: tx.now,
			Key: tx.key, Fingerprint: a.Fingerprint, AnswerStatus: int32(a.Status), Location: a.Location, Etag: a.ETag, Body: a.Body,
			AnswerExpiresAt: a.ExpiresAt,
		})
	})
	return nil
}

// SetBookingStatus queues a change of status and raises the version. The booking's dates must be locked.
func (tx *CalendarTx) SetBookingStatus(id uuid.UUID, version int64, status string) {
	exec(tx.f, "set the booking's status", func(q *dbsqlc.Queries) error {
		return q.BookingSetStatus(tx.ctx, dbsqlc.BookingSetStatusParams{
			TenantID: tx.tenant, BookingID: id, Version: version, Status: status, Now: tx.now,
		})
	})
}

// ExpireHolds queues the end of holds that are past their expiry by the transaction's clock; others among ids
// stay as they are.
func (tx *CalendarTx) ExpireHolds(ids []uuid.UUID) {
	exec(tx.f, "expire holds", func(q *dbsqlc.Queries) error {
		return q.BookingExpireHolds(tx.ctx, dbsqlc.BookingExpireHoldsParams{TenantID: tx.tenant, BookingIds: ids, Now: tx.now})
	})
}

// InsertCustomer queues a customer. One with the same email is left as it is, and Calendar then runs decide
// again, which finds that one.
func (tx *CalendarTx) InsertCustomer(c Customer) {
	exec(tx.f, "insert the customer", func(q *dbsqlc.Queries) error {
		return q.CustomerInsert(tx.ctx, dbsqlc.CustomerInsertParams{
			TenantID: tx.tenant, CustomerID: c.CustomerID, Email: c.Email, Name: c.Name, Phone: c.Phone,
			TimeZone: c.TimeZone, Birthday: c.Birthday, CreatedAt: tx.now,
		})
	})
}

// InsertClosure queues a closure of the locked dates and raises the catalog's version.
func (tx *CalendarTx) InsertClosure(c Closure) {
	exec(tx.f, stepInsertClosure, func(q *dbsqlc.Queries) error {
		return q.ClosureInsert(tx.ctx, dbsqlc.ClosureInsertParams{
			TenantID: tx.tenant, ClosureID: c.ClosureID, ResourceID: c.ResourceID, FromDate: c.FromDate,
			ToDate: c.ToDate, Reason: c.Reason, CreatedAt: tx.now,
		})
	})
	raiseCatalogVersion(tx.ctx, tx.f, tx.tenant)
}

// DeleteClosure queues the end of a closure of the locked dates and raises the catalog's version.
func (tx *CalendarTx) DeleteClosure(id uuid.UUID) {
	exec(tx.f, "delete the closure", func(q *dbsqlc.Queries) error {
		return q.ClosureDelete(tx.ctx, tx.tenant, id)
	})
	raiseCatalogVersion(tx.ctx, tx.f, tx.tenant)
}

// PutAnswer queues the answer under the request's idempotency key.
func (tx *CalendarTx) PutAnswer(a Answer) {
	tx.makeRoom()
	addPutAnswer(tx.ctx, tx.f, tx.tenant, tx.key, a, tx.now)
}

// makeRoom queues the end of a dead answer that occupies the request's key.
func (tx *CalendarTx) makeRoom() {
	if tx.expired {
		addDeleteExpired(tx.ctx, tx.f, tx.tenant, tx.key, tx.now)
	}
}

func raiseCatalogVersion(ctx context.Context, f *flight, tenant uuid.UUID) {
	exec(f, "raise the catalog's version", func(q *dbsqlc.Queries) error {
		return q.TenantRaiseCatalogVersion(ctx, tenant)
	})
}
