package booking

import (
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/booking/internal/rowsql"
	"holdfast/internal/claim"
	"holdfast/internal/db"
)

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
	db.Query(unlocked.On(tx), "count the service's bookings", counts, func(q *rowsql.Queries) ([]claim.DateCount, error) {
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
