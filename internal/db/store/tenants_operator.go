package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
	"holdfast/internal/problem"
)

// FoundTenant is a tenant that was found by its name.
type FoundTenant = dbsqlc.TenantFindRow

// FindTenant returns the tenant that has a text as its slug or as its id. It is for the operator. Errors: problem.NotFound if there is no
// such tenant; problem.InvalidState if the text is the slug of one and the id of another; problem.DatabaseUnavailable.
func (s *Store) FindTenant(ctx context.Context, slugOrID string) (FoundTenant, error) {
	var id *uuid.UUID
	if u, err := uuid.Parse(slugOrID); err == nil {
		id = &u
	}
	var found []FoundTenant
	err := s.db.ReadAcross(ctx, "find the tenant", func(t *core.Tx) {
		t.PlanForValues()
		core.Query(t, "find the tenant", &found, func(q *dbsqlc.Queries) ([]FoundTenant, error) {
			return q.TenantFind(t.Ctx, slugOrID, id)
		})
	})
	switch {
	case err != nil:
		return FoundTenant{}, err
	case len(found) == 0:
		return FoundTenant{}, problem.Missing()
	case len(found) > 1:
		return FoundTenant{}, problem.New(problem.InvalidState, "This is the slug of one tenant and the id of another one.")
	}
	return found[0], nil
}

// TenantWithSlug returns the tenant that has a slug. Errors: problem.NotFound, problem.DatabaseUnavailable.
func (s *Store) TenantWithSlug(ctx context.Context, slug string) (Tenant, error) {
	found, err := s.FindTenant(ctx, slug)
	switch {
	case problem.Is(err, problem.InvalidState), err == nil && found.Slug != slug: // the text is an id, too
		return Tenant{}, problem.Missing()
	case err != nil:
		return Tenant{}, err
	}
	return Tenant{
		TenantID: found.TenantID, Slug: found.Slug, Name: found.Name, TimeZone: found.TimeZone, Currency: found.Currency,
		CreatedAt: found.CreatedAt, Status: found.Status,
	}, nil
}

// queueOperatorRead queues the lock of the tenant's row, and the reading of the tenant with what its changes depend on.
func (tx *WriteTx) queueOperatorRead(st *WriteState) {
	t := tx.t
	core.Exec(t, "lock the tenant", func(q *dbsqlc.Queries) error { return q.SettingsLock(t.Ctx, tx.tenant) })
	core.Optional(t, "read the tenant", &st.Tenant, func(q *dbsqlc.Queries) (Tenant, error) { return q.TenantGet(t.Ctx, tx.tenant) })
	core.Query(t, "read what the tenant has", &st.Contents, func(q *dbsqlc.Queries) (TenantContents, error) {
		return q.TenantContents(t.Ctx, tx.tenant)
	})
	core.Query(t, "read the tenant's open money", &st.OpenMoney, func(q *dbsqlc.Queries) (TenantOpenMoney, error) {
		return q.TenantOpenMoney(t.Ctx, tx.tenant)
	})
}

// CorrectTenant queues another slug, name, time zone and currency of the tenant that was read, and raises the versions of its settings and
// of its catalog. The slug is unique over all tenants: Write returns problem.AlreadyExists for one in use.
func (tx *WriteTx) CorrectTenant(slug, name, timeZone, currency string) {
	core.Exec(tx.t, "correct the tenant", func(q *dbsqlc.Queries) error {
		return q.TenantCorrect(tx.t.Ctx, dbsqlc.TenantCorrectParams{
			TenantID: tx.tenant, Slug: slug, Name: name, TimeZone: timeZone, Currency: currency,
		})
	}, core.Failure{State: core.UniqueViolation, Means: slugTaken})
}

// SetTenantStatus queues the status of the tenant that was read, the reason for it and since when it has it, and raises the version of its
// settings. A nil reason is none.
func (tx *WriteTx) SetTenantStatus(status string, reason *string, since time.Time) {
	core.Exec(tx.t, "set the tenant's status", func(q *dbsqlc.Queries) error {
		return q.TenantSetStatus(tx.t.Ctx, dbsqlc.TenantSetStatusParams{
			TenantID: tx.tenant, Status: status, StatusReason: reason, StatusSince: since,
		})
	})
}

// RecordExport records a complete export of a tenant, which began at a time. Errors: problem.DatabaseUnavailable, problem.OutcomeUnknown.
func (s *Store) RecordExport(ctx context.Context, tenant, export uuid.UUID, began time.Time) error {
	return s.db.AsTenant(ctx, "record an export", true, tenant, func(t *core.Tx) {
		core.Exec(t, "record the export", func(q *dbsqlc.Queries) error {
			return q.TenantSetExport(t.Ctx, dbsqlc.TenantSetExportParams{TenantID: tenant, ExportID: export, ExportedAt: began})
		})
	})
}
