package store

import (
	"github.com/google/uuid"

	"holdfast/internal/claim"
	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
)

// queueCatalogReads queues the locks of a resource's, of a service's and of the tenant's row, and what a change of them reads.
func queueCatalogReads(t *core.Tx, tenant uuid.UUID, read WriteRead, st *WriteState) {
	if read.Resource != nil {
		core.Exec(t, "lock the resource", func(q *dbsqlc.Queries) error { return q.ResourceLock(t.Ctx, tenant, *read.Resource) })
		core.Optional(t, "read the resource", &st.Resource, func(q *dbsqlc.Queries) (Resource, error) {
			return q.ResourceGet(t.Ctx, tenant, *read.Resource)
		})
	}
	if read.Service != nil {
		core.Exec(t, "lock the service", func(q *dbsqlc.Queries) error { return q.ServiceLock(t.Ctx, tenant, *read.Service) })
		core.Optional(t, "read the service", &st.Service, func(q *dbsqlc.Queries) (Service, error) {
			return q.ServiceGet(t.Ctx, tenant, *read.Service)
		})
	}
	if read.TenantHours {
		core.Exec(t, "lock the settings", func(q *dbsqlc.Queries) error { return q.SettingsLock(t.Ctx, tenant) })
		core.Optional(t, "read the tenant's hours", &st.TenantHours, func(q *dbsqlc.Queries) (TenantHours, error) {
			return q.TenantHoursGet(t.Ctx, tenant)
		})
	}
	switch up := read.Upcoming; {
	case up == nil:
	case read.Resource != nil:
		core.Query(t, "read what is occupied", &st.Upcoming, func(q *dbsqlc.Queries) ([]claim.Claim, error) {
			rows, err := q.ClaimListUpcomingOfResource(t.Ctx, dbsqlc.ClaimListUpcomingOfResourceParams{
				TenantID: tenant, ResourceID: *read.Resource, BegunFrom: up.After.Add(-up.Longest), BusyAfter: up.After,
				AllUnits: multirange(claim.AllUnits()),
			})
			return convert(rows, upcomingClaim), err
		})
	case read.Service != nil:
		core.Query(t, "read the service's bookings", &st.Upcoming, func(q *dbsqlc.Queries) ([]claim.Claim, error) {
			rows, err := q.ClaimListUpcomingOfService(t.Ctx, dbsqlc.ClaimListUpcomingOfServiceParams{
				TenantID: tenant, ServiceID: *read.Service, Since: up.Since, BusyAfter: up.After,
			})
			return convert(rows, func(r dbsqlc.ClaimListUpcomingOfServiceRow) claim.Claim {
				return upcomingClaim(dbsqlc.ClaimListUpcomingOfResourceRow(r))
			}), err
		})
	}
}

// InsertResource queues a resource. It is new, so no date's availability changes.
func (tx *WriteTx) InsertResource(r Resource) {
	core.Exec(tx.t, "insert the resource", func(q *dbsqlc.Queries) error {
		return q.ResourceInsert(tx.t.Ctx, dbsqlc.ResourceInsertParams{
			TenantID: tx.tenant, ResourceID: r.ResourceID, Name: r.Name, Capacity: r.Capacity, Position: r.Position, Hours: r.Hours,
			Now: tx.t.Now,
		})
	})
}

// UpdateResource queues what changed of the resource that was read, with its next version, and raises the catalog's version. Hours,
// capacity and archiving concern every date, so they take no date's lock: a booking that reads the catalog's version under its lock
// before this commits was made by the old values, and one that reads it afterwards is judged by the new ones.
func (tx *WriteTx) UpdateResource(r Resource) {
	core.Exec(tx.t, "update the resource", func(q *dbsqlc.Queries) error {
		return q.ResourceUpdate(tx.t.Ctx, dbsqlc.ResourceUpdateParams{
			TenantID: tx.tenant, ResourceID: r.ResourceID, Name: r.Name, Capacity: r.Capacity, Position: r.Position, Hours: r.Hours,
			ArchivedAt: r.ArchivedAt, Now: tx.t.Now,
		})
	})
	raiseCatalogVersion(tx.t, tx.tenant)
}

// SetTenantHours queues the hours that the tenant's resources can follow, and raises the versions of the settings and of the catalog. The
// hours must have been read by the transaction. They concern every date, as UpdateResource says of a resource's.
func (tx *WriteTx) SetTenantHours(hours []byte) {
	core.Exec(tx.t, "set the tenant's hours", func(q *dbsqlc.Queries) error {
		return q.TenantHoursSet(tx.t.Ctx, tx.tenant, hours)
	})
}

// InsertService queues a service with the resources that can serve it, in the order in which they are tried. It
// raises the catalog's version: other services of the same resources must know how long its bookings can be.
func (tx *WriteTx) InsertService(v Service) {
	core.Exec(tx.t, "insert the service", func(q *dbsqlc.Queries) error {
		return q.ServiceInsert(tx.t.Ctx, dbsqlc.ServiceInsertParams{
			TenantID: tx.tenant, ServiceID: v.ServiceID, Spec: v.Spec, LongestMinutes: v.LongestMinutes, Now: tx.t.Now,
		})
	})
	tx.putLinks(v)
	raiseCatalogVersion(tx.t, tx.tenant)
}

// UpdateService queues what changed of the service that was read, with its next version, and raises the catalog's version. With relink
// its resources and their order are replaced; a link that bookings reference stays as a removed one.
func (tx *WriteTx) UpdateService(v Service, relink bool) {
	core.Exec(tx.t, "update the service", func(q *dbsqlc.Queries) error {
		return q.ServiceUpdate(tx.t.Ctx, dbsqlc.ServiceUpdateParams{
			TenantID: tx.tenant, ServiceID: v.ServiceID, Spec: v.Spec, LongestMinutes: v.LongestMinutes, ArchivedAt: v.ArchivedAt,
			Now: tx.t.Now,
		})
	})
	if relink {
		core.Exec(tx.t, "remove the service's other links", func(q *dbsqlc.Queries) error {
			return q.ServiceResourcesRemove(tx.t.Ctx, dbsqlc.ServiceResourcesRemoveParams{
				TenantID: tx.tenant, ServiceID: v.ServiceID, ResourceIds: v.ResourceIds, Now: tx.t.Now,
			})
		})
		tx.putLinks(v)
	}
	raiseCatalogVersion(tx.t, tx.tenant)
}

func (tx *WriteTx) putLinks(v Service) {
	core.Exec(tx.t, "link the service's resources", func(q *dbsqlc.Queries) error {
		return q.ServiceResourcesPut(tx.t.Ctx, dbsqlc.ServiceResourcesPutParams{
			TenantID: tx.tenant, ServiceID: v.ServiceID, ResourceIds: v.ResourceIds,
		})
	}, noResource)
}

// raiseCatalogVersion queues the next version of a tenant's services, resources, hours and closures.
func raiseCatalogVersion(t *core.Tx, tenant uuid.UUID) {
	core.Exec(t, "raise the catalog's version", func(q *dbsqlc.Queries) error { return q.TenantRaiseCatalogVersion(t.Ctx, tenant) })
}
