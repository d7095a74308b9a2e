package store

import (
	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
)

// InsertClosure queues a closure of the locked dates and raises the catalog's version.
func (tx *DatesTx) InsertClosure(c Closure) {
	core.Exec(tx.t, "write the closure", func(q *dbsqlc.Queries) error {
		return q.ClosureInsert(tx.t.Ctx, dbsqlc.ClosureInsertParams{
			TenantID: tx.t.Tenant, ClosureID: c.ClosureID, ResourceID: c.ResourceID, FromDate: c.FromDate,
			ToDate: c.ToDate, StartsMinute: c.StartsMinute, EndsMinute: c.EndsMinute, Yearly: c.Yearly, Reason: c.Reason,
			CreatedAt: tx.t.Now,
		})
	}, noResource)
	raiseCatalogVersion(tx.t, tx.t.Tenant)
}

// UpdateClosure queues what changed of a closure, with its next version, and raises the catalog's version. The dates of the closure
// as it was and as it will be must be locked, of a yearly one those of a year.
func (tx *DatesTx) UpdateClosure(c Closure) {
	core.Exec(tx.t, "write the closure", func(q *dbsqlc.Queries) error {
		return q.ClosureUpdate(tx.t.Ctx, dbsqlc.ClosureUpdateParams{
			TenantID: tx.t.Tenant, ClosureID: c.ClosureID, ResourceID: c.ResourceID, FromDate: c.FromDate, ToDate: c.ToDate,
			StartsMinute: c.StartsMinute, EndsMinute: c.EndsMinute, Yearly: c.Yearly, Reason: c.Reason,
			ArchivedAt: c.ArchivedAt, Now: tx.t.Now,
		})
	}, noResource)
	raiseCatalogVersion(tx.t, tx.t.Tenant)
}
