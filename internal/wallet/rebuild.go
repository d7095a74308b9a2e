package wallet

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"holdfast/internal/db"
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

// Rebuild makes the projections of wallets again from their entries, where they differ: of one tenant or of all, of one
// wallet or of all. A wallet is changed under its lock. Errors: an unknown tenant; problem.LockTimeout,
// problem.DatabaseUnavailable, problem.OutcomeUnknown.
func (op *Operator) Rebuild(ctx context.Context, tenant string, wallet *uuid.UUID) (Rebuilding, error) {
	r := Rebuilding{Rebuilt: []Rebuilt{}, Refused: []Difference{}}
	err := op.eachTenant(ctx, tenant, func(id uuid.UUID) error {
		return op.eachWallet(ctx, id, wallet, func(row projectionRow) error {
			r.Wallets++
			done, err := op.rebuildWallet(ctx, id, row)
			if bad, isBad := errors.AsType[notFoldingError](err); isBad {
				r.Refused = append(r.Refused,
					Difference{Kind: BadStream, TenantID: id, WalletID: &row.WalletID, Detail: bad.Error() + "."})
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

// rebuildWallet returns nil if the wallet's row was right. Most entries are read before the lock is taken: they never
// change.
func (op *Operator) rebuildWallet(ctx context.Context, tenant uuid.UUID, row projectionRow) (done *Rebuilt, err error) {
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
	err = op.db.Wallets(ctx, nil, keys, func(tx *db.WalletTx) func() error {
		return func() (err error) {
			done, err = op.rebuildLocked(ctx, tx, row.WalletID, folded)
			return err
		}
	})
	return done, err
}

// rebuildLocked goes on with a fold of most entries. It returns nil if the wallet's row is right now.
func (op *Operator) rebuildLocked(ctx context.Context, tx *db.WalletTx, wallet uuid.UUID, w Wallet) (*Rebuilt, error) {
	rows, err := op.projections(ctx, tx.Tenant(), &wallet, uuid.Nil, 1)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	now := rows[0]
	if err := hasItsEntries(now); err != nil {
		return nil, err
	}
	if err := op.fold(ctx, tx.Tenant(), &w, now.LastEntry, nil); err != nil || rowDifference(w, now) == "" {
		return nil, err
	}
	done := &Rebuilt{
		TenantID: tx.Tenant(), WalletID: w.ID, Before: Projection{now.Version, now.Balance, now.Held},
		After: Projection{w.Version, w.Balance, w.Held},
	}
	now.Version, now.Balance, now.Held, now.UpdatedAt = w.Version, w.Balance, w.Held, w.UpdatedAt
	if now.State, err = w.state(); err != nil {
		return nil, err
	}
	return done, queueRebuilt(tx, now)
}

// hasItsEntries returns a notFoldingError for a wallet that has no entries, or whose row is ahead of them: then entries
// are lost, and a row made of the others would give spent credit back.
func hasItsEntries(row projectionRow) error {
	switch {
	case row.LastEntry == 0:
		return notFoldingError{errors.New("wallet: there are no entries")}
	case row.Version > row.LastEntry:
		return notFoldingError{fmt.Errorf("wallet: the row is at version %d, and the last entry is %d", row.Version,
			row.LastEntry)}
	}
	return nil
}
