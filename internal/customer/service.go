package customer

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/google/uuid"

	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/store"
	"holdfast/internal/tenant"
)

// Service has the use cases of customers. It is safe for concurrent use.
type Service struct {
	store *store.Store
	guard *idempotency.Guard
}

// NewService returns the use cases on s.
func NewService(s *store.Store, guard *idempotency.Guard) *Service {
	return &Service{store: s, guard: guard}
}

// Get returns a customer, also one who was erased or merged. Errors: problem.NotFound, problem.DatabaseUnavailable.
func (s *Service) Get(ctx context.Context, t tenant.Tenant, id uuid.UUID) (Customer, error) {
	row, err := s.store.Customer(ctx, t.ID, id)
	if err != nil {
		return Customer{}, err
	}
	return fromRow(row), nil
}

// Filter bounds a list of customers. At most one of its texts is given.
type Filter struct {
	// Email is that of one customer, in any case.
	Email string
	// Text is what the name, the email or the phone begins with. It is compared as it is, in small letters, in capitals, and with each word
	// in a capital.
	Text string
	// After is the id of the last customer of the page before.
	After uuid.UUID
	Limit int
}

// List lists customers by id, without those who were erased or merged. Errors: problem.ValidationFailed, problem.DatabaseUnavailable.
func (s *Service) List(ctx context.Context, t tenant.Tenant, f Filter) ([]Customer, error) {
	page := store.Page{After: f.After, Limit: f.Limit}
	var rows []store.Customer
	var err error
	switch text := strings.TrimSpace(f.Text); {
	case f.Email != "" && f.Text != "":
		return nil, problem.Invalid("q", "excluded", "Leave out q, or leave out email.")
	case tenant.HasControl(f.Email):
		return nil, problem.Invalid("email", "invalid_format", "Expected an email address.")
	case tenant.HasControl(f.Text):
		return nil, problem.Invalid("q", "control_character", "Expected text without control characters.")
	case f.Email != "":
		rows, err = s.store.CustomersByEmail(ctx, t.ID, strings.ToLower(strings.TrimSpace(f.Email)))
		rows = slices.DeleteFunc(rows, func(c store.Customer) bool { return c.ErasedAt != nil })
	case f.Text != "" && text == "":
		return nil, problem.Invalid("q", "blank", "Expected text that is not blank.")
	case text != "":
		rows, err = s.store.SearchCustomers(ctx, t.ID, spellings(text), page)
	default:
		rows, err = s.store.Customers(ctx, t.ID, page)
	}
	if err != nil {
		return nil, err
	}
	list := make([]Customer, len(rows))
	for i, row := range rows {
		list[i] = fromRow(row)
	}
	return list, nil
}

// spellings returns how a text that is searched for may be written.
func spellings(text string) []string {
	before := ' '
	capitals := strings.Map(func(r rune) rune {
		defer func() { before = r }()
		if unicode.IsSpace(before) || before == '-' {
			return unicode.ToUpper(r)
		}
		return unicode.ToLower(r)
	}, text)
	list := []string{text, strings.ToLower(text), strings.ToUpper(text), capitals}
	slices.Sort(list)
	return slices.Compact(list)
}
