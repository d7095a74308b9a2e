package wallet

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/wallet/internal/rowsql"
)

// projectionRow is the projection of a wallet. LastEntry is the version of its last entry, 0 without any, read in the
// same snapshot.
type projectionRow = rowsql.WalletVerifyListRow

// projections lists the projections of a tenant's wallets by id, or that of one wallet. As all reads here it takes no
// lock. Errors: problem.DatabaseUnavailable.
func (r reader) projections(ctx context.Context, tenant uuid.UUID, wallet *uuid.UUID, after uuid.UUID, limit int,
) ([]projectionRow, error) {
	return db.ReadOne(ctx, r.db, unlocked, "list wallets", tenant,
		func(tx *db.Tx, q *rowsql.Queries) ([]projectionRow, error) {
			return q.WalletVerifyList(tx.Context(), rowsql.WalletVerifyListParams{
				TenantID: tx.Tenant(), Wallet: wallet, After: after, RowLimit: int32(limit),
			})
		})
}

// snapshots lists the snapshots of a wallet after a version and up to another, by version, at most limit of them.
func (r reader) snapshots(ctx context.Context, tenant, wallet uuid.UUID, after, until int64,
	limit int,
) ([]snapshotRow, error) {
	return db.ReadOne(ctx, r.db, unlocked, "list a wallet's snapshots", tenant,
		func(tx *db.Tx, q *rowsql.Queries) ([]snapshotRow, error) {
			return q.WalletSnapshotList(tx.Context(), rowsql.WalletSnapshotListParams{
				TenantID: tx.Tenant(), WalletID: wallet, After: after, Until: until, RowLimit: int32(limit),
			})
		})
}

// mismatches is what disagrees among the wallets of a tenant. Each list was read in one snapshot.
type mismatches struct {
	// postings are wallets of which the postings in a currency add up to something else than the row. A side that
	// doesn't exist is 0.
	postings []rowsql.WalletPostingMismatchesRow
	// sums are currencies in which the wallets and the tenant's own accounts don't add up to zero.
	sums []rowsql.WalletSumsRow
	// payments are payments and refunds that succeeded, were made with a wallet and don't have exactly one entry of
	// their amount and booking, or entries without such a payment. Amount is the payment's and Entered the entries'; 0
	// without one. WalletID is empty without an entry.
	payments []rowsql.WalletPaymentMismatchesRow
	// holds are open holds of payments that no open payment has, and open payments' holds that aren't open.
	holds []rowsql.WalletHoldMismatchesRow
	// orphans are wallets that have entries and no row.
	orphans []uuid.UUID
}

// mismatches reads at most limit of each kind. It looks through all postings and entries of the tenant: the lock
// timeout and 10 s are how long each statement may take.
func (r reader) mismatches(ctx context.Context, tenant uuid.UUID, limit int) (m mismatches, err error) {
	if m.postings, err = list(ctx, r.db, "compare postings with wallets", tenant, limit,
		(*rowsql.Queries).WalletPostingMismatches); err != nil {
		return m, err
	}
	if m.sums, err = list(ctx, r.db, "add up the accounts", tenant, limit, (*rowsql.Queries).WalletSums); err != nil {
		return m, err
	}
	if m.payments, err = list(ctx, r.db, "compare payments with wallets", tenant, limit,
		(*rowsql.Queries).WalletPaymentMismatches); err != nil {
		return m, err
	}
	if m.holds, err = list(ctx, r.db, "compare holds with payments", tenant, limit,
		(*rowsql.Queries).WalletHoldMismatches); err != nil {
		return m, err
	}
	m.orphans, err = list(ctx, r.db, "look for entries without a wallet", tenant, limit,
		(*rowsql.Queries).WalletOrphanList)
	return m, err
}

func list[T any](ctx context.Context, d *db.DB, doing string, tenant uuid.UUID, limit int,
	read func(*rowsql.Queries, context.Context, uuid.UUID, int32) ([]T, error),
) ([]T, error) {
	return db.ReadOne(ctx, d, unlocked, doing, tenant, func(tx *db.Tx, q *rowsql.Queries) ([]T, error) {
		return read(q, tx.Context(), tx.Tenant(), int32(limit))
	})
}
