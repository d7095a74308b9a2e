package store

import (
	"context"

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
	err = s.readAsLogin(ctx, "list lapsed holds", func(t *tx) {
		becomeResolver(t)
		query(&t.batch, "list lapsed holds", &holds, func(q *dbsqlc.Queries) ([]LapsedHold, error) {
			return q.BookingListLapsedHolds(t.ctx, int32(min(limit, 10_000)))
		})
	})
	return holds, err
}

func queueExpireHolds(b *batch, t *tx, ids []uuid.UUID) {
	if len(ids) == 0 {
		return
	}
	exec(b, "expire holds", func(q *dbsqlc.Queries) error {
		return q.BookingExpireHolds(t.ctx, dbsqlc.BookingExpireHoldsParams{TenantID: t.tenant, BookingIds: ids, Now: t.now})
	})
}
