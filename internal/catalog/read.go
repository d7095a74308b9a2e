package catalog

import (
	"context"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/datetime"
	"holdfast/internal/db/store"
	"holdfast/internal/tenant"
	"holdfast/internal/timetable"
)

// Resource returns a resource.
func (s *Service) Resource(ctx context.Context, t tenant.Tenant, id uuid.UUID) (Resource, error) {
	row, err := s.store.Resource(ctx, t.ID, id)
	if err != nil {
		return Resource{}, err
	}
	return ResourceFromRow(row)
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

func (q ListQuery) page() (p store.CatalogPage, err error) {
	p = store.CatalogPage{Page: store.Page{After: q.After, Limit: q.Limit}, Archived: q.Archived}
	if q.Name != "" {
		p.Beginnings, err = tenant.Beginnings("name", q.Name)
	}
	return p, err
}

// Resources lists resources by id. Errors, as of the other lists of resources and services: problem.ValidationFailed for a name that can't
// be searched for; problem.DatabaseUnavailable.
func (s *Service) Resources(ctx context.Context, t tenant.Tenant, q ListQuery) ([]Resource, error) {
	page, err := q.page()
	if err != nil {
		return nil, err
	}
	rows, err := s.store.Resources(ctx, t.ID, page)
	return each(rows, func(r *store.Resource) (Resource, error) { return ResourceFromRow(*r) }, err)
}

// ResourcesByPosition lists resources by position and id, those that follow the place of a position and q.After; -1 is before the first.
func (s *Service) ResourcesByPosition(ctx context.Context, t tenant.Tenant, position int, q ListQuery) ([]Resource, error) {
	page, err := q.page()
	if err != nil {
		return nil, err
	}
	rows, err := s.store.ResourcesByPosition(ctx, t.ID, position, page)
	return each(rows, func(r *store.Resource) (Resource, error) { return ResourceFromRow(*r) }, err)
}

// Service returns a service.
func (s *Service) Service(ctx context.Context, t tenant.Tenant, id uuid.UUID) (BookableService, error) {
	row, err := s.store.Service(ctx, t.ID, id)
	if err != nil {
		return BookableService{}, err
	}
	return ServiceFromRow(row)
}

// Services lists services by id.
func (s *Service) Services(ctx context.Context, t tenant.Tenant, q ListQuery) ([]BookableService, error) {
	page, err := q.page()
	if err != nil {
		return nil, err
	}
	rows, err := s.store.Services(ctx, t.ID, page)
	return each(rows, func(r *store.Service) (BookableService, error) { return ServiceFromRow(*r) }, err)
}

// Closure returns a closure.
func (s *Service) Closure(ctx context.Context, t tenant.Tenant, id uuid.UUID) (Closure, error) {
	row, err := s.store.Closure(ctx, t.ID, id)
	return ClosureFromRow(row), err
}

// Closures lists closures by id. q.Name is not looked at: closures have no names.
func (s *Service) Closures(ctx context.Context, t tenant.Tenant, q ListQuery) ([]Closure, error) {
	rows, err := s.store.Closures(ctx, t.ID, store.Page{After: q.After, Limit: q.Limit}, q.Archived)
	return each(rows, func(r *store.Closure) (Closure, error) { return ClosureFromRow(*r), nil }, err)
}

// Block returns a block.
func (s *Service) Block(ctx context.Context, t tenant.Tenant, id uuid.UUID) (Block, error) {
	row, err := s.store.Block(ctx, t.ID, id)
	if err != nil {
		return Block{}, err
	}
	return BlockFromRow(row, t.Location)
}

// BlockQuery asks for a page of blocks: at most Limit, archived ones or those that aren't.
type BlockQuery struct {
	Archived bool
	// ResourceID is nil for all resources.
	ResourceID *uuid.UUID
	// From and To are civil dates in the tenant's time zone, both included, of which a block takes some time. Both nil list all.
	From, To *civil.Date
	// AfterDate and AfterID are the LastDate and the id of the last one of the page before.
	AfterDate civil.Date
	AfterID   uuid.UUID
	Limit     int
}

// Blocks lists blocks by their last date and id. Errors: problem.ValidationFailed for dates, problem.DatabaseUnavailable.
func (s *Service) Blocks(ctx context.Context, t tenant.Tenant, q BlockQuery) ([]Block, error) {
	f := store.BlockFilter{
		Archived: q.Archived, ResourceID: q.ResourceID, AfterDate: q.AfterDate, AfterID: q.AfterID, Limit: q.Limit,
		FromDate: civil.Date{Year: datetime.MinYear, Month: time.January, Day: 1},
		ToDate:   civil.Date{Year: datetime.MaxYear + 100, Month: time.December, Day: 31},
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
		f.FromDate, f.ToDate = or(q.From, f.FromDate), or(q.To, f.ToDate)
		f.From, f.Until = new(timetable.StartOfDate(f.FromDate, t.Location)),
			new(timetable.StartOfDate(f.ToDate.AddDays(1), t.Location))
	}
	rows, err := s.store.Blocks(ctx, t.ID, f)
	return each(rows, func(r *store.Block) (Block, error) { return BlockFromRow(*r, t.Location) }, err)
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
