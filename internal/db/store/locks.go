package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
)

type (
	// LockRequest is a session that holds or awaits an advisory lock of this database, as pg_locks shows it.
	LockRequest = dbsqlc.LockListRow
	// LockSession is a session of this database, with the processes that it waits for.
	LockSession = dbsqlc.LockSessionListRow
	// LockOtherWait is a session that awaits a lock of a table, a row, or what else PostgreSQL locks by itself.
	LockOtherWait = dbsqlc.LockOtherWaitListRow
	// TenantName is a tenant's id and slug.
	TenantName = dbsqlc.LockTenantListRow
	// BookingID is a booking's id and its tenant's.
	BookingID = dbsqlc.LockBookingListRow
)

// LockTable is what PostgreSQL knew about locks at a moment. Times are UTC instants of the database's clock.
type LockTable struct {
	Now      time.Time
	Requests []LockRequest   // of advisory locks
	Others   []LockOtherWait // waits for all other locks
	Sessions []LockSession
}

// queryLength bounds the statement that is shown of a session, in characters.
const queryLength = 1000

// LockTable reads which session holds or awaits which advisory lock, and which one awaits another lock. It costs one round trip and takes
// no lock itself. The statements of sessions of another login are shown to members of pg_read_all_stats only. Errors:
// problem.DatabaseUnavailable.
func (s *Store) LockTable(ctx context.Context) (LockTable, error) {
	var t LockTable
	err := s.db.ReadAsLogin(ctx, "read the locks", func(session *core.Tx) {
		core.Query(session, "read the clock", &t.Now, func(q *dbsqlc.Queries) (time.Time, error) { return q.SessionClock(session.Ctx) })
		core.Query(session, "read the locks", &t.Requests, func(q *dbsqlc.Queries) ([]LockRequest, error) {
			return q.LockList(session.Ctx)
		})
		core.Query(session, "read the waits for other locks", &t.Others, func(q *dbsqlc.Queries) ([]LockOtherWait, error) {
			return q.LockOtherWaitList(session.Ctx)
		})
		core.Query(session, "read the sessions", &t.Sessions, func(q *dbsqlc.Queries) ([]LockSession, error) {
			return q.LockSessionList(session.Ctx, queryLength)
		})
	})
	return t, err
}

// TenantNames lists up to limit tenants of all there are, in the order of their ids, that follow the id after. It is for
// giving locks their names: no request of a tenant may see what it returns. Errors: problem.DatabaseUnavailable.
func (s *Store) TenantNames(ctx context.Context, after uuid.UUID, limit int) (names []TenantName, err error) {
	err = s.db.ReadAcross(ctx, "list tenants", func(t *core.Tx) {
		core.Query(t, "list tenants", &names, func(q *dbsqlc.Queries) ([]TenantName, error) {
			return q.LockTenantList(t.Ctx, after, int32(limit))
		})
	})
	return names, err
}

// NewestBookings lists up to limit bookings of each of the tenants, the newest of each. It is for giving locks their
// names, as TenantNames is. Errors: problem.DatabaseUnavailable.
func (s *Store) NewestBookings(ctx context.Context, tenants []uuid.UUID, limit int) (ids []BookingID, err error) {
	err = s.db.ReadAcross(ctx, "list bookings", func(t *core.Tx) {
		core.Query(t, "list bookings", &ids, func(q *dbsqlc.Queries) ([]BookingID, error) {
			return q.LockBookingList(t.Ctx, tenants, int32(limit))
		})
	})
	return ids, err
}
