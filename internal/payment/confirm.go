package payment

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/db"
	"holdfast/internal/lock"
	"holdfast/internal/problem"
	"holdfast/internal/wallet"
)

// locked is what a transaction holds besides the lock of a booking's balance: a wallet, and the dates of a hold that it
// confirms. Each is nil unless it is held.
type locked struct {
	wallet *lockedWallet
	hold   *db.DatesTx
}

// datesNeeded is the error of a transaction that would confirm a hold and doesn't hold the locks of its dates. It wrote
// nothing.
type datesNeeded struct{ dates lock.DateKeys }

func (*datesNeeded) Error() string { return "payment: the dates of the hold aren't locked" }

// maxMoves is how often in a row a hold may be found at other dates than those that were locked.
const maxMoves = 5

// balance serves a request, nil for a change without a key: it runs decide in a transaction that holds the lock
// `{tenant}:balance:{booking}`, and with a wallet's id also the lock `{tenant}:wallet:{wallet}`. If decide returns
// datesNeeded, it runs again in a transaction that also holds the locks `{tenant}:{date}` of these dates: most payments
// confirm nothing, and wait for no date. Errors: problem.NotFound for a wallet that doesn't exist; problem.LockTimeout
// for a hold that keeps moving; those of db.DB.Balance.
func (s *Service) balance(ctx context.Context, request *db.Request, tenant, booking uuid.UUID, walletID *uuid.UUID,
	read balanceRead,
	decide func(*db.BalanceTx, balanceState, locked) error,
) error {
	var wallets *lock.WalletKeys
	if walletID != nil {
		keys, err := lock.Wallets(tenant, *walletID)
		if err != nil {
			return fmt.Errorf("name the lock of a wallet: %w", err)
		}
		wallets = &keys
	}
	var dates *lock.DateKeys
	var err error
	for range 1 + maxMoves {
		err = s.underLocks(ctx, request, lock.Balance(tenant, booking), dates, wallets, read, decide)
		var needed *datesNeeded
		if !errors.As(err, &needed) {
			return err
		}
		dates = &needed.dates
	}
	return problem.Wrap(err, problem.LockTimeout, "The booking keeps moving. Nothing was written.").Retry(time.Second)
}

// underLocks runs decide in a transaction that holds a booking's balance lock, and the locks of dates and wallets that
// aren't nil. What read asks for was read after the locks were granted.
func (s *Service) underLocks(ctx context.Context, request *db.Request, key lock.BalanceKey, dates *lock.DateKeys,
	wallets *lock.WalletKeys,
	read balanceRead, decide func(*db.BalanceTx, balanceState, locked) error,
) error {
	return s.db.Balance(ctx, request, key, dates, wallets,
		func(tx *db.BalanceTx, dtx *db.DatesTx, wtx *db.WalletTx) func() error {
			st := new(balanceState)
			queueReads(tx, read, st)
			var rows *wallet.LockedRows
			if wtx != nil {
				rows = wallet.ReadLocked(wtx)
			}
			return func() error {
				st.Now, st.Begun = tx.Now(), tx.Begun()
				return withWallet(wtx, rows,
					func(w *lockedWallet) error { return decide(tx, *st, locked{wallet: w, hold: dtx}) })
			}
		})
}

// ofBalance is balance for what changes neither a wallet nor a hold.
func (s *Service) ofBalance(ctx context.Context, request *db.Request, tenant, booking uuid.UUID, read balanceRead,
	decide func(*db.BalanceTx, balanceState) error,
) error {
	return s.underLocks(ctx, request, lock.Balance(tenant, booking), nil, nil, read,
		func(tx *db.BalanceTx, st balanceState, _ locked) error { return decide(tx, st) })
}

// withWallet runs decide with the wallet that a transaction has locked, and queues its ledger. Without a wallet's
// transaction decide gets none. Errors: problem.NotFound for a wallet that doesn't exist.
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

// confirmPaidHold confirms the booking after a payment that succeeded, if it is a hold that its deposit confirms.
// st.Changing is the booking after the payment. Errors: datesNeeded.
func (s *Service) confirmPaidHold(tenant uuid.UUID, st balanceState, hold *db.DatesTx) error {
	paid, confirms, err := booking.PaidHoldOf(tenant, st.Changing, st.Now)
	switch {
	case err != nil || !confirms:
		return err
	case hold == nil || !hold.Holds(paid.Dates):
		return &datesNeeded{paid.Dates}
	}
	return s.cfg.Bookings.ConfirmPaidHold(hold, paid, st.Now)
}
