package store

import (
	"context"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/store/internal/dbsqlc"
)

// CatalogPage bounds a list of resources or services: archived ones, or those that aren't.
type CatalogPage struct {
	Page
	Archived bool
	// Beginnings are what a name may begin with; none lists all. Of each, the first 1,000 names are looked at.
	Beginnings []string
}

// Resources lists a tenant's resources by id.
func (s *Store) Resources(ctx context.Context, tenant uuid.UUID, page CatalogPage) ([]Resource, error) {
	if page.Beginnings != nil {
		return s.searchResources(ctx, tenant, nil, page)
	}
	return readOne(ctx, s, "list resources", tenant, func(ctx context.Context, q *dbsqlc.Queries) ([]Resource, error) {
		return q.ResourceList(ctx, dbsqlc.ResourceListParams{
			TenantID: tenant, After: page.After, Archived: page.Archived, RowLimit: int32(page.Limit),
		})
	})
}

// ResourcesByPosition lists a tenant's resources by position and id, those that follow the place of a position and the page's After.
func (s *Store) ResourcesByPosition(ctx context.Context, tenant uuid.UUID, position int, page CatalogPage) ([]Resource, error) {
	if page.Beginnings != nil {
		return s.searchResources(ctx, tenant, &position, page)
	}
	return readOne(ctx, s, "list resources by position", tenant, func(ctx context.Context, q *dbsqlc.Queries) ([]Resource, error) {
		return q.ResourceListByPosition(ctx, dbsqlc.ResourceListByPositionParams{
			TenantID: tenant, AfterPosition: int32(position), After: page.After, Archived: page.Archived, RowLimit: int32(page.Limit),
		})
	})
}

// Services lists a tenant's services by id.
func (s *Store) Services(ctx context.Context, tenant uuid.UUID, page CatalogPage) ([]Service, error) {
	if page.Beginnings != nil {
		return s.searchServices(ctx, tenant, page)
	}
	return readOne(ctx, s, "list services", tenant, func(ctx context.Context, q *dbsqlc.Queries) ([]Service, error) {
		rows, err := q.ServiceList(ctx, dbsqlc.ServiceListParams{
			TenantID: tenant, After: page.After, Archived: page.Archived, RowLimit: int32(page.Limit),
		})
		return convert(rows, func(r dbsqlc.ServiceListRow) Service { return Service(r) }), err
	})
}

// Upcoming asks for what occupies a resource, or a resource for a service, after a time. Longest is the longest time that one booking
// can occupy any resource; Since is a date on which no such booking can begin any more.
type Upcoming struct {
	After   time.Time
	Longest time.Duration
	Since   civil.Date
}

// queueCatalogReads queues the locks of a resource's and of a service's row, and what a change of them reads.
func queueCatalogReads(t *tx, tenant uuid.UUID, read WriteRead, st *WriteState) {
	if read.Resource != nil {
		exec(&t.batch, "lock the resource", func(q *dbsqlc.Queries) error { return q.ResourceLock(t.ctx, tenant, *read.Resource) })
		optional(&t.batch, "read the resource", &st.Resource, func(q *dbsqlc.Queries) (Resource, error) {
			return q.ResourceGet(t.ctx, tenant, *read.Resource)
		})
	}
	if read.Service != nil {
		exec(&t.batch, "lock the service", func(q *dbsqlc.Queries) error { return q.ServiceLock(t.ctx, tenant, *read.Service) })
		optional(&t.batch, "read the service", &st.Service, func(q *dbsqlc.Queries) (Service, error) {
			return q.ServiceGet(t.ctx, tenant, *read.Service)
		})
	}
	switch up := read.Upcoming; {
	case up == nil:
	case read.Resource != nil:
		query(&t.batch, "read what is occupied", &st.Upcoming, func(q *dbsqlc.Queries) ([]Claim, error) {
			rows, err := q.ClaimListUpcomingOfResource(t.ctx, dbsqlc.ClaimListUpcomingOfResourceParams{
				TenantID: tenant, ResourceID: *read.Resource, BegunFrom: up.After.Add(-up.Longest), BusyAfter: up.After,
			})
			return convert(rows, upcomingClaim), err
		})
	case read.Service != nil:
		query(&t.batch, "read the service's bookings", &st.Upcoming, func(q *dbsqlc.Queries) ([]Claim, error) {
			rows, err := q.ClaimListUpcomingOfService(t.ctx, dbsqlc.ClaimListUpcomingOfServiceParams{
				TenantID: tenant, ServiceID: *read.Service, Since: up.Since, BusyAfter: up.After,
			})
			return convert(rows, func(r dbsqlc.ClaimListUpcomingOfServiceRow) Claim {
				return upcomingClaim(dbsqlc.ClaimListUpcomingOfResourceRow(r))
			}), err
		})
	}
}

// InsertResource queues a resource. It is new, so no date's availability changes.
func (tx *WriteTx) InsertResource(r Resource) {
	exec(&tx.t.batch, "insert the resource", func(q *dbsqlc.Queries) error {
		return q.ResourceInsert(tx.t.ctx, dbsqlc.ResourceInsertParams{
			TenantID: tx.tenant, ResourceID: r.ResourceID, Name: r.Name, Capacity: r.Capacity, Position: r.Position, Hours: r.Hours, Now: tx.t.now,
		})
	})
}

// UpdateResource queues what changed of the resource that was read, with its next version, and raises the catalog's version. Hours,
// capacity and archiving concern every date, so they take no date's lock: a booking that reads the catalog's version under its lock
// before this commits was made by the old values, and one that reads it afterwards is judged by the new ones.
func (tx *WriteTx) UpdateResource(r Resource) {
	exec(&tx.t.batch, "update the resource", func(q *dbsqlc.Queries) error {
		return q.ResourceUpdate(tx.t.ctx, dbsqlc.ResourceUpdateParams{
			TenantID: tx.tenant, ResourceID: r.ResourceID, Name: r.Name, Capacity: r.Capacity, Position: r.Position, Hours: r.Hours,
			ArchivedAt: r.ArchivedAt, Now: tx.t.now,
		})
	})
	raiseCatalogVersion(tx.t)
}

// InsertService queues a service with the resources that can serve it, in the order in which they are tried. It
// raises the catalog's version: other services of the same resources must know how long its bookings can be.
func (tx *WriteTx) InsertService(v Service) {
	exec(&tx.t.batch, "insert the service", func(q *dbsqlc.Queries) error {
		return q.ServiceInsert(tx.t.ctx, dbsqlc.ServiceInsertParams{
			TenantID: tx.tenant, ServiceID: v.ServiceID, Spec: v.Spec, LongestMinutes: v.LongestMinutes, Now: tx.t.now,
		})
	})
	tx.putLinks(v)
	raiseCatalogVersion(tx.t)
}

// UpdateService queues what changed of the service that was read, with its next version, and raises the catalog's version. With relink
// its resources and their order are replaced; a link that bookings reference stays as a removed one.
func (tx *WriteTx) UpdateService(v Service, relink bool) {
	exec(&tx.t.batch, "update the service", func(q *dbsqlc.Queries) error {
		return q.ServiceUpdate(tx.t.ctx, dbsqlc.ServiceUpdateParams{
			TenantID: tx.tenant, ServiceID: v.ServiceID, Spec: v.Spec, LongestMinutes: v.LongestMinutes, ArchivedAt: v.ArchivedAt,
			Now: tx.t.now,
		})
	})
	if relink {
		exec(&tx.t.batch, "remove the service's other links", func(q *dbsqlc.Queries) error {
			return q.ServiceResourcesRemove(tx.t.ctx, dbsqlc.ServiceResourcesRemoveParams{
				TenantID: tx.tenant, ServiceID: v.ServiceID, ResourceIds: v.ResourceIds, Now: tx.t.now,
			})
		})
		tx.putLinks(v)
	}
	raiseCatalogVersion(tx.t)
}

func (tx *WriteTx) putLinks(v Service) {
	exec(&tx.t.batch, "link the service's resources", func(q *dbsqlc.Queries) error {
		return q.ServiceResourcesPut(tx.t.ctx, dbsqlc.ServiceResourcesPutParams{
			TenantID: tx.tenant, ServiceID: v.ServiceID, ResourceIds: v.ResourceIds,
		})
	}, noResource)
}

func raiseCatalogVersion(t *tx) {
	exec(&t.batch, "raise the catalog's version", func(q *dbsqlc.Queries) error { return q.TenantRaiseCatalogVersion(t.ctx, t.current) })
}
