package tenant

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/tenant/internal/rowsql"
)

// readRows gives emit each row of what a tenant has, by table and key, as a JSON object without secrets. It reads a
// page at a time: what changes meanwhile may be as it was before or after. It returns when it began, by the database's
// clock. Errors: those of emit; problem.DatabaseUnavailable.
func readRows(ctx context.Context, d *db.DB, tenant uuid.UUID, emit func(table string, row json.RawMessage) error,
) (began time.Time, err error) {
	if began, err = d.Clock(ctx, tenant); err != nil {
		return began, err
	}
	for _, table := range exportedTables {
		after := json.RawMessage("{}")
		for {
			rows, err := db.ReadOne(ctx, d, unlocked, "export a tenant", tenant,
				func(tx *db.Tx, q *rowsql.Queries) ([]json.RawMessage, error) {
					return table.page(q, tx.Context(), tx.Tenant(), after)
				})
			if err != nil {
				return began, err
			}
			for _, row := range rows {
				if err := emit(table.name, row); err != nil {
					return began, err
				}
			}
			if len(rows) == 0 {
				break
			}
			after = rows[len(rows)-1]
		}
	}
	return began, nil
}

// recordExport records a complete export of a tenant, which began at a time. Errors: problem.DatabaseUnavailable,
// problem.OutcomeUnknown.
func recordExport(ctx context.Context, d *db.DB, tenant, export uuid.UUID, began time.Time) error {
	return d.WriteOnce(ctx, "record an export", true, tenant, func(tx *db.Tx) {
		db.Exec(unlocked.On(tx), "record the export", func(q *rowsql.Queries) error {
			return q.TenantSetExport(tx.Context(), rowsql.TenantSetExportParams{
				TenantID: tx.Tenant(), ExportID: export, ExportedAt: began,
			})
		})
	})
}

// findDeleting returns a tenant that is to be deleted here, nil if there is none. It reads as the operator's role and
// takes no lock. Errors: problem.DatabaseUnavailable.
func findDeleting(ctx context.Context, d *db.DB) (*uuid.UUID, error) {
	var found []uuid.UUID
	err := d.ReadAcross(ctx, "find a tenant to delete", func(tx *db.Tx) {
		db.Query(unlocked.On(tx), "find a tenant to delete", &found, func(q *rowsql.Queries) ([]uuid.UUID, error) {
			return q.TenantDeletionNext(tx.Context())
		})
	})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// deleteRows deletes a batch of rows of one table of a tenant that is deleting, in a transaction of its own, and
// returns how many. table counts from 0 and is less than the number of deletions. Servers do so one after the other. It
// runs as a role that sees nothing of a tenant that isn't deleting. Errors: errNotDeleting;
// problem.DatabaseUnavailable, problem.LockTimeout, problem.OutcomeUnknown.
func deleteRows(ctx context.Context, d *db.DB, tenant uuid.UUID, table int) (n int64, err error) {
	err = asDeleter(ctx, d, "delete a tenant's rows", tenant, func(tx *db.Tx) {
		db.Query(unlocked.On(tx), "delete a batch", &n, func(q *rowsql.Queries) (int64, error) {
			return deletions[table](q, tx.Context(), tx.Tenant())
		})
	})
	return n, err
}

// finishDeletion ends the deletion of a tenant that has no rows any more: slug is its name from then on, which nobody
// looks for. Errors: those of deleteRows.
func finishDeletion(ctx context.Context, d *db.DB, tenant uuid.UUID, slug string) error {
	now, err := d.Clock(ctx, tenant)
	if err != nil {
		return err
	}
	return asDeleter(ctx, d, "finish a tenant's deletion", tenant, func(tx *db.Tx) {
		db.Exec(unlocked.On(tx), "finish the deletion", func(q *rowsql.Queries) error {
			return q.TenantDeletionFinish(tx.Context(),
				rowsql.TenantDeletionFinishParams{TenantID: tx.Tenant(), Now: now, Slug: slug})
		})
	})
}

// errNotDeleting says that a tenant isn't deleting, or isn't any more.
var errNotDeleting = errors.New("tenant: it isn't deleting")

// asDeleter runs a transaction of one batch that may delete what a tenant has that is deleting.
func asDeleter(ctx context.Context, d *db.DB, doing string, tenant uuid.UUID, queue func(tx *db.Tx)) error {
	var locked *rowsql.TenantDeletionLockRow
	err := d.WriteOnce(ctx, doing, true, tenant, func(tx *db.Tx) {
		db.Exec(unlocked.On(tx), "become the deleter", func(q *rowsql.Queries) error {
			return q.TenantDeletionRole(tx.Context())
		})
		db.Optional(unlocked.On(tx), "lock the tenant", &locked,
			func(q *rowsql.Queries) (rowsql.TenantDeletionLockRow, error) {
				return q.TenantDeletionLock(tx.Context(), tx.Tenant())
			})
		queue(tx)
	})
	if err == nil && locked == nil {
		err = errNotDeleting
	}
	return err
}
