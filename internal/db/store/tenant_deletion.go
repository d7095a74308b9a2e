package store

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
)

// DeletionTables is how many batches, of a table each, a deletion goes through.
var DeletionTables = len(deletions)

// DeletingTenant returns a tenant that is to be deleted here, nil if there is none. It reads as the operator's role and takes no lock.
// Errors: problem.DatabaseUnavailable.
func (s *Store) DeletingTenant(ctx context.Context) (*uuid.UUID, error) {
	var found []uuid.UUID
	err := s.db.ReadAcross(ctx, "find a tenant to delete", func(t *core.Tx) {
		core.Query(t, "find a tenant to delete", &found, func(q *dbsqlc.Queries) ([]uuid.UUID, error) {
			return q.TenantDeletionNext(t.Ctx)
		})
	})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// DeleteTenantRows deletes a batch of rows of one table of a tenant that is deleting, in a transaction of its own, and returns how many.
// table counts from 0. Servers do so one after the other. It runs as a role that sees nothing of a tenant that isn't deleting. Errors:
// ErrNotDeleting; problem.DatabaseUnavailable, problem.LockTimeout, problem.OutcomeUnknown.
func (s *Store) DeleteTenantRows(ctx context.Context, tenant uuid.UUID, table int) (n int64, err error) {
	err = s.asDeleter(ctx, "delete a tenant's rows", tenant, func(t *core.Tx) {
		core.Query(t, "delete a batch", &n, func(q *dbsqlc.Queries) (int64, error) { return deletions[table](q, t.Ctx, tenant) })
	})
	return n, err
}

// FinishTenantDeletion ends the deletion of a tenant that has no rows any more: slug is its name from then on, which nobody looks for.
// Errors: those of DeleteTenantRows.
func (s *Store) FinishTenantDeletion(ctx context.Context, tenant uuid.UUID, slug string) error {
	var now time.Time
	err := s.db.ReadOnly(ctx, "read the clock", tenant, func(t *core.Tx) { t.ReadClockInto(&now) })
	if err != nil {
		return err
	}
	return s.asDeleter(ctx, "finish a tenant's deletion", tenant, func(t *core.Tx) {
		core.Exec(t, "finish the deletion", func(q *dbsqlc.Queries) error {
			return q.TenantDeletionFinish(t.Ctx, dbsqlc.TenantDeletionFinishParams{TenantID: tenant, Now: now, Slug: slug})
		})
	})
}

// ErrNotDeleting says that a tenant isn't deleting, or isn't any more.
var ErrNotDeleting = errors.New("store: the tenant isn't deleting")

// asDeleter runs a transaction of one batch that may delete what a tenant has that is deleting.
func (s *Store) asDeleter(ctx context.Context, doing string, tenant uuid.UUID, queue func(t *core.Tx)) error {
	var locked *dbsqlc.TenantDeletionLockRow
	err := s.db.AsTenant(ctx, doing, true, tenant, func(t *core.Tx) {
		core.Exec(t, "become the deleter", func(q *dbsqlc.Queries) error { return q.TenantDeletionRole(t.Ctx) })
		core.Optional(t, "lock the tenant", &locked, func(q *dbsqlc.Queries) (dbsqlc.TenantDeletionLockRow, error) {
			return q.TenantDeletionLock(t.Ctx, tenant)
		})
		queue(t)
	})
	if err == nil && locked == nil {
		err = ErrNotDeleting
	}
	return err
}
