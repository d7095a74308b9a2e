package store

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/store/internal/dbsqlc"
)

// ListedTenant is a tenant as the operator sees it.
type ListedTenant = dbsqlc.TenantListRow

// Tenant returns a tenant, read as itself. Errors: problem.NotFound, problem.DatabaseUnavailable.
func (s *Store) Tenant(ctx context.Context, id uuid.UUID) (Tenant, error) {
	return readOne(ctx, s, "read a tenant", id, func(ctx context.Context, q *dbsqlc.Queries) (Tenant, error) { return q.TenantGet(ctx, id) })
}

// TenantsAcross lists all tenants by id, or finds the one with a slug. It is for the operator, and reads as the operator's role. Errors:
// problem.DatabaseUnavailable.
func (s *Store) TenantsAcross(ctx context.Context, slug *string, page Page) (list []ListedTenant, err error) {
	err = s.readAcross(ctx, "list the tenants", func(t *tx) {
		exec(&t.batch, "plan for the filter", func(q *dbsqlc.Queries) error {
			if slug == nil {
				return q.SessionPlanForPages(t.ctx) // else the planner sorts all tenants, because it believes that few pass the policy
			}
			return q.SessionPlanForValues(t.ctx)
		})
		query(&t.batch, "list the tenants", &list, func(q *dbsqlc.Queries) ([]ListedTenant, error) {
			return q.TenantList(t.ctx, dbsqlc.TenantListParams{After: page.After, Slug: slug, RowLimit: int32(page.Limit)})
		})
	})
	return list, err
}
