package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/store/internal/dbsqlc"
)

type (
	// LockRequest is a session that holds or awaits an advisory lock of this database, as pg_locks shows it.
	LockRequest = dbsqlc.LockListRow
	// LockSession is a session of this database, with the processes that it waits for.
	LockSession = dbsqlc.LockSessionListRow
	// TenantName is a tenant's id and slug.
	TenantName = dbsqlc.LockTenantListRow
	// BookingID is a booking's id and its tenant's.
	BookingID = dbsqlc.LockBookingListRow
)

// LockTable is what PostgreSQL knew about advisory locks at a moment. Times are UTC instants of the database's clock.
type LockTable struct {
	Now      time.Time
	Requests []LockRequest
	Sessions []LockSession
}

// queryLength bounds the statement that is shown of a session, in characters.
const queryLength = 1000

// LockTable reads who holds and awaits which advisory lock. One round trip; it takes no lock itself. The statements of
// sessions of another login are shown to members of pg_read_all_stats only. Errors: problem.DatabaseUnavailable.
func (s *Store) LockTable(ctx context.Context) (LockTable, error) {
	var t LockTable
	var began dbsqlc.LocksBeginRow
	err := s.look(ctx, "read the locks", &began, func(ctx context.Context, f *flight) {
		many(f, "read the locks", &t.Requests, func(q *dbsqlc.Queries) ([]LockRequest, error) { return q.LockList(ctx) })
		many(f, "read the sessions", &t.Sessions, func(q *dbsqlc.Queries) ([]LockSession, error) {
			return q.LockSessionList(ctx, queryLength)
		})
	})
	t.Now = began.Now
	return t, err
}

// TenantNames lists up to limit tenants of all there are, in the order of their ids, that follow the id after. It is for
// giving locks their names: no request of a tenant may see what it returns. Errors: problem.DatabaseUnavailable.
func (s *Store) TenantNames(ctx context.Context, after uuid.UUID, limit int) (names []TenantName, err error) {
	err = s.lookAcross(ctx, "list tenants", func(ctx context.Context, f *flight) {
		many(f, "list tenants", &names, func(q *dbsqlc.Queries) ([]TenantName, error) {
			return q.LockTenantList(ctx, after, int32(limit))
		})
	})
	return names, err
}

// NewestBookings lists up to limit bookings of each of the tenants, the newest of each. It is for giving locks their
// names, as TenantNames is. Errors: problem.DatabaseUnavailable.
func (s *Store) NewestBookings(ctx context.Context, tenants []uuid.UUID, limit int) (ids []BookingID, err error) {
	err = s.lookAcross(ctx, "list bookings", func(ctx context.Context, f *flight) {
		many(f, "list bookings", &ids, func(q *dbsqlc.Queries) ([]BookingID, error) {
			return q.LockBookingList(ctx, tenants, int32(limit))
		})
	})
	return ids, err
}

// lookAcross is look as the operator's role, which sees a little of every tenant.
func (s *Store) lookAcross(ctx context.Context, doing string, add func(ctx context.Context, f *flight)) error {
	return s.look(ctx, doing, new(dbsqlc.LocksBeginRow), func(ctx context.Context, f *flight) {
		exec(f, "become the operator", func(q *dbsqlc.Queries) error { return q.LocksBecomeOperator(ctx) })
		add(ctx, f)
	})
}

// look is readOnly as the login itself and not as a tenant.
func (s *Store) look(ctx context.Context, doing string, began *dbsqlc.LocksBeginRow, add func(ctx context.Context, f *flight)) error {
	return s.readBatch(ctx, doing, func(ctx context.Context, f *flight) {
		f.addSQL(beginRead)
		one(f, "settings", began, new(bool), func(q *dbsqlc.Queries) (dbsqlc.LocksBeginRow, error) {
			return q.LocksBegin(ctx, milliseconds(statementTimeout))
		})
		add(ctx, f)
	})
}
