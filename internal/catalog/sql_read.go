package catalog

import (
	"context"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/catalog/internal/rowsql"
	"holdfast/internal/claim"
	"holdfast/internal/claim/occupancy"
	"holdfast/internal/db"
	"holdfast/internal/tenant"
)

// readResource returns a resource. As all reads here it costs one round trip and takes no lock. Errors, as of all reads
// here: problem.NotFound if the tenant has no such thing; problem.DatabaseUnavailable.
func readResource(ctx context.Context, d *db.DB, of, id uuid.UUID) (resourceRow, error) {
	return db.ReadOne(ctx, d, unlocked, "read a resource", of, func(tx *db.Tx, q *rowsql.Queries) (resourceRow, error) {
		return q.ResourceGet(tx.Context(), tx.Tenant(), id)
	})
}

func readHours(ctx context.Context, d *db.DB, of uuid.UUID) (tenantHoursRow, error) {
	return db.ReadOne(ctx, d, unlocked, "read the tenant's hours", of,
		func(tx *db.Tx, q *rowsql.Queries) (tenantHoursRow, error) {
			return q.TenantHoursGet(tx.Context(), tx.Tenant())
		})
}

func readService(ctx context.Context, d *db.DB, of, id uuid.UUID) (serviceRow, error) {
	return db.ReadOne(ctx, d, unlocked, "read a service", of, func(tx *db.Tx, q *rowsql.Queries) (serviceRow, error) {
		return q.ServiceGet(tx.Context(), tx.Tenant(), id)
	})
}

func readClosure(ctx context.Context, d *db.DB, of, id uuid.UUID) (closureRow, error) {
	return db.ReadOne(ctx, d, unlocked, "read a closure", of, func(tx *db.Tx, q *rowsql.Queries) (closureRow, error) {
		return q.ClosureGet(tx.Context(), tx.Tenant(), id)
	})
}

func readBlock(ctx context.Context, d *db.DB, of, id uuid.UUID) (blockRow, error) {
	return db.ReadOne(ctx, d, unlocked, "read a block", of, func(tx *db.Tx, q *rowsql.Queries) (blockRow, error) {
		return q.BlockGet(tx.Context(), tx.Tenant(), id)
	})
}

// rulesRows are a service with all that decides when it can be booked, as of one version of the catalog.
type rulesRows struct {
	service   serviceRow
	resources []resourceRow
	around    rowsql.ServiceContextGetRow
	closures  []closureRow
}

// readRules returns a service with its resources, their hours, and the closures that end on since or later, or come
// back yearly.
func readRules(ctx context.Context, d *db.DB, of, service uuid.UUID, since civil.Date) (r rulesRows, err error) {
	err = d.Read(ctx, "read a service's rules", of, func(tx *db.Tx) {
		// The version comes first: what changes afterwards raises it, and the next booking notices.
		db.Query(unlocked.On(tx), "read the service", &r.service, func(q *rowsql.Queries) (serviceRow, error) {
			return q.ServiceGet(tx.Context(), tx.Tenant(), service)
		})
		db.Query(unlocked.On(tx), "read the resources", &r.resources, func(q *rowsql.Queries) ([]resourceRow, error) {
			return q.ServiceResourceList(tx.Context(), tx.Tenant(), service)
		})
		db.Query(unlocked.On(tx), "read the tenant's hours and the longest booking", &r.around,
			func(q *rowsql.Queries) (rowsql.ServiceContextGetRow, error) {
				return q.ServiceContextGet(tx.Context(),
					rowsql.ServiceContextGetParams{TenantID: tx.Tenant(), ServiceID: service, Since: since})
			})
		db.Query(unlocked.On(tx), "read the closures", &r.closures, func(q *rowsql.Queries) ([]closureRow, error) {
			return q.ServiceClosureList(tx.Context(),
				rowsql.ServiceClosureListParams{TenantID: tx.Tenant(), Since: since, ServiceID: service})
		})
	})
	return r, err
}

type serviceStateRow = rowsql.ServiceListStatesRow

// fitRows are what decides whether bookings fit the catalog, as of now.
type fitRows struct {
	now       time.Time
	resources []resourceRow
	hours     tenantHoursRow
	services  []serviceStateRow
	closures  []closureRow
	occupied  []claim.Claim
}

// readFit reads what decides whether bookings fit the catalog.
func readFit(ctx context.Context, d *db.DB, of uuid.UUID, ask FitQuery) (f fitRows, err error) {
	err = d.Read(ctx, "read what bookings must fit", of, func(tx *db.Tx) {
		tx.ReadClockInto(&f.now)
		db.Query(unlocked.On(tx), "read the resources", &f.resources, func(q *rowsql.Queries) ([]resourceRow, error) {
			return q.ResourceListByIDs(tx.Context(), tx.Tenant(), ask.Resources)
		})
		db.Query(unlocked.On(tx), "read the tenant's hours", &f.hours, func(q *rowsql.Queries) (tenantHoursRow, error) {
			return q.TenantHoursGet(tx.Context(), tx.Tenant())
		})
		db.Query(unlocked.On(tx), "read the services", &f.services, func(q *rowsql.Queries) ([]serviceStateRow, error) {
			return q.ServiceListStates(tx.Context(), tx.Tenant(), ask.Services)
		})
		db.Query(unlocked.On(tx), "read the closures", &f.closures, func(q *rowsql.Queries) ([]closureRow, error) {
			return q.ClosureListSince(tx.Context(), tx.Tenant(), ask.Since)
		})
		if len(ask.Occupied) > 0 {
			occupancy.List(tx, ask.Occupied, &f.occupied)
		}
	})
	return f, err
}

// page bounds a list of resources or services: at most limit that follow after, archived ones or those that aren't.
type page struct {
	after    uuid.UUID
	limit    int
	archived bool
	// beginnings are what a name may begin with; none lists all. Of each, the first tenant.MaxSearch names are looked
	// at.
	beginnings []string
}

// listResources lists a tenant's resources by id.
func listResources(ctx context.Context, d *db.DB, of uuid.UUID, p page) ([]resourceRow, error) {
	if p.beginnings != nil {
		return searchResources(ctx, d, of, nil, p)
	}
	return db.ReadOneMaybeStale(ctx, d, unlocked, "list resources", of,
		func(tx *db.Tx, q *rowsql.Queries) ([]resourceRow, error) {
			return q.ResourceList(tx.Context(), rowsql.ResourceListParams{
				TenantID: tx.Tenant(), After: p.after, Archived: p.archived, RowLimit: int32(p.limit),
			})
		})
}

// listResourcesByPosition lists a tenant's resources by position and id, those that follow a position and p.after.
func listResourcesByPosition(ctx context.Context, d *db.DB, of uuid.UUID, position int, p page) ([]resourceRow, error) {
	if p.beginnings != nil {
		return searchResources(ctx, d, of, &position, p)
	}
	return db.ReadOneMaybeStale(ctx, d, unlocked, "list resources by position", of,
		func(tx *db.Tx, q *rowsql.Queries) ([]resourceRow, error) {
			return q.ResourceListByPosition(tx.Context(), rowsql.ResourceListByPositionParams{
				TenantID: tx.Tenant(), AfterPosition: int32(position), After: p.after, Archived: p.archived,
				RowLimit: int32(p.limit),
			})
		})
}

// searchResources lists the resources whose name begins with one of the page's texts: by position and id, those that
// follow the place of position and p.after, or by id if position is nil.
func searchResources(ctx context.Context, d *db.DB, of uuid.UUID, position *int, p page) ([]resourceRow, error) {
	ask := rowsql.ResourceSearchParams{
		Archived: p.archived, After: p.after, RowLimit: int32(p.limit), ScanLimit: tenant.MaxSearch,
	}
	ask.Low, ask.High = tenant.Ranges(p.beginnings)
	if position != nil {
		ask.ByPosition, ask.AfterPosition = true, int32(*position)
	}
	return db.ReadOneMaybeStale(ctx, d, unlocked, "search resources", of,
		func(tx *db.Tx, q *rowsql.Queries) ([]resourceRow, error) {
			ask.TenantID = tx.Tenant()
			return q.ResourceSearch(tx.Context(), ask)
		})
}

// listServices lists a tenant's services by id.
func listServices(ctx context.Context, d *db.DB, of uuid.UUID, p page) ([]serviceRow, error) {
	if p.beginnings != nil {
		return searchServices(ctx, d, of, p)
	}
	return db.ReadOneMaybeStale(ctx, d, unlocked, "list services", of,
		func(tx *db.Tx, q *rowsql.Queries) ([]serviceRow, error) {
			rows, err := q.ServiceList(tx.Context(), rowsql.ServiceListParams{
				TenantID: tx.Tenant(), After: p.after, Archived: p.archived, RowLimit: int32(p.limit),
			})
			return each(rows, func(r *rowsql.ServiceListRow) (serviceRow, error) { return serviceRow(*r), nil }, err)
		})
}

// searchServices lists the services whose name begins with one of the page's texts, by id.
func searchServices(ctx context.Context, d *db.DB, of uuid.UUID, p page) ([]serviceRow, error) {
	ask := rowsql.ServiceSearchParams{
		Archived: p.archived, After: p.after, RowLimit: int32(p.limit), ScanLimit: tenant.MaxSearch,
	}
	ask.Low, ask.High = tenant.Ranges(p.beginnings)
	return db.ReadOneMaybeStale(ctx, d, unlocked, "search services", of,
		func(tx *db.Tx, q *rowsql.Queries) ([]serviceRow, error) {
			ask.TenantID = tx.Tenant()
			rows, err := q.ServiceSearch(tx.Context(), ask)
			return each(rows, func(r *rowsql.ServiceSearchRow) (serviceRow, error) { return serviceRow(*r), nil }, err)
		})
}

// ServicesOfResource lists up to limit ids of the services that a resource can serve and that aren't archived, in their
// order, from an id on. Errors: problem.NotFound for a resource that doesn't exist; problem.DatabaseUnavailable.
func ServicesOfResource(ctx context.Context, d *db.DB, of, resource, from uuid.UUID,
	limit int,
) (services []uuid.UUID, err error) {
	err = d.Read(ctx, "list the services of a resource", of, func(tx *db.Tx) {
		var exists resourceRow
		db.Query(unlocked.On(tx), "read the resource", &exists, func(q *rowsql.Queries) (resourceRow, error) {
			return q.ResourceGet(tx.Context(), tx.Tenant(), resource)
		})
		db.Query(unlocked.On(tx), "list its services", &services, func(q *rowsql.Queries) ([]uuid.UUID, error) {
			return q.ServiceListOfResource(tx.Context(), rowsql.ServiceListOfResourceParams{
				TenantID: tx.Tenant(), ResourceID: resource, FromServiceID: from, RowLimit: int32(limit),
			})
		})
	})
	return services, err
}

// listClosures lists a tenant's closures by id, archived ones or those that aren't.
func listClosures(ctx context.Context, d *db.DB, of uuid.UUID, p page) ([]closureRow, error) {
	return db.ReadOneMaybeStale(ctx, d, unlocked, "list closures", of,
		func(tx *db.Tx, q *rowsql.Queries) ([]closureRow, error) {
			return q.ClosureList(tx.Context(), rowsql.ClosureListParams{
				TenantID: tx.Tenant(), After: p.after, Archived: p.archived, RowLimit: int32(p.limit),
			})
		})
}

// blockFilter bounds a list of blocks.
type blockFilter struct {
	BlockQuery

	// fromDate and toDate are civil dates, both included, of which a block takes some time. from and until bound them;
	// both are nil if all dates are asked for.
	fromDate, toDate civil.Date
	from, until      *time.Time
}

// listBlocks lists a tenant's blocks by their last date and id.
func listBlocks(ctx context.Context, d *db.DB, of uuid.UUID, f blockFilter) (list []blockRow, err error) {
	if f.AfterDate.Before(f.fromDate) {
		f.AfterDate, f.AfterID = f.fromDate, uuid.Nil // in front of the date's first block
	}
	err = d.ReadMaybeStale(ctx, "list blocks", of, func(tx *db.Tx) {
		tx.PlanForPages()
		db.Query(unlocked.On(tx), "list blocks", &list, func(q *rowsql.Queries) ([]blockRow, error) {
			return q.BlockList(tx.Context(), rowsql.BlockListParams{
				TenantID:   tx.Tenant(),
				AfterDate:  f.AfterDate,
				AfterID:    f.AfterID,
				ToDate:     f.toDate,
				Archived:   f.Archived,
				ResourceID: f.ResourceID,
				BusyFrom:   f.from,
				BusyUntil:  f.until,
				RowLimit:   int32(f.Limit),
			})
		})
	})
	return list, err
}
