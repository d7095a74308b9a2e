package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
)

// APIKey returns the API key of a tenant with the given prefix. It costs one round trip and takes no lock. Errors: problem.NotFound,
// problem.DatabaseUnavailable.
func (s *Store) APIKey(ctx context.Context, tenant uuid.UUID, prefix string) (APIKey, error) {
	return readByKey(ctx, s, "read an API key", tenant, prefix, (*dbsqlc.Queries).APIKeyGetByPrefix)
}

// IssuedAPIKey returns an API key as it is listed. Errors: problem.NotFound, problem.DatabaseUnavailable.
func (s *Store) IssuedAPIKey(ctx context.Context, tenant, id uuid.UUID) (IssuedAPIKey, error) {
	return readByKey(ctx, s, "read an API key", tenant, id, (*dbsqlc.Queries).APIKeyGet)
}

// APIKeys lists a tenant's API keys by id, also those that have ended. Errors: problem.DatabaseUnavailable.
func (s *Store) APIKeys(ctx context.Context, tenant uuid.UUID, page Page) ([]IssuedAPIKey, error) {
	return core.ReadOne(ctx, s.db, "list API keys", tenant, func(ctx context.Context, q *dbsqlc.Queries) ([]IssuedAPIKey, error) {
		return q.APIKeyList(ctx, dbsqlc.APIKeyListParams{TenantID: tenant, After: page.After, RowLimit: int32(page.Limit)})
	})
}

// APIKeyName names an API key.
type APIKeyName struct{ TenantID, APIKeyID uuid.UUID }

// RecordAPIKeyUses records that API keys of any tenant were used about now. It runs as the worker's role, in one statement that waits for
// no row: a key that is being changed is left out. Errors: problem.DatabaseUnavailable, problem.OutcomeUnknown.
func (s *Store) RecordAPIKeyUses(ctx context.Context, keys []APIKeyName) error {
	var tenants, ids []uuid.UUID
	for _, k := range keys {
		tenants, ids = append(tenants, k.TenantID), append(ids, k.APIKeyID)
	}
	return s.db.AsWorker(ctx, "record the use of API keys", func(t *core.Tx) {
		core.Exec(t, "record the use of API keys", func(q *dbsqlc.Queries) error { return q.APIKeyRecordUse(t.Ctx, tenants, ids) })
	})
}

// queueAPIKeysRead queues the locks of a tenant's API keys, and the reading of their state.
func (tx *WriteTx) queueAPIKeysRead(read APIKeysRead, st *APIKeysState) {
	t := tx.t
	core.Exec(t, "lock the API keys", func(q *dbsqlc.Queries) error { return q.APIKeysLock(t.Ctx, tx.tenant) })
	core.Optional(t, "read the acting API key", &st.Acting, func(q *dbsqlc.Queries) (IssuedAPIKey, error) {
		return q.APIKeyGet(t.Ctx, tx.tenant, read.Acting)
	})
	core.Query(t, "count the API keys", new(dbsqlc.APIKeyCountsRow), func(q *dbsqlc.Queries) (dbsqlc.APIKeyCountsRow, error) {
		row, err := q.APIKeyCounts(t.Ctx, tx.tenant, read.Changed)
		st.Working, st.OtherAdmins = int(row.Working), int(row.OtherAdmins)
		return row, err
	})
}

// NewAPIKey is an API key to be inserted.
type NewAPIKey struct {
	ID     uuid.UUID
	Prefix string   // finds the key
	Hash   [32]byte // the SHA-256 of the whole key
	Name   string
	Scopes []string
}

// InsertAPIKey queues an API key.
func (tx *WriteTx) InsertAPIKey(k NewAPIKey) {
	core.Exec(tx.t, "insert the API key", func(q *dbsqlc.Queries) error {
		return q.APIKeyInsert(tx.t.Ctx, dbsqlc.APIKeyInsertParams{
			TenantID: tx.tenant, ApiKeyID: k.ID, Prefix: k.Prefix, Hash: k.Hash[:], Name: k.Name, Scopes: k.Scopes, CreatedAt: tx.t.Now,
		})
	})
}

// UpdateAPIKey queues another name and other scopes of an API key.
func (tx *WriteTx) UpdateAPIKey(id uuid.UUID, name string, scopes []string) {
	core.Exec(tx.t, "update the API key", func(q *dbsqlc.Queries) error {
		return q.APIKeyUpdate(tx.t.Ctx, dbsqlc.APIKeyUpdateParams{TenantID: tx.tenant, ApiKeyID: id, Name: name, Scopes: scopes})
	})
}

// ExpireAPIKey queues the end of an API key at a time. A key that ends sooner already keeps its end.
func (tx *WriteTx) ExpireAPIKey(id uuid.UUID, at time.Time) {
	core.Exec(tx.t, "expire the API key", func(q *dbsqlc.Queries) error {
		return q.APIKeyExpire(tx.t.Ctx, dbsqlc.APIKeyExpireParams{TenantID: tx.tenant, ApiKeyID: id, ExpiresAt: at})
	})
}

// RevokeAPIKey queues the end of an API key. One that is revoked already stays so.
func (tx *WriteTx) RevokeAPIKey(id uuid.UUID) {
	core.Exec(tx.t, "revoke the API key", func(q *dbsqlc.Queries) error {
		return q.APIKeyRevoke(tx.t.Ctx, dbsqlc.APIKeyRevokeParams{TenantID: tx.tenant, ApiKeyID: id, Now: tx.t.Now})
	})
}
