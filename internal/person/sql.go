package person

import (
	"errors"
	"math"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/customer"
	"holdfast/internal/db"
	"holdfast/internal/person/internal/rowsql"
)

// unlocked are the statements over what is stored of a person. Those that write are kept right by the locks of rows
// that readLocked takes.
var unlocked = db.UnderNothing(rowsql.New)

// erasureTimeout bounds each statement of an erasure or a merge, which writes several rows for each booking of a
// customer. With the default lock timeout, the response comes before the server ends the connection.
const erasureTimeout = 45 * time.Second

// errBookingsChanged says that a customer got another booking, or that one of its bookings changed, while its bookings
// were being locked. The caller begins again.
var errBookingsChanged = errors.New("person: the customer's bookings changed")

// stored is what was read of a customer whose row, and whose bookings' rows, the transaction has locked.
type stored struct {
	// customers are the customer and, of a merge, the one that receives what it has; nil where there is none.
	customers []*customer.Row
	// lockedFirst are the customer's bookings that were locked, bookings those that it has once its own row is locked,
	// and wallets its wallets.
	lockedFirst []uuid.UUID
	bookings    []booking.Row
	wallets     []uuid.UUID
	// earlierMerged were merged into the customer before.
	earlierMerged []uuid.UUID
	// formerBookings are those that the customer, or one of earlierMerged, had before another customer got them; it may
	// have one of them again.
	formerBookings []uuid.UUID
	// overtaken says that one of the bookings changed while they were being locked: in the feed, the next change would
	// come before that one.
	overtaken bool
}

// bookingsChanged returns errBookingsChanged if the customer's bookings aren't those that were locked, or if one of
// them changed meanwhile.
func (st *stored) bookingsChanged() error {
	if st.overtaken || len(st.bookings) != len(st.lockedFirst) {
		return errBookingsChanged
	}
	return nil
}

// readLocked queues the locks of a customer's present bookings, then those of customers, the first of which it is, in
// the order of their ids, and the reading of what the first one has. It is there when the transaction decides.
func readLocked(tx *db.WriteTx, customers ...uuid.UUID) *stored {
	st, of := new(stored), customers[0]
	tx.AllowTime(erasureTimeout)
	db.Query(unlocked.On(tx), "lock the customer's bookings", &st.lockedFirst,
		func(q *rowsql.Queries) ([]uuid.UUID, error) {
			return q.CustomerBookingLock(tx.Context(), tx.Tenant(), of)
		})
	st.customers = customer.ReadLocked(tx, customers...)
	tx.PlanForValues()
	booking.QueueOfCustomer(tx, "list the customer's bookings", of, math.MaxInt32, &st.bookings)
	db.Query(unlocked.On(tx), "find later changes of the bookings", &st.overtaken, func(q *rowsql.Queries) (bool,
		error) {
		return q.CustomerBookingsOvertaken(tx.Context(), tx.Tenant(), of)
	})
	db.Query(unlocked.On(tx), "list the customer's wallets", &st.wallets, func(q *rowsql.Queries) ([]uuid.UUID, error) {
		return q.CustomerWalletIDs(tx.Context(), tx.Tenant(), of)
	})
	queueMergedInto(tx, of, &st.earlierMerged)
	db.Query(unlocked.On(tx), "list the customer's former bookings", &st.formerBookings,
		func(q *rowsql.Queries) ([]uuid.UUID, error) {
			return q.FormerBookings(tx.Context(), tx.Tenant(), of)
		})
	return st
}

// queueMergedInto queues the reading of who was merged into a customer.
func queueMergedInto(tx db.Transaction, customer uuid.UUID, merged *[]uuid.UUID) {
	db.Query(unlocked.On(tx), "list who was merged into the customer", merged,
		func(q *rowsql.Queries) ([]uuid.UUID, error) {
			return q.CustomersMergedInto(tx.Context(), tx.Tenant(), customer)
		})
}

// queueMerge queues that bookings, which the transaction has locked, and all wallets of one customer become those of
// another one. Each booking gets its next version. Both customers' rows are locked.
func queueMerge(tx *db.WriteTx, from, into uuid.UUID, bookings []uuid.UUID) {
	db.Exec(unlocked.On(tx), "move the customer's bookings", func(q *rowsql.Queries) error {
		return q.MergeBookings(tx.Context(), rowsql.MergeBookingsParams{
			TenantID: tx.Tenant(), IntoID: into, BookingIds: bookings, Now: tx.Now(),
		})
	})
	db.Exec(unlocked.On(tx), "move the customer's wallets", func(q *rowsql.Queries) error {
		return q.MergeWallets(tx.Context(),
			rowsql.MergeWalletsParams{TenantID: tx.Tenant(), IntoID: into, FromID: from})
	})
	db.Exec(unlocked.On(tx), "move who was merged into the customer", func(q *rowsql.Queries) error {
		return q.MergeMerged(tx.Context(), rowsql.MergeMergedParams{TenantID: tx.Tenant(), IntoID: into, FromID: from})
	})
}
