package db

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/db/internal/core"
	"holdfast/internal/lock"
)

// BalanceTx is a transaction that holds the balance lock of a booking.
type BalanceTx struct {
	WriteTx
	booking uuid.UUID
}

// Booking is the booking whose lock is held.
func (tx *BalanceTx) Booking() uuid.UUID { return tx.booking }

// Key is the idempotency key of the request, nil for a change without one.
func (tx *BalanceTx) Key() *string {
	if tx.key.Request == nil {
		return nil
	}
	key := tx.key.Request.Key()
	return &key
}

// Begun reports whether an earlier transaction began the request's key, which has no response yet.
func (tx *BalanceTx) Begun() bool { return tx.key.Begun() }

// BeginKey queues that the request's idempotency key is taken and gets its response later.
func (tx *BalanceTx) BeginKey() { tx.key.Begin() }

// FinishKey queues the response of a key that was begun. A key that has a response keeps it.
func (tx *BalanceTx) FinishKey(key string, o Outcome) { tx.t.FinishKey(key, o) }

// RespondUnstored sets the outcome of a request that goes on. It isn't stored.
func (tx *BalanceTx) RespondUnstored(o Outcome) { tx.key.RespondUnstored(o) }

// balance returns the transaction for what needs the lock of key.
func (h held) balance(key lock.BalanceKey) *BalanceTx {
	return &BalanceTx{WriteTx: newWriteTx(h.t, h.key), booking: key.Booking()}
}

// Balance runs a transaction that holds the lock `{tenant}:balance:{booking}`. Unless dates is nil it also holds the
// locks `{tenant}:{date}` of these dates, and unless wallets is nil the lock `{tenant}:wallet:{wallet}` of each wallet:
// all of them are one set, in the order of their keys. request is what is served, nil for a change without a key; an
// earlier transaction of it may have begun the key. begin queues reads, which see what was committed before the locks
// were granted, and returns the decision; it gets no transaction for locks that weren't asked for. If the decision
// returns an error, or queues nothing, the transaction is rolled back; otherwise its writes commit together. Both may
// be run several times and must not have effects of their own: the decision finds what an earlier run wrote.
//
// It costs two round trips, one of them when nothing is written. Errors: the decision's own; what failures of
// statements mean; problem.LockTimeout, problem.DatabaseUnavailable and problem.RequestInProgress, after which nothing
// was written; problem.OutcomeUnknown; lock.ErrOtherTenant.
func (d *DB) Balance(ctx context.Context, request *Request, balance lock.BalanceKey, dates *lock.DateKeys,
	wallets *lock.WalletKeys,
	begin func(*BalanceTx, *DatesTx, *WalletTx) (decide func() error),
) error {
	sets := []lock.Set{balance.Set}
	if dates != nil {
		sets = append(sets, dates.Set)
	}
	if wallets != nil {
		sets = append(sets, wallets.Set)
	}
	locks, err := lock.Union(sets...)
	if err != nil {
		return err
	}
	w := core.Write{Doing: "change the balance", Request: request, Locks: &locks, Repeatable: true, Phased: true}
	return d.core.Run(ctx, w, func(t *core.Tx, k *core.RequestKey) func() error {
		h := held{t, k}
		var dtx *DatesTx
		var wtx *WalletTx
		if dates != nil {
			dtx = h.dates(*dates)
		}
		if wallets != nil {
			wtx = h.wallets(*wallets)
		}
		return thenClock(t, begin(h.balance(balance), dtx, wtx))
	})
}
