package catalog

import (
	"context"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/datetime"
	"holdfast/internal/tenant"
	"holdfast/internal/timetable"
)

// Resource returns a resource.
func (s *Service) Resource(ctx context.Context, t tenant.Tenant, id uuid.UUID) (Resource, error) {
	row, err := readResource(ctx, s.db, t.ID, id)
	if err != nil {
		return Resource{}, err
	}
	return resourceFromRow(row)
}

// ListQuery asks for a page of resources or services: at most Limit, archived ones or those that aren't.
type ListQuery struct {
	Archived bool
	// Name is what the name begins with, compared as Beginnings does; empty lists all.
	Name string
	// After is the id of the last one of the page before.
	After uuid.UUID
	Limit int
}

func (q ListQuery) page() (p page, err error) {
	p = page{after: q.After, limit: q.Limit, archived: q.Archived}
	if q.Name != "" {
		p.beginnings, err = tenant.Beginnings("name", q.Name)
	}
	return p, err
}

// Resources lists resources by id. Errors, as of the other lists of resources and services: problem.ValidationFailed
// for a name that can't be searched for; problem.DatabaseUnavailable.
func (s *Service) Resources(ctx context.Context, t tenant.Tenant, q ListQuery) ([]Resource, error) {
	page, err := q.page()
	if err != nil {
		return nil, err
	}
	rows, err := listResources(ctx, s.db, t.ID, page)
	return each(rows, func(r *resourceRow) (Resource, error) { return resourceFromRow(*r) }, err)
}

// ResourcesByPosition lists resources by position and id, those that follow the place of a position and q.After; -1 is
// before the first.
func (s *Service) ResourcesByPosition(ctx context.Context, t tenant.Tenant, position int, q ListQuery,
) ([]Resource, error) {
	page, err := q.page()
	if err != nil {
		return nil, err
	}
	rows, err := listResourcesByPosition(ctx, s.db, t.ID, position, page)
	return each(rows, func(r *resourceRow) (Resource, error) { return resourceFromRow(*r) }, err)
}

// Service returns a service.
func (s *Service) Service(ctx context.Context, t tenant.Tenant, id uuid.UUID) (BookableService, error) {
	row, err := readService(ctx, s.db, t.ID, id)
	if err != nil {
		return BookableService{}, err
	}
	return serviceFromRow(row)
}

// Services lists services by id.
func (s *Service) Services(ctx context.Context, t tenant.Tenant, q ListQuery) ([]BookableService, error) {
	page, err := q.page()
	if err != nil {
		return nil, err
	}
	rows, err := listServices(ctx, s.db, t.ID, page)
	return each(rows, func(r *serviceRow) (BookableService, error) { return serviceFromRow(*r) }, err)
}

// Closure returns a closure.
func (s *Service) Closure(ctx context.Context, t tenant.Tenant, id uuid.UUID) (Closure, error) {
	row, err := readClosure(ctx, s.db, t.ID, id)
	return closureFromRow(row), err
}

// Closures lists closures by id. q.Name is not looked at: closures have no names.
func (s *Service) Closures(ctx context.Context, t tenant.Tenant, q ListQuery) ([]Closure, error) {
	rows, err := listClosures(ctx, s.db, t.ID, page{after: q.After, limit: q.Limit, archived: q.Archived})
	return each(rows, func(r *closureRow) (Closure, error) { return closureFromRow(*r), nil }, err)
}

// Block returns a block.
func (s *Service) Block(ctx context.Context, t tenant.Tenant, id uuid.UUID) (Block, error) {
	row, err := readBlock(ctx, s.db, t.ID, id)
	if err != nil {
		return Block{}, err
	}
	return blockFromRow(row, t.Location)
}

// BlockQuery asks for a page of blocks: at most Limit, archived ones or those that aren't.
type BlockQuery struct {
	Archived bool
	// ResourceID is nil for all resources.
	ResourceID *uuid.UUID
	// From and To are civil dates in the tenant's time zone, both included, of which a block takes some time. Both nil
	// list all.
	From, To *civil.Date
	// AfterDate and AfterID are the LastDate and the id of the last one of the page before.
	AfterDate civil.Date
	AfterID   uuid.UUID
	Limit     int
}

// Blocks lists blocks by their last date and id. Errors: problem.ValidationFailed for dates,
// problem.DatabaseUnavailable.
func (s *Service) Blocks(ctx context.Context, t tenant.Tenant, q BlockQuery) ([]Block, error) {
	f := blockFilter{
		BlockQuery: q,
		fromDate:   civil.Date{Year: datetime.MinYear, Month: time.January, Day: 1},
		toDate:     civil.Date{Year: datetime.MaxYear + 100, Month: time.December, Day: 31},
	}
	for field, d := range map[string]*civil.Date{"from": q.From, "to": q.To} {
		if d == nil {
			continue
		}
		if err := datetime.CheckDate(field, *d); err != nil {
			return nil, err
		}
	}
	if q.From != nil || q.To != nil {
		f.fromDate, f.toDate = or(q.From, f.fromDate), or(q.To, f.toDate)
		f.from, f.until = new(timetable.StartOfDate(f.fromDate, t.Location)),
			new(timetable.StartOfDate(f.toDate.AddDays(1), t.Location))
	}
	rows, err := listBlocks(ctx, s.db, t.ID, f)
	return each(rows, func(r *blockRow) (Block, error) { return blockFromRow(*r, t.Location) }, err)
}

// or returns what is given, or something else if nothing is.
func or[T any](given *T, otherwise T) T {
	if given == nil {
		return otherwise
	}
	return *given
}

func each[Row, T any](rows []Row, convert func(*Row) (T, error), err error) ([]T, error) {
	if err != nil {
		return nil, err
	}
	list := make([]T, 0, len(rows))
	for i := range rows {
		t, err := convert(&rows[i])
		if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return list, nil
}
