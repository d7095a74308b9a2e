package store

import (
	"github.com/google/uuid"

	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
)

// Merge queues that bookings, which the transaction has locked, and all wallets of one customer become those of another one. Each booking
// gets its next version. Both customers' rows are locked.
func (tx *WriteTx) Merge(from, into uuid.UUID, bookings []uuid.UUID) {
	t := tx.t
	core.Exec(t, "move the customer's bookings", func(q *dbsqlc.Queries) error {
		return q.MergeBookings(t.Ctx, dbsqlc.MergeBookingsParams{TenantID: tx.tenant, IntoID: into, BookingIds: bookings, Now: t.Now})
	})
	core.Exec(t, "move the customer's wallets", func(q *dbsqlc.Queries) error {
		return q.MergeWallets(t.Ctx, dbsqlc.MergeWalletsParams{TenantID: tx.tenant, IntoID: into, FromID: from})
	})
	core.Exec(t, "move who was merged into the customer", func(q *dbsqlc.Queries) error {
		return q.MergeMerged(t.Ctx, dbsqlc.MergeMergedParams{TenantID: tx.tenant, IntoID: into, FromID: from})
	})
}
