package store

import (
	"holdfast/internal/db"
	"holdfast/internal/db/internal/dbsqlc"
)

// InsertClosure queues a closure of the locked dates and raises the catalog's version.
func (tx *DatesTx) InsertClosure(c Closure) {
	db.Exec(unlocked.On(tx), "write the closure", func(q *dbsqlc.Queries) error {
		return q.ClosureInsert(tx.Context(), dbsqlc.ClosureInsertParams{
			TenantID: tx.Tenant(), ClosureID: c.ClosureID, ResourceID: c.ResourceID, FromDate: c.FromDate,
			ToDate: c.ToDate, StartsMinute: c.StartsMinute, EndsMinute: c.EndsMinute, Yearly: c.Yearly, Reason: c.Reason,
			CreatedAt: tx.Now(),
		})
	}, noResource)
	raiseCatalog(tx)
}

// UpdateClosure queues what changed of a closure, with its next version, and raises the catalog's version. The dates of
// the closure as it was and as it will be must be locked, of a yearly one those of a year.
func (tx *DatesTx) UpdateClosure(c Closure) {
	db.Exec(unlocked.On(tx), "write the closure", func(q *dbsqlc.Queries) error {
		return q.ClosureUpdate(tx.Context(), dbsqlc.ClosureUpdateParams{
			TenantID: tx.Tenant(), ClosureID: c.ClosureID, ResourceID: c.ResourceID, FromDate: c.FromDate, ToDate: c.ToDate,
			StartsMinute: c.StartsMinute, EndsMinute: c.EndsMinute, Yearly: c.Yearly, Reason: c.Reason,
			ArchivedAt: c.ArchivedAt, Now: tx.Now(),
		})
	}, noResource)
	raiseCatalog(tx)
}

// raiseCatalog queues the next version of the tenant's services, resources, hours and closures.
func raiseCatalog(tx db.Transaction) {
	db.Exec(unlocked.On(tx), "raise the catalog's version", func(q *dbsqlc.Queries) error {
		return q.TenantRaiseCatalogVersion(tx.Context(), tx.Tenant())
	})
}
