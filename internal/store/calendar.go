package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/lock"
	"holdfast/internal/problem"
	"holdfast/internal/store/internal/dbsqlc"
)

// CalendarRead says what to read once the calendar locks are held. What is left zero is not read.
type CalendarRead struct {
	// Key is the request's idempotency key. With it the transaction can be run again after a lost commit.
	Key string
	// Booking asks for a booking, Closure for a closure.
	Booking *uuid.UUID
	Closure *uuid.UUID
	// Holds asks for those of these bookings that are held.
	Holds []uuid.UUID
}

// CalendarState is what was read under the calendar locks.
type CalendarState struct {
	// Now is the database's clock, read after the locks were granted. Holds expire by it.
	Now time.Time
	// Answer is the stored answer of the key, nil if it is free.
	Answer *Answer
	// Booking and Closure are nil if there is none of that id, or none was asked for.
	Booking *Booking
	Closure *Closure
	Holds   []Hold
}

// CalendarTx is a transaction that holds the calendar locks of a tenant's dates and changes what is there; BookTx is the
// one that books. Only Store.Calendar makes a useful one. Its methods queue what is written when the caller's function
// returns; tenant and date come from the locks.
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
// problem.NotFound for a closure's resource that doesn't exist; problem.OutcomeUnknown.
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
			read:   func(f *flight) { rows.add(context.WithoutCancel(ctx), f, tenant, read) },
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
	if failedAt(err, stepInsertClosure, sqlForeignKeyViolation) {
		return problem.Missing()
	}
	return err
}

// calendarRows holds the rows of a calendar transaction's first flight.
type calendarRows struct {
	clock                                               dbsqlc.CalendarClockRow
	answer                                              dbsqlc.IdempotencyGetRow
	booking                                             Booking
	closure                                             Closure
	holds                                               []Hold
	clockFound, answerFound, bookingFound, closureFound bool
}

func (r *calendarRows) add(ctx context.Context, f *flight, tenant uuid.UUID, read CalendarRead) {
	one(f, "read the clock", &r.clock, &r.clockFound, func(q *dbsqlc.Queries) (dbsqlc.CalendarClockRow, error) {
		return q.CalendarClock(ctx, tenant)
	})
	if read.Key != "" {
		addAnswer(ctx, f, tenant, read.Key, &r.answer, &r.answerFound)
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
	if len(read.Holds) > 0 {
		many(f, "read the holds", &r.holds, func(q *dbsqlc.Queries) ([]Hold, error) {
			return q.BookingListHolds(ctx, tenant, read.Holds)
		})
	}
}

// expired reports whether an answer whose life is over occupies the key.
func (r *calendarRows) expired() bool { return r.answerFound && dead(r.answer, r.clock.Now) }

func (r *calendarRows) state() CalendarState {
	st := CalendarState{Now: r.clock.Now, Holds: r.holds}
	if r.answerFound && !r.expired() {
		st.Answer = answerOf(r.answer)
	}
	if r.bookingFound {
		st.Booking = &r.booking
	}
	if r.closureFound {
		st.Closure = &r.closure
	}
	return st
}

// stepInsertClosure names the statement whose foreign key fails when the closure's resource doesn't exist.
const stepInsertClosure = "insert the closure"

// SetBookingStatus queues a change of status and raises the version. The booking's dates must be locked.
func (tx *CalendarTx) SetBookingStatus(id uuid.UUID, version int64, status string) {
	exec(tx.f, "set the booking's status", func(q *dbsqlc.Queries) error {
		return q.BookingSetStatus(tx.ctx, dbsqlc.BookingSetStatusParams{
			TenantID: tx.tenant, BookingID: id, Version: version, Status: status, Now: tx.now,
		})
	})
}

// ExpireHolds queues the end of holds that are past their expiry by the transaction's clock; others among ids stay as they
// are. What was paid on them is refunded. Their dates must be locked.
func (tx *CalendarTx) ExpireHolds(ids []uuid.UUID) {
	addExpireHolds(tx.ctx, tx.f, tx.tenant, ids, tx.now)
}

// EndBooking queues that a worker cancels the open payments of a booking and, with refund, refunds what was paid on it. It is
// for a booking that the same transaction ends.
func (tx *CalendarTx) EndBooking(id uuid.UUID, refund bool) {
	exec(tx.f, "insert the ended booking", func(q *dbsqlc.Queries) error {
		return q.EndedBookingInsert(tx.ctx, dbsqlc.EndedBookingInsertParams{TenantID: tx.tenant, BookingID: id, Refund: refund})
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
