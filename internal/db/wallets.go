package db

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"holdfast/internal/db/internal/core"
	"holdfast/internal/lock"
)

// WalletTx is a transaction that holds the locks of wallets of one tenant.
type WalletTx struct {
	WriteTx
	keys lock.WalletKeys
}

// wallets returns the transaction for what needs the locks of keys.
func (h held) wallets(keys lock.WalletKeys) *WalletTx {
	return &WalletTx{WriteTx: newWriteTx(h.t, h.key), keys: keys}
}

// Wallets returns the wallets whose locks the transaction holds.
func (tx *WalletTx) Wallets() []uuid.UUID {
	ids := make([]uuid.UUID, 0, 2)
	for _, id := range tx.keys.Wallets() {
		ids = append(ids, id)
	}
	return ids
}

// Require returns an error, which is a defect of the caller, if the lock of a wallet isn't held.
func (tx *WalletTx) Require(wallet uuid.UUID) error {
	if !slices.Contains(tx.keys.Wallets(), [16]byte(wallet)) {
		return fmt.Errorf("change a wallet: the lock of %s isn't held", wallet)
	}
	return nil
}

// Wallets runs a transaction that holds the lock `{tenant}:wallet:{wallet}` of each wallet of keys. request is what is
// served, nil for a change without a key. begin queues reads, which see what was committed before the locks were
// granted, and returns the decision. If that returns an error, or queues nothing, the transaction is rolled back;
// otherwise its writes commit together. Both may be run several times and must not have effects of their own: the
// decision finds what an earlier run wrote by the wallets themselves.
//
// It costs two round trips, one of them when nothing is written. Errors: the decision's own; what failures of
// statements mean; problem.LockTimeout, problem.DatabaseUnavailable and problem.RequestInProgress, after which nothing
// was written; problem.OutcomeUnknown.
func (d *DB) Wallets(ctx context.Context, request *Request, keys lock.WalletKeys,
	begin func(*WalletTx) (decide func() error),
) error {
	w := core.Write{Doing: "change the wallets", Request: request, Locks: &keys.Set, Repeatable: true}
	return d.core.Run(ctx, w, func(t *core.Tx, k *core.RequestKey) func() error {
		return thenClock(t, begin(held{t, k}.wallets(keys)))
	})
}
