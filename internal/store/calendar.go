package store

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/lock"
	"holdfast/internal/store/internal/dbsqlc"
)

// CalendarRead says what to read once the calendar locks are held. What is left zero is not read.
type CalendarRead struct {
	BookRead
	// Booking asks for a booking, Closure for a closure.
	Booking *uuid.UUID
	Closure *uuid.UUID
	// OpenPayment asks for the open payment or refund of Booking.
	OpenPayment bool
}

// CalendarState is what was read under the calendar locks.
type CalendarState struct {
	BookState
	// Booking and Closure are nil if there is none of that id, or none was asked for.
	Booking *Booking
	Closure *Closure
	// OpenPayment is nil if there is none, or none was asked for.
	OpenPayment *OpenPayment
}

// CalendarTx is a transaction that holds the calendar locks of a tenant's dates. It can book the dates as BookTx does, and
// change what is booked and what is free. Only Store.Calendar makes a useful one.
type CalendarTx struct {
	BookTx
	updated   []UpdatedBooking
	confirmed []ConfirmedBooking
}

// Calendar runs decide in a transaction that holds the locks `{tenant}:{date}` of keys. request is what is served, nil for a change without a
// key. What read asks for was read after the locks were granted. When decide returns an error, or queues nothing, the transaction is rolled
// back; otherwise its writes commit together. decide may be run several times and must not have effects of its own.
//
// It costs two round trips, one of them when nothing is written. Errors: decide's own; problem.LockTimeout,
// problem.DatabaseUnavailable and problem.RequestInProgress, after which nothing was written; problem.SlotUnavailable when the
// exclusion constraint refused a booking; problem.NotFound for a closure's resource that doesn't exist; problem.OutcomeUnknown.
func (s *Store) Calendar(ctx context.Context, request *Request, keys lock.CalendarKeys, read CalendarRead,
	decide func(*CalendarTx, CalendarState) error,
) error {
	return s.run(ctx, write{doing: "change the calendar", request: request, locks: &keys.Set}, func(t *tx, k *requestKey) func() error {
		rows := newBookRows(t, &bookRequest{keys: keys, read: read.BookRead})
		var st CalendarState
		if read.Booking != nil {
			// Before the customers are read: the erasure of the booking's customer waits for this lock, or has ended.
			lockBooking(t, *read.Booking)
		}
		rows.queueReads()
		queueCalendarReads(t, read, &st)
		return func() error {
			st.BookState = rows.state(0)
			tx := &CalendarTx{BookTx: *newBookTx(ctx, k, keys)}
			if err := decide(tx, st); err != nil {
				return err
			}
			rows.add(0, &tx.BookTx)
			rows.queueWrites()
			tx.queueUpdates()
			for _, c := range tx.confirmed {
				queueConfirmed(t, c)
			}
			return nil
		}
	})
}

func queueCalendarReads(t *tx, read CalendarRead, st *CalendarState) {
	if read.Booking != nil {
		optional(&t.batch, "read the booking", &st.Booking, func(q *dbsqlc.Queries) (Booking, error) {
			return q.BookingGet(t.ctx, t.tenant, *read.Booking)
		})
	}
	if read.OpenPayment {
		optional(&t.batch, "read the open payment", &st.OpenPayment, func(q *dbsqlc.Queries) (OpenPayment, error) {
			return q.PaymentGetOpen(t.ctx, t.tenant, *read.Booking)
		})
	}
	if read.Closure != nil {
		optional(&t.batch, "read the closure", &st.Closure, func(q *dbsqlc.Queries) (Closure, error) {
			return q.ClosureGet(t.ctx, t.tenant, *read.Closure)
		})
	}
}

// FreeBooking queues that a booking, which the same transaction ends, occupies nothing any more. The booking's dates must be locked.
func (tx *CalendarTx) FreeBooking(id uuid.UUID) { freeClaim(tx.t, id) }

// SetBookingStatus queues a change of status and raises the version. The booking's dates must be locked.
func (tx *CalendarTx) SetBookingStatus(id uuid.UUID, version int64, status string) {
	exec(&tx.t.batch, "set the booking's status", func(q *dbsqlc.Queries) error {
		return q.BookingSetStatus(tx.t.ctx, dbsqlc.BookingSetStatusParams{
			TenantID: tx.t.tenant, BookingID: id, Version: version, Status: status, Now: tx.t.now,
		})
	})
}

// EndingBooking is a booking that is cancelled or whose customer didn't come.
type EndingBooking struct {
	BookingID uuid.UUID
	// Version is the version that was read, without the money's changes.
	Version int64
	Status  string
	// Fee is what is kept, or due, of the price in minor units. FeeSet says that the request said it.
	Fee    int64
	FeeSet bool
	// Reason is nil without one.
	Reason *string
}

// SetBookingEnded is SetBookingStatus for a booking that is cancelled or whose customer didn't come.
func (tx *CalendarTx) SetBookingEnded(b EndingBooking) {
	exec(&tx.t.batch, "end the booking", func(q *dbsqlc.Queries) error {
		return q.BookingEnd(tx.t.ctx, dbsqlc.BookingEndParams{
			TenantID: tx.t.tenant, BookingID: b.BookingID, Version: b.Version, Status: b.Status, CancellationFee: b.Fee, CancellationFeeSet: b.FeeSet,
			CancellationReason: b.Reason, Now: tx.t.now,
		})
	})
}

// EndBooking queues that a worker cancels the open payments of a booking and, with refund, refunds what was paid beyond its
// cancellation fee. It is for a booking that the same transaction ends. With onlyIfPaid nothing is queued for a booking whose payments
// were all declined. The worker's event is of a kind.
func (tx *CalendarTx) EndBooking(id uuid.UUID, kind string, refund, onlyIfPaid bool) {
	tx.t.events.woken = append(tx.t.events.woken, kind)
	exec(&tx.t.batch, "insert the ended booking", func(q *dbsqlc.Queries) error {
		return q.EndedBookingInsert(tx.t.ctx, dbsqlc.EndedBookingInsertParams{
			TenantID: tx.t.tenant, BookingID: id, Refund: refund, OnlyIfPaid: onlyIfPaid, EventID: uuid.Must(uuid.NewV7()), Kind: kind,
			Now: tx.t.now,
		})
	})
}

// lockBooking queues the lock of a booking's row.
func lockBooking(t *tx, id uuid.UUID) {
	exec(&t.batch, "lock the booking", func(q *dbsqlc.Queries) error { return q.BookingLock(t.ctx, t.tenant, id) })
}

// noResource: a closure's or a service's resource doesn't exist.
var noResource = failure{state: sqlForeignKeyViolation, means: missing}

// InsertClosure queues a closure of the locked dates and raises the catalog's version.
func (tx *CalendarTx) InsertClosure(c Closure) {
	exec(&tx.t.batch, "write the closure", func(q *dbsqlc.Queries) error {
		return q.ClosureInsert(tx.t.ctx, dbsqlc.ClosureInsertParams{
			TenantID: tx.t.tenant, ClosureID: c.ClosureID, ResourceID: c.ResourceID, FromDate: c.FromDate,
			ToDate: c.ToDate, Reason: c.Reason, CreatedAt: tx.t.now,
		})
	}, noResource)
	raiseCatalogVersion(tx.t)
}

// UpdateClosure queues what changed of a closure, with its next version, and raises the catalog's version. The dates of the closure
// as it was and as it will be must be locked.
func (tx *CalendarTx) UpdateClosure(c Closure) {
	exec(&tx.t.batch, "write the closure", func(q *dbsqlc.Queries) error {
		return q.ClosureUpdate(tx.t.ctx, dbsqlc.ClosureUpdateParams{
			TenantID: tx.t.tenant, ClosureID: c.ClosureID, ResourceID: c.ResourceID, FromDate: c.FromDate, ToDate: c.ToDate,
			Reason: c.Reason, ArchivedAt: c.ArchivedAt, Now: tx.t.now,
		})
	}, noResource)
	raiseCatalogVersion(tx.t)
}
