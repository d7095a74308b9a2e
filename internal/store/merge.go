package store

import (
	"github.com/google/uuid"

	"holdfast/internal/store/internal/dbsqlc"
)

// Merge queues that bookings, which the transaction has locked, and all wallets of one customer become those of another one. Each booking gets
// its next version. Both customers' rows are locked.
func (tx *WriteTx) Merge(from, into uuid.UUID, bookings []uuid.UUID) {
	t := tx.t
	exec(&t.batch, "move the customer's bookings", func(q *dbsqlc.Queries) error {
		return q.MergeBookings(t.ctx, dbsqlc.MergeBookingsParams{TenantID: tx.tenant, IntoID: into, BookingIds: bookings, Now: t.now})
	})
	exec(&t.batch, "move the customer's wallets", func(q *dbsqlc.Queries) error {
		return q.MergeWallets(t.ctx, dbsqlc.MergeWalletsParams{TenantID: tx.tenant, IntoID: into, FromID: from})
	})
	exec(&t.batch, "move who was merged into the customer", func(q *dbsqlc.Queries) error {
		return q.MergeMerged(t.ctx, dbsqlc.MergeMergedParams{TenantID: tx.tenant, IntoID: into, FromID: from})
	})
}
