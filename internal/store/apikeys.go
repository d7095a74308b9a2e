package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/store/internal/dbsqlc"
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
	return readOne(ctx, s, "list API keys", tenant, func(ctx context.Context, q *dbsqlc.Queries) ([]IssuedAPIKey, error) {
		rows, err := q.APIKeyList(ctx, dbsqlc.APIKeyListParams{TenantID: tenant, After: page.After, RowLimit: int32(page.Limit)})
		return convert(rows, func(r dbsqlc.APIKeyListRow) IssuedAPIKey { return IssuedAPIKey(r) }), err
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
	return s.asWorker(ctx, "record the use of API keys", func(t *tx) {
		exec(&t.batch, "record the use of API keys", func(q *dbsqlc.Queries) error { return q.APIKeyRecordUse(t.ctx, tenants, ids) })
	})
}

// APIKeysRead says what to read of a tenant's API keys before a change of them.
type APIKeysRead struct {
	// Acting is the key that asks for the change.
	Acting uuid.UUID
	// Changed is the key that is changed, uuid.Nil for a new one.
	Changed uuid.UUID
}

// APIKeysState is the state of a tenant's API keys before a change of them.
type APIKeysState struct {
	// Acting is the key that asks for the change.
	Acting *IssuedAPIKey
	// Working is how many keys work. OtherAdmins is how many of them, besides the one that is changed, have the scope admin and no end.
	Working, OtherAdmins int
}

func (tx *WriteTx) queueAPIKeysRead(read APIKeysRead, st *APIKeysState) {
	t := tx.t
	exec(&t.batch, "lock the API keys", func(q *dbsqlc.Queries) error { return q.APIKeysLock(t.ctx, tx.tenant) })
	optional(&t.batch, "read the acting API key", &st.Acting, func(q *dbsqlc.Queries) (IssuedAPIKey, error) {
		return q.APIKeyGet(t.ctx, tx.tenant, read.Acting)
	})
	query(&t.batch, "count the API keys", new(dbsqlc.APIKeyCountsRow), func(q *dbsqlc.Queries) (dbsqlc.APIKeyCountsRow, error) {
		row, err := q.APIKeyCounts(t.ctx, tx.tenant, read.Changed)
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
	exec(&tx.t.batch, "insert the API key", func(q *dbsqlc.Queries) error {
		return q.APIKeyInsert(tx.t.ctx, dbsqlc.APIKeyInsertParams{
			TenantID: tx.tenant, ApiKeyID: k.ID, Prefix: k.Prefix, Hash: k.Hash[:], Name: k.Name, Scopes: k.Scopes, CreatedAt: tx.t.now,
		})
	})
}

// UpdateAPIKey queues another name and other scopes of an API key.
func (tx *WriteTx) UpdateAPIKey(id uuid.UUID, name string, scopes []string) {
	exec(&tx.t.batch, "update the API key", func(q *dbsqlc.Queries) error {
		return q.APIKeyUpdate(tx.t.ctx, dbsqlc.APIKeyUpdateParams{TenantID: tx.tenant, ApiKeyID: id, Name: name, Scopes: scopes})
	})
}

// ExpireAPIKey queues the end of an API key at a time. A key that ends sooner already keeps its end.
func (tx *WriteTx) ExpireAPIKey(id uuid.UUID, at time.Time) {
	exec(&tx.t.batch, "expire the API key", func(q *dbsqlc.Queries) error {
		return q.APIKeyExpire(tx.t.ctx, dbsqlc.APIKeyExpireParams{TenantID: tx.tenant, ApiKeyID: id, ExpiresAt: at})
	})
}

// RevokeAPIKey queues the end of an API key. One that is revoked already stays so.
func (tx *WriteTx) RevokeAPIKey(id uuid.UUID) {
	exec(&tx.t.batch, "revoke the API key", func(q *dbsqlc.Queries) error {
		return q.APIKeyRevoke(tx.t.ctx, dbsqlc.APIKeyRevokeParams{TenantID: tx.tenant, ApiKeyID: id, Now: tx.t.now})
	})
}
