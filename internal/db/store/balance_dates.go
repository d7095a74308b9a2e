package store

import (
	"context"
	"errors"

	"holdfast/internal/db"
	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
	"holdfast/internal/lock"
)

// HoldTx is a transaction that holds the balance lock of a hold and the date locks of some dates, and can confirm the hold if these are
// its dates. Only Store.BalanceAndDates makes a useful one.
type HoldTx struct{ *BalanceTx }

// Holds reports whether the transaction holds the locks of all of these dates.
func (tx *HoldTx) Holds(dates lock.DateKeys) bool { return tx.t.Holds(dates.Keys()) }

// ConfirmHold queues that the hold is confirmed and keeps its claim, and raises its version. version is the booking's as it was read,
// without the changes of its money. The booking must have been read with BalanceRead.Change. ConfirmHold returns an error, which is a
// defect of the caller, when the lock of one of the booking's dates isn't held.
func (tx *HoldTx) ConfirmHold(version int64, dates lock.DateKeys) error {
	if !tx.Holds(dates) {
		return errors.New("confirm a hold: the lock of one of its dates isn't held")
	}
	core.Exec(tx.t, "confirm the hold", func(q *dbsqlc.Queries) error {
		return q.BookingSetStatus(tx.t.Ctx, dbsqlc.BookingSetStatusParams{
			TenantID: tx.t.Tenant, BookingID: tx.booking, Version: version, Status: "confirmed", Now: tx.t.Now,
		})
	})
	keepClaim(tx.t, tx.booking)
	return nil
}

// BalanceAndDates is Balance in a transaction that also holds the locks `{tenant}:{date}` of dates and, unless wallets is nil, the lock
// `{tenant}:wallet:{wallet}` of each wallet. All locks are taken as one set, in the order of their keys. begin queues reads of the wallets;
// without wallets it isn't called, and decide gets no WalletTx. Errors: also those of db.DB.Wallets, and lock.ErrOtherTenant.
func (s *Store) BalanceAndDates(ctx context.Context, request *Request, balance lock.BalanceKey, dates lock.DateKeys,
	wallets *lock.WalletKeys,
	read BalanceRead,
	begin func(*db.WalletTx),
	decide func(*HoldTx, *db.WalletTx, BalanceState) error,
) error {
	sets := []lock.Set{balance.Set, dates.Set}
	if wallets != nil {
		sets = append(sets, wallets.Set)
	}
	locks, err := lock.Union(sets...)
	if err != nil {
		return err
	}
	return s.changeBalance(ctx, request, locks, balance, read, func(tx *BalanceTx, st *BalanceState) func() error {
		var w *db.WalletTx
		if wallets != nil {
			w = db.Held{T: tx.t, Key: tx.k}.Wallets(*wallets)
			begin(w)
		}
		return func() error { return decide(&HoldTx{BalanceTx: tx}, w, *st) }
	})
}
