package booking

import (
	"context"
	"time"

	"cloud.google.com/go/civil"

	"holdfast/internal/claim"

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
	// Row is a booking as it is stored, with its customer, its money, and the period that it occupies, buffers
	// included. Times are UTC, dates are civil dates in the booking's time zone, amounts are minor units of its
	// currency.
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

// queueCatalogVersion queues the reading of the version of the rules, and of the clock that every expiry is judged by.
func queueCatalogVersion(tx db.Transaction, version *int64) {
	db.QueryWithClock(unlocked.On(tx), "read the clock", version, func(q *rowsql.Queries) (int64, time.Time, error) {
		row, err := q.DatesClock(tx.Context(), tx.Tenant())
		return row.CatalogVersion, row.Now, err
	})
}

// queueCounts queues the reading of how many bookings a service has on each date, of those but one.
func queueCounts(tx db.Transaction, service uuid.UUID, from, to civil.Date, except *uuid.UUID,
	counts *[]claim.DateCount,
) {
	db.Query(unlocked.On(tx), "count the service's bookings", counts, func(q *rowsql.Queries) ([]claim.DateCount,
		error) {
		rows, err := q.BookingCountByDate(tx.Context(), rowsql.BookingCountByDateParams{
			TenantID: tx.Tenant(), ServiceID: service, FromDate: from, ToDate: to, ExceptBooking: except,
		})
		return db.Convert(rows, func(r rowsql.BookingCountByDateRow) claim.DateCount { return claim.DateCount(r) }), err
	})
}

// visitorHolds is how many holds of the customer with an address visitors made that last.
type visitorHolds = rowsql.VisitorHoldCountRow

// queueVisitorHolds queues the counting of the holds that visitors made for the customers with some addresses, all but
// one, up to most of each.
func queueVisitorHolds(tx db.Transaction, emails []string, except *uuid.UUID, most int, held *[]visitorHolds) {
	db.Query(unlocked.On(tx), "count the holds of visitors", held, func(q *rowsql.Queries) ([]visitorHolds, error) {
		return q.VisitorHoldCount(tx.Context(), rowsql.VisitorHoldCountParams{
			TenantID: tx.Tenant(), Emails: emails, ExceptBooking: except, RowLimit: int32(most),
		})
	})
}

func queueIDsTaken(tx db.Transaction, ids []uuid.UUID, taken *[]uuid.UUID) {
	db.Query(unlocked.On(tx), "look for the ids", taken, func(q *rowsql.Queries) ([]uuid.UUID, error) {
		return q.BookingIDsTaken(tx.Context(), tx.Tenant(), ids)
	})
}

func queueReferencesTaken(tx db.Transaction, references []string, taken *[]string) {
	db.Query(unlocked.On(tx), "look for the references", taken, func(q *rowsql.Queries) ([]string, error) {
		return q.BookingReferencesTaken(tx.Context(), tx.Tenant(), references)
	})
}

func queueExternalReferencesTaken(tx db.Transaction, references []string, taken *[]string) {
	db.Query(unlocked.On(tx), "look for the external references", taken, func(q *rowsql.Queries) ([]string, error) {
		return q.BookingExternalReferencesTaken(tx.Context(), tx.Tenant(), references)
	})
}
