package store

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
	"holdfast/internal/problem"
)

// ListedTenant is a tenant as the operator sees it.
type ListedTenant = dbsqlc.TenantListRow

// Tenant returns a tenant, read as itself. Errors: problem.NotFound, problem.DatabaseUnavailable.
func (s *Store) Tenant(ctx context.Context, id uuid.UUID) (Tenant, error) {
	return core.ReadOne(ctx, s.db, "read a tenant", id, func(ctx context.Context, q *dbsqlc.Queries) (Tenant, error) {
		return q.TenantGet(ctx, id)
	})
}

// TenantsFilter bounds a list of tenants; nil matches all, and without a status all but the deleted ones.
type TenantsFilter struct{ Slug, Status *string }

// TenantsAcross lists all tenants by id, or finds the one with a slug. It is for the operator, and reads as the operator's role. Errors:
// problem.DatabaseUnavailable.
func (s *Store) TenantsAcross(ctx context.Context, f TenantsFilter, page Page) (list []ListedTenant, err error) {
	err = s.db.ReadAcross(ctx, "list the tenants", func(t *core.Tx) {
		core.Exec(t, "plan for the filter", func(q *dbsqlc.Queries) error {
			if f.Slug == nil {
				return q.SessionPlanForPages(t.Ctx) // else the planner sorts all tenants, because it believes that few pass the policy
			}
			return q.SessionPlanForValues(t.Ctx)
		})
		core.Query(t, "list the tenants", &list, func(q *dbsqlc.Queries) ([]ListedTenant, error) {
			return q.TenantList(t.Ctx, dbsqlc.TenantListParams{
				After: page.After, Slug: f.Slug, Status: f.Status, RowLimit: int32(page.Limit),
			})
		})
	})
	return list, err
}

// InsertTenant queues the tenant that the transaction is about. The slug is unique over all tenants.
func (tx *WriteTx) InsertTenant(t Tenant) {
	core.Exec(tx.t, "insert the tenant", func(q *dbsqlc.Queries) error {
		return q.TenantInsert(tx.t.Ctx, dbsqlc.TenantInsertParams{
			TenantID: tx.tenant, Slug: t.Slug, Name: t.Name, TimeZone: t.TimeZone, Currency: t.Currency, CreatedAt: tx.t.Now,
		})
	}, core.Failure{State: core.UniqueViolation, Means: slugTaken})
}

func slugTaken(cause error) error {
	return problem.Wrap(cause, problem.AlreadyExists, "A tenant with this slug exists.")
}
