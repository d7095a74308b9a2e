package payment

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/db"
	"holdfast/internal/db/store"
	"holdfast/internal/lock"
	"holdfast/internal/problem"
	"holdfast/internal/wallet"
)

// locked is what a transaction holds besides the lock of a booking's balance: a wallet, and the dates of a hold that it confirms. Each is
// nil unless it is held.
type locked struct {
	wallet *lockedWallet
	hold   *store.HoldTx
}

// datesNeeded is the error of a transaction that would confirm a hold and doesn't hold the locks of its dates. It wrote nothing.
type datesNeeded struct{ dates lock.DateKeys }

func (*datesNeeded) Error() string { return "payment: the dates of the hold aren't locked" }

// maxMoves is how often in a row a hold may be found at other dates than those that were locked.
const maxMoves = 5

// balance serves a request, nil for a change without a key: it runs decide in a transaction that holds the lock
// `{tenant}:balance:{booking}`, and with a wallet's id also the lock `{tenant}:wallet:{wallet}`. If decide returns datesNeeded, it runs
// again in a transaction that also holds the locks `{tenant}:{date}` of these dates: most payments confirm nothing, and wait for no date.
// Errors: problem.NotFound for a wallet that doesn't exist; problem.LockTimeout for a hold that keeps moving; those of
// store.Store.BalanceAndWallet and store.Store.BalanceAndDates.
func (s *Service) balance(ctx context.Context, request *store.Request, tenant, booking uuid.UUID, walletID *uuid.UUID,
	read store.BalanceRead,
	decide func(*store.BalanceTx, store.BalanceState, locked) error,
) error {
	var wallets *lock.WalletKeys
	if walletID != nil {
		keys, err := lock.Wallets(tenant, *walletID)
		if err != nil {
			return fmt.Errorf("name the lock of a wallet: %w", err)
		}
		wallets = &keys
	}
	key := lock.Balance(tenant, booking)
	err := s.withoutDates(ctx, request, key, wallets, read, decide)
	for range maxMoves {
		var needed *datesNeeded
		if !errors.As(err, &needed) {
			return err
		}
		var rows *wallet.LockedRows
		err = s.store.BalanceAndDates(ctx, request, key, needed.dates, wallets, read,
			func(tx *db.WalletTx) { rows = wallet.ReadLocked(tx) },
			func(hold *store.HoldTx, wtx *db.WalletTx, st store.BalanceState) error {
				return withWallet(wtx, rows, func(w *lockedWallet) error {
					return decide(hold.BalanceTx, st, locked{wallet: w, hold: hold})
				})
			})
	}
	return problem.Wrap(err, problem.LockTimeout, "The booking keeps moving. Nothing was written.").Retry(time.Second)
}

func (s *Service) withoutDates(ctx context.Context, request *store.Request, key lock.BalanceKey, wallets *lock.WalletKeys,
	read store.BalanceRead,
	decide func(*store.BalanceTx, store.BalanceState, locked) error,
) error {
	if wallets == nil {
		return s.store.Balance(ctx, request, key, read, func(tx *store.BalanceTx, st store.BalanceState) error {
			return decide(tx, st, locked{})
		})
	}
	var rows *wallet.LockedRows
	return s.store.BalanceAndWallet(ctx, request, key, *wallets, read,
		func(tx *db.WalletTx) { rows = wallet.ReadLocked(tx) },
		func(tx *store.BalanceTx, wtx *db.WalletTx, st store.BalanceState) error {
			return withWallet(wtx, rows, func(w *lockedWallet) error { return decide(tx, st, locked{wallet: w}) })
		})
}

// withWallet runs decide with the wallet that a transaction has locked, and queues its ledger. Without a wallet's transaction decide gets
// none. Errors: problem.NotFound for a wallet that doesn't exist.
func withWallet(wtx *db.WalletTx, rows *wallet.LockedRows, decide func(*lockedWallet) error) error {
	if wtx == nil {
		return decide(nil)
	}
	wallets, err := rows.Wallets()
	if err != nil {
		return err
	}
	if len(wallets) == 0 {
		return problem.Missing()
	}
	w := &lockedWallet{ledger: wallet.NewLedgerTransaction(wtx.Now()), wallet: wallets[0]}
	if err := decide(w); err != nil {
		return err
	}
	return w.ledger.Write(wtx)
}

// confirmPaidHold confirms the booking after a payment that succeeded, if it is a hold that its deposit confirms. st.Changing is the
// booking after the payment. Errors: datesNeeded.
func (s *Service) confirmPaidHold(tenant uuid.UUID, st store.BalanceState, hold *store.HoldTx) error {
	paid, confirms, err := booking.PaidHoldOf(tenant, st.Changing, st.Now)
	switch {
	case err != nil || !confirms:
		return err
	case hold == nil || !hold.Holds(paid.Dates):
		return &datesNeeded{paid.Dates}
	}
	return s.cfg.Bookings.ConfirmPaidHold(hold, paid, st.Now)
}
