package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
)

// Wallet returns a wallet, and the time by the database's clock. Errors, as of all reads here: problem.NotFound,
// problem.DatabaseUnavailable.
func (s *Store) Wallet(ctx context.Context, tenant, id uuid.UUID) (Wallet, time.Time, error) {
	return readAt(ctx, s, "read a wallet", tenant, func(t *core.Tx, q *dbsqlc.Queries) (Wallet, error) {
		return q.WalletGet(t.Ctx, tenant, id)
	})
}

// WalletOfCode returns the wallet whose code begins with a prefix, and the time. The caller compares the rest.
func (s *Store) WalletOfCode(ctx context.Context, tenant uuid.UUID, prefix string) (Wallet, time.Time, error) {
	return readAt(ctx, s, "read the wallet of a code", tenant, func(t *core.Tx, q *dbsqlc.Queries) (Wallet, error) {
		return q.WalletGetByPrefix(t.Ctx, tenant, prefix)
	})
}

// ListWallets lists a tenant's wallets by id, and returns the time; with a customer, that customer's only.
func (s *Store) ListWallets(ctx context.Context, tenant uuid.UUID, customer *uuid.UUID, page Page) ([]Wallet, time.Time, error) {
	return readAt(ctx, s, "list wallets", tenant, func(t *core.Tx, q *dbsqlc.Queries) ([]Wallet, error) {
		if customer != nil {
			return q.WalletListOfCustomer(t.Ctx, dbsqlc.WalletListOfCustomerParams{
				TenantID: tenant, CustomerID: *customer, After: page.After, RowLimit: int32(page.Limit),
			})
		}
		return q.WalletList(t.Ctx, dbsqlc.WalletListParams{TenantID: tenant, After: page.After, RowLimit: int32(page.Limit)})
	})
}

// readAt runs one query as a tenant, and returns the time by the database's clock.
func readAt[T any](ctx context.Context, s *Store, doing string, tenant uuid.UUID,
	run func(*core.Tx, *dbsqlc.Queries) (T, error),
) (result T, now time.Time, err error) {
	err = s.db.ReadOnly(ctx, doing, tenant, func(t *core.Tx) {
		core.Query(t, doing, &result, func(q *dbsqlc.Queries) (T, error) {
			now = t.Began // read before, in the same batch
			return run(t, q)
		})
	})
	return result, now, err
}

// WalletEntries lists the entries of a wallet after a version and up to another, by version, at most limit of them.
func (s *Store) WalletEntries(ctx context.Context, tenant, wallet uuid.UUID, after, until int64, limit int) ([]WalletEntry, error) {
	return core.ReadOne(ctx, s.db, "list a wallet's entries", tenant, func(ctx context.Context, q *dbsqlc.Queries) ([]WalletEntry, error) {
		return q.WalletEntryList(ctx, dbsqlc.WalletEntryListParams{
			TenantID: tenant, WalletID: wallet, After: after, Until: until, RowLimit: int32(limit),
		})
	})
}

// WalletVersionAt returns the version that a wallet had at a time. Errors: problem.NotFound if it had no entry then.
func (s *Store) WalletVersionAt(ctx context.Context, tenant, wallet uuid.UUID, at time.Time) (int64, error) {
	return core.ReadOne(ctx, s.db, "read a wallet's version", tenant, func(ctx context.Context, q *dbsqlc.Queries) (int64, error) {
		return q.WalletVersionAt(ctx, dbsqlc.WalletVersionAtParams{TenantID: tenant, WalletID: wallet, At: at})
	})
}

// WalletSnapshot returns the last snapshot of a wallet at or before a version. Errors: problem.NotFound if there is none.
func (s *Store) WalletSnapshot(ctx context.Context, tenant, wallet uuid.UUID, version int64) (WalletSnapshot, error) {
	return core.ReadOne(ctx, s.db, "read a snapshot of a wallet", tenant,
		func(ctx context.Context, q *dbsqlc.Queries) (WalletSnapshot, error) {
			return q.WalletSnapshotBefore(ctx, dbsqlc.WalletSnapshotBeforeParams{TenantID: tenant, WalletID: wallet, Version: version})
		})
}
