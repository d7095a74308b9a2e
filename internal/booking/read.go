package booking

import (
	"context"
	"strings"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/datetime"
	"holdfast/internal/store"
	"holdfast/internal/tenant"
)

// Get returns a booking. Errors, as of all reads here: problem.NotFound, problem.DatabaseUnavailable.
func (s *Service) Get(ctx context.Context, t tenant.Tenant, id uuid.UUID) (Booking, error) {
	row, err := s.store.Booking(ctx, t.ID, id)
	if err != nil {
		return Booking{}, err
	}
	return FromRow(&row)
}

// Filter bounds a list of bookings to those that are on at any time from From to To. Both are civil dates in the tenant's time zone, both included;
// nil matches all.
type Filter struct {
	From, To                          *civil.Date
	Status                            *Status
	ServiceID, ResourceID, CustomerID *uuid.UUID
	// Email is that of the customer, whatever its case. Code is read as people write it.
	Email, Reference, ExternalReference, Code *string
	// PaymentState and Overpaid, which nil or empty match all, are for ListPaid; List doesn't look at them.
	PaymentState PaymentState
	Overpaid     *bool
	// After is the last booking of the page before.
	AfterDate civil.Date
	AfterID   uuid.UUID
	Limit     int
}

// List returns bookings by date and id, at most the filter's limit. Errors: problem.ValidationFailed.
func (s *Service) List(ctx context.Context, t tenant.Tenant, f Filter) ([]Booking, error) {
	for field, text := range map[string]*string{"email": f.Email, "reference": f.Reference, "external_reference": f.ExternalReference, "code": f.Code} {
		if text == nil {
			continue
		}
		if err := tenant.CheckText(field, *text); err != nil { // the database takes no NUL, and nothing has a control character
			return nil, err
		}
	}
	q := store.BookingFilter{
		Reference: f.Reference, ExternalReference: f.ExternalReference,
		From: civil.Date{Year: datetime.MinYear, Month: 1, Day: 1}, To: civil.Date{Year: datetime.MaxYear, Month: 12, Day: 31},
		Status: (*string)(f.Status), ServiceID: f.ServiceID, ResourceID: f.ResourceID, CustomerID: f.CustomerID,
		AfterDate: civil.Date{Year: datetime.MinYear - 1, Month: 1, Day: 1}, AfterID: f.AfterID, Limit: f.Limit,
	}
	if f.AfterID != uuid.Nil {
		q.AfterDate = f.AfterDate
	}
	if f.Email != nil {
		email := strings.ToLower(strings.TrimSpace(*f.Email))
		q.Email = &email
	}
	if f.Code != nil {
		code, ok := parseCode(*f.Code)
		if !ok {
			return nil, nil
		}
		q.Code = &code
	}
	for field, d := range map[string]*civil.Date{"from": f.From, "to": f.To} {
		if d != nil && datetime.CheckDate(field, *d) != nil {
			return nil, datetime.CheckDate(field, *d)
		}
	}
	if f.From != nil {
		q.From, q.StillOn = *f.From, true
	}
	if f.To != nil {
		q.To = *f.To
	}
	rows, err := s.store.Bookings(ctx, t.ID, q)
	return each(rows, FromRow, err)
}

// Resource returns a resource.
func (s *Service) Resource(ctx context.Context, t tenant.Tenant, id uuid.UUID) (Resource, error) {
	row, err := s.store.Resource(ctx, t.ID, id)
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
	return each(rows, func(r *store.Resource) (Resource, error) { return resourceFromRow(*r) }, err)
}

// ResourcesByPosition lists resources by position and id, those that follow the place of a position and q.After; -1 is before the first.
func (s *Service) ResourcesByPosition(ctx context.Context, t tenant.Tenant, position int, q ListQuery) ([]Resource, error) {
	page, err := q.page()
	if err != nil {
		return nil, err
	}
	rows, err := s.store.ResourcesByPosition(ctx, t.ID, position, page)
	return each(rows, func(r *store.Resource) (Resource, error) { return resourceFromRow(*r) }, err)
}

// Service returns a service.
func (s *Service) Service(ctx context.Context, t tenant.Tenant, id uuid.UUID) (BookableService, error) {
	row, err := s.store.Service(ctx, t.ID, id)
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
	rows, err := s.store.Services(ctx, t.ID, page)
	return each(rows, func(r *store.Service) (BookableService, error) { return serviceFromRow(*r) }, err)
}

// Closure returns a closure.
func (s *Service) Closure(ctx context.Context, t tenant.Tenant, id uuid.UUID) (Closure, error) {
	row, err := s.store.Closure(ctx, t.ID, id)
	return closureFromRow(row), err
}

// Closures lists closures by id. q.Name is not looked at: closures have no names.
func (s *Service) Closures(ctx context.Context, t tenant.Tenant, q ListQuery) ([]Closure, error) {
	rows, err := s.store.Closures(ctx, t.ID, store.Page{After: q.After, Limit: q.Limit}, q.Archived)
	return each(rows, func(r *store.Closure) (Closure, error) { return closureFromRow(*r), nil }, err)
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
