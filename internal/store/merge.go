package store

import (
	"github.com/google/uuid"

	"holdfast/internal/store/internal/dbsqlc"
)

// Merge queues that bookings, which the transaction has locked, and all wallets of one customer become those of another one. Each booking gets
// its next version. The other one counts as greeted in each year in which the customer was; greeting is the kind of these events. A greeting's email,
// of the kind email, that still waits is cancelled for a reason if the other one was greeted too. Both customers' rows are locked.
func (tx *WriteTx) Merge(from, into uuid.UUID, bookings []uuid.UUID, greeting, email, reason string) {
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
	exec(&t.batch, "end the second email of a greeting", func(q *dbsqlc.Queries) error {
		return q.MergeEmails(t.ctx, dbsqlc.MergeEmailsParams{
			TenantID: tx.tenant, FromID: from, IntoID: into, Kind: greeting, EmailKind: email, Reason: reason, Now: t.now,
		})
	})
	exec(&t.batch, "move who was greeted", func(q *dbsqlc.Queries) error {
		return q.MergeGreetings(t.ctx, dbsqlc.MergeGreetingsParams{TenantID: tx.tenant, IntoID: into, FromID: from, Kind: greeting, Now: t.now})
	})
}
