package settings

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/settings/internal/rowsql"
	"holdfast/internal/tenant"
)

// The statements of settings need no advisory lock. Each change of them locks the tenant's row.
var unlocked = db.UnderNothing(rowsql.New)

// tenantRow is a tenant with its settings and its templates of emails, both JSON objects.
type tenantRow = rowsql.SettingsGetRow

// read returns a tenant with its settings. Errors: problem.NotFound, problem.DatabaseUnavailable.
func read(ctx context.Context, d *db.DB, id uuid.UUID) (tenantRow, error) {
	return db.ReadOne(ctx, d, unlocked, "read the settings", id, func(tx *db.Tx, q *rowsql.Queries) (tenantRow, error) {
		return q.SettingsGet(tx.Context(), tx.Tenant())
	})
}

// queueLocked queues the lock of the tenant's row, and the reading of its settings: nil if there is no tenant.
func queueLocked(tx *db.WriteTx, row **tenantRow) {
	tenant.Lock(tx)
	db.Optional(unlocked.On(tx), "read the settings", row, func(q *rowsql.Queries) (tenantRow, error) {
		return q.SettingsGet(tx.Context(), tx.Tenant())
	})
}

// queueSettings queues the tenant's name, settings and templates, and raises the versions of the settings and of the
// catalog. The settings must have been read by the transaction.
func queueSettings(tx *db.WriteTx, name string, settings, templates []byte) {
	db.Exec(unlocked.On(tx), "set the settings", func(q *rowsql.Queries) error {
		return q.SettingsSet(tx.Context(), rowsql.SettingsSetParams{
			TenantID: tx.Tenant(), Name: name, Settings: settings, EmailTemplates: templates,
		})
	})
}

// readLogo returns the logo of a tenant if it has the hash. Errors: problem.NotFound, problem.DatabaseUnavailable.
func readLogo(ctx context.Context, d *db.DB, id uuid.UUID, hash string) (rowsql.LogoGetRow, error) {
	return db.ReadOne(ctx, d, unlocked, "read the logo", id,
		func(tx *db.Tx, q *rowsql.Queries) (rowsql.LogoGetRow, error) {
			return q.LogoGet(tx.Context(), tx.Tenant(), hash)
		})
}

// queueLogo queues the tenant's logo, and raises the version of the settings, which must have been read by the
// transaction.
func queueLogo(tx *db.WriteTx, l Logo) {
	db.Exec(unlocked.On(tx), "set the logo", func(q *rowsql.Queries) error {
		return q.LogoSet(tx.Context(), rowsql.LogoSetParams{
			TenantID: tx.Tenant(), Hash: l.hash(), MediaType: l.MediaType, Data: l.Data, Now: tx.Now(),
		})
	})
	queueVersion(tx)
}

// queueNoLogo queues the end of the tenant's logo, as queueLogo does.
func queueNoLogo(tx *db.WriteTx) {
	db.Exec(unlocked.On(tx), "delete the logo", func(q *rowsql.Queries) error {
		return q.LogoDelete(tx.Context(), tx.Tenant())
	})
	queueVersion(tx)
}

func queueVersion(tx *db.WriteTx) {
	db.Exec(unlocked.On(tx), "raise the version of the settings", func(q *rowsql.Queries) error {
		return q.SettingsRaiseVersion(tx.Context(), tx.Tenant())
	})
}
