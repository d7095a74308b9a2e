package booking

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/booking/internal/datessql"
	"holdfast/internal/booking/internal/rowsql"
	"holdfast/internal/db"
	"holdfast/internal/problem"
)

// The statements of bookings: those that need the locks of their dates, as they were and as they will be, and those
// that need none.
var (
	underDates = db.UnderDates(datessql.New)
	unlocked   = db.UnderNothing(rowsql.New)
)

type (
	// Row is a booking as it is stored, with its customer, its money, and the period that it occupies, buffers included.
	// Times are UTC, dates are civil dates in the booking's time zone, amounts are minor units of its currency.
	Row = rowsql.BookingGetRow
	// OpenPayment is a payment or refund without a final result.
	OpenPayment = rowsql.PaymentGetOpenRow
)

// What the failures of writing a booking mean. The next run finds an id or a reference in use, makes another code, and
// finds the customer that another booking made.
var (
	nameTaken = db.Failure{State: db.UniqueViolation, Again: true, Means: func(cause error) error {
		return problem.Wrap(cause, problem.AlreadyExists, "The id or the reference was taken at the same time.")
	}}
	otherCame = db.Failure{State: db.ForeignKeyViolation, Again: true}
	erased    = db.Failure{State: db.DivisionByZero, Again: true}
)

// QueueLock queues the lock of a booking's row: nobody changes the booking until the transaction ends.
func QueueLock(tx db.Transaction, id uuid.UUID) {
	db.Exec(unlocked.On(tx), "lock the booking", func(q *rowsql.Queries) error {
		return q.BookingLock(tx.Context(), tx.Tenant(), id)
	})
}

// Queue queues the reading of a booking. One that isn't there is problem.NotFound for the caller.
func Queue(tx db.Transaction, id uuid.UUID, row *Row) {
	db.Query(unlocked.On(tx), "read the booking", row, func(q *rowsql.Queries) (Row, error) {
		return q.BookingGet(tx.Context(), tx.Tenant(), id)
	})
}

// QueueOptional queues the reading of a booking. *row is nil if there is none.
func QueueOptional(tx db.Transaction, id uuid.UUID, row **Row) {
	db.Optional(unlocked.On(tx), "read the whole booking", row, func(q *rowsql.Queries) (Row, error) {
		return q.BookingGet(tx.Context(), tx.Tenant(), id)
	})
}

// QueueOpenPayment queues the reading of the open payment or refund of a booking. *open is nil if there is none.
func QueueOpenPayment(tx db.Transaction, booking uuid.UUID, open **OpenPayment) {
	db.Optional(unlocked.On(tx), "read the open payment", open, func(q *rowsql.Queries) (OpenPayment, error) {
		return q.PaymentGetOpen(tx.Context(), tx.Tenant(), booking)
	})
}

// QueuePaymentsEnded queues that the payments of a booking that ended need no more work: all of it was done, or the
// booking takes place after all. What was paid then isn't refunded; a refund that was begun stays.
func QueuePaymentsEnded(tx db.Transaction, booking uuid.UUID) {
	db.Exec(unlocked.On(tx), "delete the ended booking", func(q *rowsql.Queries) error {
		return q.EndedBookingDelete(tx.Context(), tx.Tenant(), booking)
	})
}

// readRow returns a booking. It costs one round trip and takes no lock. Errors: problem.NotFound,
// problem.DatabaseUnavailable.
func readRow(ctx context.Context, d *db.DB, tenant, id uuid.UUID) (Row, error) {
	return db.ReadOne(ctx, d, unlocked, "read a booking", tenant, func(tx *db.Tx, q *rowsql.Queries) (Row, error) {
		return q.BookingGet(tx.Context(), tx.Tenant(), id)
	})
}

// readSession returns the bookings that have seats of a session; none for an id that isn't a session's.
func readSession(ctx context.Context, d *db.DB, tenant, session uuid.UUID) ([]uuid.UUID, error) {
	return db.ReadOne(ctx, d, unlocked, "read the bookings of a session", tenant,
		func(tx *db.Tx, q *rowsql.Queries) ([]uuid.UUID, error) {
			return q.SessionBookings(tx.Context(), tx.Tenant(), &session)
		})
}
