package tenant

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/store"
)

// List lists all tenants by id, or finds the one with a slug: at most limit that follow the id after. It is for the operator. Errors:
// problem.DatabaseUnavailable.
func (s *Service) List(ctx context.Context, slug *string, after uuid.UUID, limit int) ([]OperatorTenantBody, error) {
	rows, err := s.store.TenantsAcross(ctx, slug, store.Page{After: after, Limit: limit})
	list := make([]OperatorTenantBody, len(rows))
	for i, r := range rows {
		list[i] = OperatorTenantBody{
			ID: r.TenantID, Slug: r.Slug, Name: r.Name, TimeZone: r.TimeZone, Currency: r.Currency, CreatedAt: r.CreatedAt.UTC(),
		}
	}
	return list, err
}

// Get returns a tenant. It is for the operator. Errors: problem.NotFound, problem.DatabaseUnavailable.
func (s *Service) Get(ctx context.Context, id uuid.UUID) (OperatorTenantBody, error) {
	r, err := s.store.Tenant(ctx, id)
	return OperatorTenantBody{
		ID: r.TenantID, Slug: r.Slug, Name: r.Name, TimeZone: r.TimeZone, Currency: r.Currency, CreatedAt: r.CreatedAt.UTC(),
	}, err
}
