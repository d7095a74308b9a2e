package store

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/claim"
	"holdfast/internal/db"
	"holdfast/internal/db/internal/dbsqlc"
	"holdfast/internal/lock"
)

// DatesRead says what to read once the date locks are held. What is left zero is not read.
type DatesRead struct {
	BookRead
	// Booking asks for a booking, Closure for a closure, Block for a block.
	Booking *uuid.UUID
	Closure *uuid.UUID
	Block   *uuid.UUID
	// InTheWay asks for what occupies some periods. In place of a session come its bookings, each with all of its units.
	InTheWay []claim.Query
	// OpenPayment asks for the open payment or refund of Booking.
	OpenPayment bool
}

// DatesState is what was read under the date locks.
type DatesState struct {
	BookState
	// Booking, Closure and Block are nil if there is none of that id, or none was asked for.
	Booking *Booking
	Closure *Closure
	Block   *Block
	// InTheWay is what was asked for, in any order. A claim that touches several of the periods comes several times.
	InTheWay []claim.Claim
	// OpenPayment is nil if there is none, or none was asked for.
	OpenPayment *OpenPayment
}

// DatesTx is a transaction that holds the date locks of a tenant's dates. It can book the dates as BookTx does, and
// change what is booked and what is free. Only Store.Dates makes a useful one.
type DatesTx struct {
	BookTx
	late []func() // queue what is written after the customers
}

// afterCustomers has queue called after the customers that the transaction writes were queued.
func (tx *DatesTx) afterCustomers(queue func()) { tx.late = append(tx.late, queue) }

// Dates runs decide in a transaction that holds the locks `{tenant}:{date}` of keys. request is what is served, nil for a change without
// a key. What read asks for was read after the locks were granted. When decide returns an error, or queues nothing, the transaction is
// rolled back; otherwise its writes commit together. decide may be run several times and must not have effects of its own.
//
// It costs two round trips, one of them when nothing is written. Errors: decide's own; problem.LockTimeout,
// problem.DatabaseUnavailable and problem.RequestInProgress, after which nothing was written; problem.SlotUnavailable when the
// exclusion constraint refused a booking or a block; problem.NotFound for a closure's or a block's resource that doesn't exist;
// problem.AlreadyExists for a reference that another booking took; problem.OutcomeUnknown.
func (s *Store) Dates(ctx context.Context, request *Request, keys lock.DateKeys, read DatesRead,
	decide func(*DatesTx, DatesState) error,
) error {
	return s.DB().Dates(ctx, request, keys, func(locked *db.DatesTx) func() error {
		rows := newBookRows(locked, bookRequest{read: read.BookRead})
		var st DatesState
		if read.Booking != nil {
			// Before the customers are read: the erasure of the booking's customer waits for this lock, or has ended.
			LockBooking(locked, *read.Booking)
		}
		rows.queueReads()
		queueDatesReads(locked, read, &st)
		return func() error {
			st.BookState = rows.state(0)
			tx := &DatesTx{BookTx: BookTx{DatesTx: locked}}
			if err := decide(tx, st); err != nil {
				return err
			}
			rows.add(0, &tx.BookTx)
			rows.Write(locked)
			for _, queue := range tx.late {
				queue()
			}
			return nil
		}
	})
}

// ReadDates reads what Dates reads, in one round trip and without a lock: it may be otherwise a moment later. Errors:
// problem.DatabaseUnavailable.
func (s *Store) ReadDates(ctx context.Context, tenant uuid.UUID, read DatesRead) (DatesState, error) {
	var rows *bookRows
	var st DatesState
	err := s.DB().Read(ctx, "read what a booking is judged by", tenant, func(tx *db.Tx) {
		rows, st = newBookRows(tx, bookRequest{read: read.BookRead}), DatesState{}
		rows.queueReads()
		queueDatesReads(tx, read, &st)
	})
	if err == nil {
		st.BookState = rows.state(0)
	}
	return st, err
}

func queueDatesReads(tx db.Transaction, read DatesRead, st *DatesState) {
	if read.Booking != nil {
		db.Optional(unlocked.On(tx), "read the booking", &st.Booking, func(q *dbsqlc.Queries) (Booking, error) {
			return q.BookingGet(tx.Context(), tx.Tenant(), *read.Booking)
		})
	}
	if read.OpenPayment {
		db.Optional(unlocked.On(tx), "read the open payment", &st.OpenPayment, func(q *dbsqlc.Queries) (OpenPayment, error) {
			return q.PaymentGetOpen(tx.Context(), tx.Tenant(), *read.Booking)
		})
	}
	if read.Closure != nil {
		db.Optional(unlocked.On(tx), "read the closure", &st.Closure, func(q *dbsqlc.Queries) (Closure, error) {
			return q.ClosureGet(tx.Context(), tx.Tenant(), *read.Closure)
		})
	}
	if read.Block != nil {
		db.Optional(unlocked.On(tx), "read the block", &st.Block, func(q *dbsqlc.Queries) (Block, error) {
			return q.BlockGet(tx.Context(), tx.Tenant(), *read.Block)
		})
	}
	if len(read.InTheWay) > 0 {
		queueInTheWay(tx, read.InTheWay, &st.InTheWay)
	}
}

// FreeBooking queues that a booking, which the same transaction ends, occupies nothing any more. The booking's dates must be locked.
func (tx *DatesTx) FreeBooking(id uuid.UUID) { freeClaim(tx, id) }

// SetBookingStatus queues a change of status and raises the version. The booking's dates must be locked.
func (tx *DatesTx) SetBookingStatus(id uuid.UUID, version int64, status string) {
	db.Exec(unlocked.On(tx), "set the booking's status", func(q *dbsqlc.Queries) error {
		return q.BookingSetStatus(tx.Context(), dbsqlc.BookingSetStatusParams{
			TenantID: tx.Tenant(), BookingID: id, Version: version, Status: status, Now: tx.Now(),
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
func (tx *DatesTx) SetBookingEnded(b EndingBooking) {
	db.Exec(unlocked.On(tx), "end the booking", func(q *dbsqlc.Queries) error {
		return q.BookingEnd(tx.Context(), dbsqlc.BookingEndParams{
			TenantID: tx.Tenant(), BookingID: b.BookingID, Version: b.Version, Status: b.Status, CancellationFee: b.Fee,
			CancellationFeeSet: b.FeeSet,
			CancellationReason: b.Reason, Now: tx.Now(),
		})
	})
}

// EndBooking queues that a worker cancels the open payments of a booking and, with refund, refunds what was paid beyond its
// cancellation fee. It is for a booking that the same transaction ends. With onlyIfPaid nothing is queued for a booking whose payments
// were all declined. The worker's event is of a kind.
func (tx *DatesTx) EndBooking(id uuid.UUID, kind string, refund, onlyIfPaid bool) {
	tx.Wake(kind)
	db.Exec(unlocked.On(tx), "insert the ended booking", func(q *dbsqlc.Queries) error {
		return q.EndedBookingInsert(tx.Context(), dbsqlc.EndedBookingInsertParams{
			TenantID: tx.Tenant(), BookingID: id, Refund: refund, OnlyIfPaid: onlyIfPaid,
		})
	})
	db.Exec(unlocked.On(tx), "plan the end of its payments", func(q *dbsqlc.Queries) error {
		return q.EndedBookingPlan(tx.Context(), dbsqlc.EndedBookingPlanParams{
			TenantID: tx.Tenant(), BookingID: id, EventID: uuid.Must(uuid.NewV7()), Kind: kind,
		})
	})
}

// LockBooking queues the lock of a booking's row.
func LockBooking(tx db.Transaction, id uuid.UUID) {
	db.Exec(unlocked.On(tx), "lock the booking", func(q *dbsqlc.Queries) error {
		return q.BookingLock(tx.Context(), tx.Tenant(), id)
	})
}

// ReadBooking queues the reading of a booking, nil if there is none of that id.
func ReadBooking(tx db.Transaction, id uuid.UUID, row **Booking) {
	db.Optional(unlocked.On(tx), "read the whole booking", row, func(q *dbsqlc.Queries) (Booking, error) {
		return q.BookingGet(tx.Context(), tx.Tenant(), id)
	})
}

// ReadOpenPayment queues the reading of the open payment or refund of a booking, nil if there is none.
func ReadOpenPayment(tx db.Transaction, booking uuid.UUID, open **OpenPayment) {
	db.Optional(unlocked.On(tx), "read the open payment", open, func(q *dbsqlc.Queries) (OpenPayment, error) {
		return q.PaymentGetOpen(tx.Context(), tx.Tenant(), booking)
	})
}

// DeleteEndedBooking queues that the payments of a booking, which has a row of ended_bookings, need no more work.
func DeleteEndedBooking(tx *db.BalanceTx, booking uuid.UUID) {
	db.Exec(unlocked.On(tx), "delete the ended booking", func(q *dbsqlc.Queries) error {
		return q.EndedBookingDelete(tx.Context(), tx.Tenant(), booking)
	})
}

// ConfirmHold queues that a hold is confirmed and keeps its claim, and raises its version. version is the booking's as
// it was read, without the changes of its money. The booking's dates must be locked.
func ConfirmHold(tx *db.DatesTx, booking uuid.UUID, version int64) {
	db.Exec(unlocked.On(tx), "confirm the hold", func(q *dbsqlc.Queries) error {
		return q.BookingSetStatus(tx.Context(), dbsqlc.BookingSetStatusParams{
			TenantID: tx.Tenant(), BookingID: booking, Version: version, Status: "confirmed", Now: tx.Now(),
		})
	})
	db.Exec(unlocked.On(tx), "keep the claim", func(q *dbsqlc.Queries) error {
		return q.ClaimKeep(tx.Context(), tx.Tenant(), booking)
	})
}
