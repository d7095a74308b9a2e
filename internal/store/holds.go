package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/store/internal/dbsqlc"
)

type (
	// Hold is a booking that is held, with the time that it occupies, buffers included.
	Hold = dbsqlc.BookingListHoldsRow
	// LapsedHold is a hold past its expiry, of any tenant. TimeZone is that of its dates.
	LapsedHold = dbsqlc.BookingListLapsedHoldsRow
)

// LapsedHolds lists up to limit holds past their expiry, of all tenants, the longest past first. It takes no lock. Another
// transaction may have expired a listed hold before its dates are locked: check again under the lock. Errors:
// problem.DatabaseUnavailable.
func (s *Store) LapsedHolds(ctx context.Context, limit int) (holds []LapsedHold, err error) {
	err = s.look(ctx, "list lapsed holds", new(dbsqlc.LocksBeginRow), func(ctx context.Context, f *flight) {
		exec(f, "become the resolver", func(q *dbsqlc.Queries) error { return q.SessionResolver(ctx) })
		many(f, "list lapsed holds", &holds, func(q *dbsqlc.Queries) ([]LapsedHold, error) {
			return q.BookingListLapsedHolds(ctx, int32(min(limit, 10_000)))
		})
	})
	return holds, err
}

func addExpireHolds(ctx context.Context, f *flight, tenant uuid.UUID, ids []uuid.UUID, now time.Time) {
	exec(f, "expire holds", func(q *dbsqlc.Queries) error {
		return q.BookingExpireHolds(ctx, dbsqlc.BookingExpireHoldsParams{TenantID: tenant, BookingIds: ids, Now: now})
	})
}
