package store

import (
	"context"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
)

// Resource returns a resource. As all reads here it costs one round trip and takes no lock.
//
// Errors, as of all reads here: problem.NotFound if the tenant has no such thing; problem.DatabaseUnavailable.
func (s *Store) Resource(ctx context.Context, tenant, id uuid.UUID) (Resource, error) {
	return readByKey(ctx, s, "read a resource", tenant, id, (*dbsqlc.Queries).ResourceGet)
}

// TenantHours returns the hours that a tenant's resources can follow.
func (s *Store) TenantHours(ctx context.Context, tenant uuid.UUID) (TenantHours, error) {
	return core.ReadOne(ctx, s.db, "read the tenant's hours", tenant, func(ctx context.Context, q *dbsqlc.Queries) (TenantHours, error) {
		return q.TenantHoursGet(ctx, tenant)
	})
}

// Service returns a service.
func (s *Store) Service(ctx context.Context, tenant, id uuid.UUID) (Service, error) {
	return readByKey(ctx, s, "read a service", tenant, id, (*dbsqlc.Queries).ServiceGet)
}

// Closure returns a closure.
func (s *Store) Closure(ctx context.Context, tenant, id uuid.UUID) (Closure, error) {
	return readByKey(ctx, s, "read a closure", tenant, id, (*dbsqlc.Queries).ClosureGet)
}

// Catalog is a service with all that decides when it can be booked, as of one version.
type Catalog struct {
	Service Service
	// Longest is the longest time that one claim can occupy any of the resources: of a booking, by whichever service, or of a block.
	Longest   time.Duration
	Resources []Resource
	// TenantHours are the hours of the tenant, as they are stored.
	TenantHours []byte
	Closures    []Closure
}

type serviceContext = dbsqlc.ServiceContextGetRow

// Catalog returns a service with its resources, their hours, and the closures that end on since or later, or come back yearly.
func (s *Store) Catalog(ctx context.Context, tenant, service uuid.UUID, since civil.Date) (Catalog, error) {
	var c Catalog
	var around serviceContext
	err := s.db.ReadOnly(ctx, "read a service's rules", tenant, func(t *core.Tx) {
		// The version comes first: what changes afterwards raises it, and the next booking notices.
		core.Query(t, "read the service", &c.Service, func(q *dbsqlc.Queries) (Service, error) {
			return q.ServiceGet(t.Ctx, tenant, service)
		})
		core.Query(t, "read the resources", &c.Resources, func(q *dbsqlc.Queries) ([]Resource, error) {
			return q.ServiceResourceList(t.Ctx, tenant, service)
		})
		core.Query(t, "read the tenant's hours and the longest booking", &around, func(q *dbsqlc.Queries) (serviceContext, error) {
			return q.ServiceContextGet(t.Ctx, dbsqlc.ServiceContextGetParams{TenantID: tenant, ServiceID: service, Since: since})
		})
		core.Query(t, "read the closures", &c.Closures, func(q *dbsqlc.Queries) ([]Closure, error) {
			return q.ServiceClosureList(t.Ctx, dbsqlc.ServiceClosureListParams{TenantID: tenant, Since: since, ServiceID: service})
		})
	})
	c.TenantHours, c.Longest = around.TenantHours, time.Duration(around.LongestMinutes)*time.Minute
	return c, err
}

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
	return core.ReadOneMaybeStale(ctx, s.db, "list resources", tenant, func(ctx context.Context, q *dbsqlc.Queries) ([]Resource, error) {
		return q.ResourceList(ctx, dbsqlc.ResourceListParams{
			TenantID: tenant, After: page.After, Archived: page.Archived, RowLimit: int32(page.Limit),
		})
	})
}

// ResourcesByPosition lists a tenant's resources by position and id, those that follow a position and the page's After.
func (s *Store) ResourcesByPosition(ctx context.Context, tenant uuid.UUID, position int, page CatalogPage) ([]Resource, error) {
	if page.Beginnings != nil {
		return s.searchResources(ctx, tenant, &position, page)
	}
	return core.ReadOneMaybeStale(ctx, s.db, "list resources by position", tenant,
		func(ctx context.Context, q *dbsqlc.Queries) ([]Resource, error) {
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
	return core.ReadOneMaybeStale(ctx, s.db, "list services", tenant, func(ctx context.Context, q *dbsqlc.Queries) ([]Service, error) {
		rows, err := q.ServiceList(ctx, dbsqlc.ServiceListParams{
			TenantID: tenant, After: page.After, Archived: page.Archived, RowLimit: int32(page.Limit),
		})
		return convert(rows, func(r dbsqlc.ServiceListRow) Service { return Service(r) }), err
	})
}

// searchResources lists the resources whose name begins with one of the page's texts: by position and id, those that follow the place of
// position and the page's After, or by id if position is nil.
func (s *Store) searchResources(ctx context.Context, tenant uuid.UUID, position *int, page CatalogPage) ([]Resource, error) {
	p := dbsqlc.ResourceSearchParams{
		TenantID: tenant, Archived: page.Archived, After: page.After, RowLimit: int32(page.Limit), ScanLimit: maxSearch,
	}
	p.Low, p.High = ranges(page.Beginnings)
	if position != nil {
		p.ByPosition, p.AfterPosition = true, int32(*position)
	}
	return core.ReadOneMaybeStale(ctx, s.db, "search resources", tenant, func(ctx context.Context, q *dbsqlc.Queries) ([]Resource, error) {
		return q.ResourceSearch(ctx, p)
	})
}

// searchServices lists the services whose name begins with one of the page's texts, by id.
func (s *Store) searchServices(ctx context.Context, tenant uuid.UUID, page CatalogPage) ([]Service, error) {
	p := dbsqlc.ServiceSearchParams{
		TenantID: tenant, Archived: page.Archived, After: page.After, RowLimit: int32(page.Limit), ScanLimit: maxSearch,
	}
	p.Low, p.High = ranges(page.Beginnings)
	return core.ReadOneMaybeStale(ctx, s.db, "search services", tenant, func(ctx context.Context, q *dbsqlc.Queries) ([]Service, error) {
		rows, err := q.ServiceSearch(ctx, p)
		return convert(rows, func(r dbsqlc.ServiceSearchRow) Service { return Service(r) }), err
	})
}

// ServicesOfResource lists up to limit ids of the services that a resource can serve and that aren't archived, in their order, from an id
// on. Errors: problem.NotFound for a resource that doesn't exist.
func (s *Store) ServicesOfResource(ctx context.Context, tenant, resource, from uuid.UUID, limit int) (services []uuid.UUID, err error) {
	err = s.db.ReadOnly(ctx, "list the services of a resource", tenant, func(t *core.Tx) {
		var exists Resource
		core.Query(t, "read the resource", &exists, func(q *dbsqlc.Queries) (Resource, error) {
			return q.ResourceGet(t.Ctx, tenant, resource)
		})
		core.Query(t, "list its services", &services, func(q *dbsqlc.Queries) ([]uuid.UUID, error) {
			return q.ServiceListOfResource(t.Ctx, dbsqlc.ServiceListOfResourceParams{
				TenantID: tenant, ResourceID: resource, FromServiceID: from, RowLimit: int32(limit),
			})
		})
	})
	return services, err
}

// Closures lists a tenant's closures by id, archived ones or those that aren't.
func (s *Store) Closures(ctx context.Context, tenant uuid.UUID, page Page, archived bool) ([]Closure, error) {
	return core.ReadOneMaybeStale(ctx, s.db, "list closures", tenant, func(ctx context.Context, q *dbsqlc.Queries) ([]Closure, error) {
		return q.ClosureList(ctx, dbsqlc.ClosureListParams{
			TenantID: tenant, After: page.After, Archived: archived, RowLimit: int32(page.Limit),
		})
	})
}
