package tenant

import (
	"context"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/tenant/internal/rowsql"
)

type (
	keyRow = rowsql.ApiKey
	// verifiedRow is an API key with its tenant, found by its prefix.
	verifiedRow = rowsql.APIKeyGetByPrefixRow
)

// readKeyWithPrefix returns the API key of a tenant with the given prefix. It costs one round trip and takes no lock.
// Errors: problem.NotFound, problem.DatabaseUnavailable.
func readKeyWithPrefix(ctx context.Context, d *db.DB, tenant uuid.UUID, prefix string) (verifiedRow, error) {
	return db.ReadOne(ctx, d, unlocked, "read an API key", tenant,
		func(tx *db.Tx, q *rowsql.Queries) (verifiedRow, error) {
			return q.APIKeyGetByPrefix(tx.Context(), tx.Tenant(), prefix)
		})
}

// readKey returns an API key as it is listed. Errors: problem.NotFound, problem.DatabaseUnavailable.
func readKey(ctx context.Context, d *db.DB, tenant, id uuid.UUID) (keyRow, error) {
	return db.ReadOne(ctx, d, unlocked, "read an API key", tenant, func(tx *db.Tx, q *rowsql.Queries) (keyRow, error) {
		return q.APIKeyGet(tx.Context(), tx.Tenant(), id)
	})
}

// listKeys lists a tenant's API keys by id, also those that have ended: at most limit that follow the id after. Errors:
// problem.DatabaseUnavailable.
func listKeys(ctx context.Context, d *db.DB, tenant, after uuid.UUID, limit int) ([]keyRow, error) {
	return db.ReadOne(ctx, d, unlocked, "list API keys", tenant, func(tx *db.Tx, q *rowsql.Queries) ([]keyRow, error) {
		return q.APIKeyList(tx.Context(),
			rowsql.APIKeyListParams{TenantID: tx.Tenant(), After: after, RowLimit: int32(limit)})
	})
}

// recordUses records that API keys of any tenant were used about now. It runs as the worker's role, in one statement
// that waits for no row: a key that is being changed is left out. Errors: problem.DatabaseUnavailable,
// problem.OutcomeUnknown.
func recordUses(ctx context.Context, d *db.DB, keys []usedKey) error {
	var owners, ids []uuid.UUID
	for _, k := range keys {
		owners, ids = append(owners, k.tenant), append(ids, k.id)
	}
	return d.AsWorker(ctx, "record the use of API keys", func(tx *db.Tx) {
		db.Exec(unlocked.On(tx), "record the use of API keys", func(q *rowsql.Queries) error {
			return q.APIKeyRecordUse(tx.Context(), owners, ids)
		})
	})
}

// lockedKeys is the state of a tenant's API keys before a change of them.
type lockedKeys struct {
	// acting is the key that asks for the change, changed the one that is changed; nil without one.
	acting, changed *keyRow
	// counts are how many keys work, and how many of them, besides the one that is changed, have the scope admin and no
	// end.
	counts rowsql.APIKeyCountsRow
}

// queueKeys queues the lock of the tenant's row, and the reading of the state of its API keys. acting is the key that
// asks for the change, changed the one that is changed, nil for none.
func queueKeys(tx *db.WriteTx, acting uuid.UUID, changed *uuid.UUID, keys *lockedKeys) {
	Lock(tx)
	db.Optional(unlocked.On(tx), "read the acting API key", &keys.acting, func(q *rowsql.Queries) (keyRow, error) {
		return q.APIKeyGet(tx.Context(), tx.Tenant(), acting)
	})
	var left uuid.UUID
	if changed != nil {
		left = *changed
	}
	db.Query(unlocked.On(tx), "count the API keys", &keys.counts, func(q *rowsql.Queries) (rowsql.APIKeyCountsRow,
		error) {
		return q.APIKeyCounts(tx.Context(), tx.Tenant(), left)
	})
	if changed != nil {
		queueKey(tx, *changed, &keys.changed)
	}
}

// queueKey queues the reading of an API key, nil if there is none.
func queueKey(tx *db.WriteTx, id uuid.UUID, row **keyRow) {
	db.Optional(unlocked.On(tx), "read the API key", row, func(q *rowsql.Queries) (keyRow, error) {
		return q.APIKeyGet(tx.Context(), tx.Tenant(), id)
	})
}

// queueNewKey queues an API key. made is what its holder has, of which only the prefix and a hash are stored.
func queueNewKey(tx *db.WriteTx, k Key, made apiKey) {
	hash := made.hash()
	db.Exec(unlocked.On(tx), "insert the API key", func(q *rowsql.Queries) error {
		return q.APIKeyInsert(tx.Context(), rowsql.APIKeyInsertParams{
			TenantID:  tx.Tenant(),
			ApiKeyID:  k.ID,
			Prefix:    made.prefix,
			Hash:      hash[:],
			Name:      k.Name,
			Scopes:    k.Scopes.texts(),
			CreatedAt: tx.Now(),
		})
	})
}

// queueKeyChange queues another name and other scopes of an API key.
func queueKeyChange(tx *db.WriteTx, id uuid.UUID, name string, scopes Scopes) {
	db.Exec(unlocked.On(tx), "update the API key", func(q *rowsql.Queries) error {
		return q.APIKeyUpdate(tx.Context(), rowsql.APIKeyUpdateParams{
			TenantID: tx.Tenant(), ApiKeyID: id, Name: name, Scopes: scopes.texts(),
		})
	})
}

// queueKeyExpiry queues the end of an API key at a time. A key that ends sooner already keeps its end.
func queueKeyExpiry(tx *db.WriteTx, id uuid.UUID, at time.Time) {
	db.Exec(unlocked.On(tx), "expire the API key", func(q *rowsql.Queries) error {
		return q.APIKeyExpire(tx.Context(),
			rowsql.APIKeyExpireParams{TenantID: tx.Tenant(), ApiKeyID: id, ExpiresAt: at})
	})
}

// queueRevocation queues the end of an API key. One that is revoked already stays so.
func queueRevocation(tx *db.WriteTx, id uuid.UUID) {
	db.Exec(unlocked.On(tx), "revoke the API key", func(q *rowsql.Queries) error {
		return q.APIKeyRevoke(tx.Context(),
			rowsql.APIKeyRevokeParams{TenantID: tx.Tenant(), ApiKeyID: id, Now: tx.Now()})
	})
}
