package wallet

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"holdfast/internal/db/store"
)

// Rebuilding is what Operator.Rebuild did.
type Rebuilding struct {
	Wallets int       `json:"wallets"` // that it looked at
	Rebuilt []Rebuilt `json:"rebuilt"`
	// Refused are wallets whose entries can't be trusted: nothing of them was changed.
	Refused []Difference `json:"refused"`
}

// Rebuilt is a wallet whose projection was made again.
type Rebuilt struct {
	TenantID uuid.UUID  `json:"tenant_id"`
	WalletID uuid.UUID  `json:"wallet_id"`
	Before   Projection `json:"before"`
	After    Projection `json:"after"`
}

// Projection is a wallet's row, without the batches and holds.
type Projection struct {
	Version int64 `json:"version"`
	Balance int64 `json:"balance"`
	Held    int64 `json:"held"`
}

// Rebuild makes the projections of wallets again from their entries, where they differ: of one tenant or of all, of one wallet or of all. A
// wallet is changed under its lock. Errors: an unknown tenant; problem.LockTimeout, problem.DatabaseUnavailable, problem.OutcomeUnknown.
func (op *Operator) Rebuild(ctx context.Context, tenant string, wallet *uuid.UUID) (Rebuilding, error) {
	r := Rebuilding{Rebuilt: []Rebuilt{}, Refused: []Difference{}}
	err := op.eachTenant(ctx, tenant, func(id uuid.UUID) error {
		return op.eachWallet(ctx, id, wallet, func(row store.WalletRow) error {
			r.Wallets++
			done, err := op.rebuildWallet(ctx, id, row)
			if bad, isBad := errors.AsType[notFoldingError](err); isBad {
				r.Refused = append(r.Refused, Difference{Kind: BadStream, TenantID: id, WalletID: &row.WalletID, Detail: bad.Error() + "."})
				return nil
			}
			if done != nil {
				r.Rebuilt = append(r.Rebuilt, *done)
			}
			return err
		})
	})
	return r, err
}

// rebuildWallet returns nil if the wallet's row was right. Most entries are read before the lock is taken: they never change.
func (op *Operator) rebuildWallet(ctx context.Context, tenant uuid.UUID, row store.WalletRow) (done *Rebuilt, err error) {
	if err := hasItsEntries(row); err != nil {
		return nil, err
	}
	folded := newFold(row)
	if err := op.fold(ctx, tenant, &folded, row.LastEntry, nil); err != nil || rowDifference(folded, row) == "" {
		return nil, err
	}
	keys, err := keysOf(tenant, row.WalletID)
	if err != nil {
		return nil, err
	}
	err = op.store.Wallets(ctx, nil, keys, store.WalletRead{}, func(tx *store.WalletTx, _ store.WalletState) error {
		done = nil
		rows, err := op.store.WalletRows(ctx, tenant, &row.WalletID, store.Page{Limit: 1})
		if err != nil || len(rows) == 0 {
			return err
		}
		now, w := rows[0], folded
		if err := hasItsEntries(now); err != nil {
			return err
		}
		if err := op.fold(ctx, tenant, &w, now.LastEntry, nil); err != nil || rowDifference(w, now) == "" {
			return err
		}
		done = &Rebuilt{
			TenantID: tenant, WalletID: w.ID, Before: Projection{now.Version, now.Balance, now.Held},
			After: Projection{w.Version, w.Balance, w.Held},
		}
		now.Version, now.Balance, now.Held, now.UpdatedAt = w.Version, w.Balance, w.Held, w.UpdatedAt
		if now.State, err = w.state(); err != nil {
			return err
		}
		return tx.Rebuild(now)
	})
	return done, err
}

// hasItsEntries returns a notFoldingError for a wallet that has no entries, or whose row is ahead of them: then entries are lost, and a row
// made of the others would give spent credit back.
func hasItsEntries(row store.WalletRow) error {
	switch {
	case row.LastEntry == 0:
		return notFoldingError{errors.New("wallet: there are no entries")}
	case row.Version > row.LastEntry:
		return notFoldingError{fmt.Errorf("wallet: the row is at version %d, and the last entry is %d", row.Version, row.LastEntry)}
	}
	return nil
}
