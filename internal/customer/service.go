package customer

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"holdfast/internal/db/store"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

// Service has the use cases of customers. It is safe for concurrent use.
type Service struct {
	store *store.Store
}

// NewService returns the use cases on s.
func NewService(s *store.Store) *Service {
	return &Service{store: s}
}

// Get returns a customer, also one who was erased or merged. Errors: problem.NotFound, problem.DatabaseUnavailable.
func (s *Service) Get(ctx context.Context, t tenant.Tenant, id uuid.UUID) (Details, error) {
	row, err := s.store.Customer(ctx, t.ID, id)
	if err != nil {
		return Details{}, err
	}
	return DetailsFromRow(row), nil
}

// Filter bounds a list of customers. At most one of its texts is given.
type Filter struct {
	// Email is that of one customer, in any case.
	Email string
	// Text is what the name, the email or the phone begins with. It is compared as tenant.Beginnings does.
	Text string
	// Archived asks for archived customers only; otherwise for those who aren't.
	Archived bool
	// After is the id of the last customer of the page before.
	After uuid.UUID
	Limit int
}

// List lists customers by id, without those who were erased or merged. Errors: problem.ValidationFailed, problem.DatabaseUnavailable.
func (s *Service) List(ctx context.Context, t tenant.Tenant, f Filter) ([]Details, error) {
	page := store.Page{After: f.After, Limit: f.Limit}
	var rows []store.Customer
	var err error
	switch {
	case f.Email != "" && f.Text != "":
		return nil, problem.Invalid("q", "excluded", "Leave out q, or leave out email.")
	case problem.HasControl(f.Email):
		return nil, problem.Invalid("email", "invalid_format", "Expected an email address.")
	case f.Email != "":
		rows, err = s.store.CustomersByEmail(ctx, t.ID, NormalEmail(f.Email))
		rows = slices.DeleteFunc(rows, func(c store.Customer) bool { return c.ErasedAt != nil || (c.ArchivedAt != nil) != f.Archived })
	case f.Text != "":
		var beginnings []string
		if beginnings, err = tenant.Beginnings("q", f.Text); err != nil {
			return nil, err
		}
		rows, err = s.store.SearchCustomers(ctx, t.ID, beginnings, page, f.Archived)
	default:
		rows, err = s.store.Customers(ctx, t.ID, page, f.Archived)
	}
	if err != nil {
		return nil, err
	}
	list := make([]Details, len(rows))
	for i, row := range rows {
		list[i] = DetailsFromRow(row)
	}
	return list, nil
}
