package lockview

import (
	"context"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/lockview/internal/rowsql"
)

// unlocked are the statements that look at locks. None of them takes one.
var unlocked = db.UnderNothing(rowsql.New)

type (
	// lockRequest is a session that holds or awaits an advisory lock of this database, as pg_locks shows it.
	lockRequest = rowsql.LockListRow
	// lockSession is a session of this database, with the processes that it waits for.
	lockSession = rowsql.LockSessionListRow
	// otherWait is a session that awaits a lock of a table, a row, or what else PostgreSQL locks by itself.
	otherWait = rowsql.LockOtherWaitListRow
	// bookingID is a booking's id and its tenant's.
	bookingID = rowsql.LockBookingListRow
)

// lockTable is what PostgreSQL knew about locks at a moment. Times are UTC instants of the database's clock.
type lockTable struct {
	now      time.Time
	requests []lockRequest // of advisory locks
	others   []otherWait   // waits for all other locks
	sessions []lockSession
}

// queryLength bounds the statement that is shown of a session, in characters.
const queryLength = 1000

// readTable reads which session holds or awaits which advisory lock, and which one awaits another lock. It costs one
// round trip and takes no lock itself. The statements of sessions of another login are shown to members of
// pg_read_all_stats only. Errors: problem.DatabaseUnavailable.
func readTable(ctx context.Context, d *db.DB) (t lockTable, err error) {
	err = d.ReadAsLogin(ctx, "read the locks", func(tx *db.Tx) {
		locks := unlocked.On(tx)
		tx.ReadClockInto(&t.now)
		db.Query(locks, "read the locks", &t.requests, func(q *rowsql.Queries) ([]lockRequest, error) {
			return q.LockList(tx.Context())
		})
		db.Query(locks, "read the waits for other locks", &t.others, func(q *rowsql.Queries) ([]otherWait, error) {
			return q.LockOtherWaitList(tx.Context())
		})
		db.Query(locks, "read the sessions", &t.sessions, func(q *rowsql.Queries) ([]lockSession, error) {
			return q.LockSessionList(tx.Context(), queryLength)
		})
	})
	return t, err
}

// newestBookings lists up to limit bookings of each of the tenants owners, the newest of each. It is for giving locks
// their names: no request of a tenant may see what it returns. Errors: problem.DatabaseUnavailable.
func newestBookings(ctx context.Context, d *db.DB, owners []uuid.UUID, limit int) (ids []bookingID, err error) {
	err = d.ReadAcross(ctx, "list bookings", func(tx *db.Tx) {
		db.Query(unlocked.On(tx), "list bookings", &ids, func(q *rowsql.Queries) ([]bookingID, error) {
			return q.LockBookingList(tx.Context(), owners, int32(limit))
		})
	})
	return ids, err
}
