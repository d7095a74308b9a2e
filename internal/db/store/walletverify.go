package store

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
)

type (
	// WalletRow is the projection of a wallet. LastEntry is the version of its last entry, 0 without any, read in the same snapshot.
	WalletRow = dbsqlc.WalletVerifyListRow
	// WalletPostingMismatch is a wallet of which the postings in a currency add up to something else than its row. A side that doesn't
	// exist is 0.
	WalletPostingMismatch = dbsqlc.WalletPostingMismatchesRow
	// WalletPaymentMismatch is a payment or refund that succeeded, was made with a wallet and doesn't have exactly one entry of its amount
	// and booking, or entries without such a payment. Amount is the payment's and Entered the entries'; 0 without one. WalletID is empty
	// without an entry.
	WalletPaymentMismatch = dbsqlc.WalletPaymentMismatchesRow
	// WalletSum is a currency in which the wallets and the tenant's own accounts don't add up to zero.
	WalletSum = dbsqlc.WalletSumsRow
	// WalletHold names an open hold.
	WalletHold = dbsqlc.WalletHoldMismatchesRow
)

// WalletRows lists the projections of a tenant's wallets by id, or that of one wallet. As all reads here it is for `holdfast wallets`,
// takes no lock, and runs as the tenant. Errors: problem.DatabaseUnavailable.
func (s *Store) WalletRows(ctx context.Context, tenant uuid.UUID, wallet *uuid.UUID, page Page) ([]WalletRow, error) {
	return core.ReadOne(ctx, s.db, "list wallets", tenant, func(ctx context.Context, q *dbsqlc.Queries) ([]WalletRow, error) {
		return q.WalletVerifyList(ctx, dbsqlc.WalletVerifyListParams{
			TenantID: tenant, Wallet: wallet, After: page.After, RowLimit: int32(page.Limit),
		})
	})
}

// WalletSnapshots lists the snapshots of a wallet after a version and up to another, by version, at most limit of them.
func (s *Store) WalletSnapshots(ctx context.Context, tenant, wallet uuid.UUID, after, until int64, limit int) ([]WalletSnapshot, error) {
	return core.ReadOne(ctx, s.db, "list a wallet's snapshots", tenant,
		func(ctx context.Context, q *dbsqlc.Queries) ([]WalletSnapshot, error) {
			return q.WalletSnapshotList(ctx, dbsqlc.WalletSnapshotListParams{
				TenantID: tenant, WalletID: wallet, After: after, Until: until, RowLimit: int32(limit),
			})
		})
}

// WalletMismatches is what disagrees among the wallets of a tenant. Each list was read in one snapshot.
type WalletMismatches struct {
	Postings []WalletPostingMismatch
	Sums     []WalletSum
	Payments []WalletPaymentMismatch
	// Holds are open holds of payments that no open payment has, and open payments' holds that aren't open.
	Holds []WalletHold
	// Orphans are wallets that have entries and no row.
	Orphans []uuid.UUID
}

// WalletMismatches reads at most limit of each kind. It looks through all postings and entries of the tenant: the store's lock timeout
// and 10 s are how long each statement may take.
func (s *Store) WalletMismatches(ctx context.Context, tenant uuid.UUID, limit int) (m WalletMismatches, err error) {
	if m.Postings, err = mismatches(ctx, s, "compare postings with wallets", tenant, limit,
		(*dbsqlc.Queries).WalletPostingMismatches); err != nil {
		return m, err
	}
	if m.Sums, err = mismatches(ctx, s, "add up the accounts", tenant, limit, (*dbsqlc.Queries).WalletSums); err != nil {
		return m, err
	}
	if m.Payments, err = mismatches(ctx, s, "compare payments with wallets", tenant, limit,
		(*dbsqlc.Queries).WalletPaymentMismatches); err != nil {
		return m, err
	}
	if m.Holds, err = mismatches(ctx, s, "compare holds with payments", tenant, limit, (*dbsqlc.Queries).WalletHoldMismatches); err != nil {
		return m, err
	}
	m.Orphans, err = mismatches(ctx, s, "look for entries without a wallet", tenant, limit, (*dbsqlc.Queries).WalletOrphanList)
	return m, err
}

func mismatches[T any](ctx context.Context, s *Store, doing string, tenant uuid.UUID, limit int,
	list func(*dbsqlc.Queries, context.Context, uuid.UUID, int32) ([]T, error),
) ([]T, error) {
	return core.ReadOne(ctx, s.db, doing, tenant, func(ctx context.Context, q *dbsqlc.Queries) ([]T, error) {
		return list(q, ctx, tenant, int32(limit))
	})
}

// Rebuild queues a wallet's projection anew. The caller holds the wallet's lock, as with Append.
func (tx *WalletTx) Rebuild(w WalletRow) error {
	if err := tx.requireLock(w.WalletID); err != nil {
		return err
	}
	core.Exec(tx.t, "rebuild the wallet", func(q *dbsqlc.Queries) error {
		return q.WalletRebuild(tx.t.Ctx, dbsqlc.WalletRebuildParams{
			TenantID: tx.t.Tenant, WalletID: w.WalletID, Balance: w.Balance, Held: w.Held, State: w.State, Version: w.Version,
			UpdatedAt: w.UpdatedAt,
		})
	})
	return nil
}
