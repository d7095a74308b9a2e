package store

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
)

// Logo is the image that a tenant's pages show.
type Logo = dbsqlc.LogoGetRow

// Logo returns the logo of a tenant if it has the hash. Errors: problem.NotFound, problem.DatabaseUnavailable.
func (s *Store) Logo(ctx context.Context, tenant uuid.UUID, hash string) (Logo, error) {
	return core.ReadOne(ctx, s.db, "read the logo", tenant, func(ctx context.Context, q *dbsqlc.Queries) (Logo, error) {
		return q.LogoGet(ctx, tenant, hash)
	})
}

// SetLogo queues the tenant's logo, and raises the version of the settings. The settings must have been read by the transaction.
func (tx *WriteTx) SetLogo(hash string, l Logo) {
	core.Exec(tx.t, "set the logo", func(q *dbsqlc.Queries) error {
		return q.LogoSet(tx.t.Ctx, dbsqlc.LogoSetParams{
			TenantID: tx.tenant, Hash: hash, MediaType: l.MediaType, Data: l.Data, Now: tx.t.Now,
		})
	})
	tx.raiseSettingsVersion()
}

// DeleteLogo queues the end of the tenant's logo, as SetLogo does.
func (tx *WriteTx) DeleteLogo() {
	core.Exec(tx.t, "delete the logo", func(q *dbsqlc.Queries) error { return q.LogoDelete(tx.t.Ctx, tx.tenant) })
	tx.raiseSettingsVersion()
}

func (tx *WriteTx) raiseSettingsVersion() {
	core.Exec(tx.t, "raise the version of the settings", func(q *dbsqlc.Queries) error {
		return q.SettingsRaiseVersion(tx.t.Ctx, tx.tenant)
	})
}
