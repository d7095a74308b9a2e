package customer

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

// Service has the use cases of customers. It is safe for concurrent use.
type Service struct {
	db *db.DB
}

// NewService returns the use cases on d.
func NewService(d *db.DB) *Service {
	return &Service{db: d}
}

// changing is what the changes here do, for errors.
const changing = "change the tenant's data"

// change runs decide in a transaction that locks the row of a customer. request is what is served, nil for a change
// without a key. Errors: problem.NotFound; decide's own; those of db.DB.Write.
func (s *Service) change(ctx context.Context, tenant uuid.UUID, request *db.Request, id uuid.UUID,
	decide func(*db.WriteTx, Row) error,
) error {
	return s.db.Write(ctx, changing, tenant, request, func(tx *db.WriteTx) func() error {
		read := ReadLocked(tx, id)
		return func() error {
			if read[0] == nil {
				return problem.Missing()
			}
			return decide(tx, *read[0])
		}
	})
}

// Get returns a customer, also one who was erased or merged. Errors: problem.NotFound, problem.DatabaseUnavailable.
func (s *Service) Get(ctx context.Context, t tenant.Tenant, id uuid.UUID) (Details, error) {
	row, err := s.row(ctx, t.ID, id)
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
	// Archived asks for archived customers only; otherwise for customers who aren't.
	Archived bool
	// After is the id of the last customer of the page before.
	After uuid.UUID
	Limit int
}

// List lists customers by id, without those who were erased or merged. Errors: problem.ValidationFailed,
// problem.DatabaseUnavailable.
func (s *Service) List(ctx context.Context, t tenant.Tenant, f Filter) ([]Details, error) {
	var rows []Row
	var err error
	switch {
	case f.Email != "" && f.Text != "":
		return nil, problem.Invalid("q", "excluded", "Leave out q, or leave out email.")
	case problem.HasControl(f.Email):
		return nil, problem.Invalid("email", "invalid_format", "Expected an email address.")
	case f.Email != "":
		rows, err = s.rowsWithEmail(ctx, t.ID, NormalEmail(f.Email))
		rows = slices.DeleteFunc(rows,
			func(c Row) bool { return c.ErasedAt != nil || (c.ArchivedAt != nil) != f.Archived })
	case f.Text != "":
		var beginnings []string
		if beginnings, err = tenant.Beginnings("q", f.Text); err != nil {
			return nil, err
		}
		rows, err = s.search(ctx, t.ID, beginnings, f.After, f.Limit, f.Archived)
	default:
		rows, err = s.rows(ctx, t.ID, f.After, f.Limit, f.Archived)
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
