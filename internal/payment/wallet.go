package payment

import (
	"fmt"
	"slices"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/wallet"
)

// lockedWallet is a wallet in a transaction that holds its lock. The transaction writes its ledger.
type lockedWallet struct {
	ledger *wallet.LedgerTransaction
	wallet *wallet.Wallet
}

// walletToChange returns the wallet that an outcome of the payment changes, or nil.
func walletToChange(p paymentRow) *uuid.UUID {
	if p.WalletHeld || p.Provider == walletProvider {
		return p.WalletID
	}
	return nil
}

// move moves the credit of a payment from the wallet, or of its refund to the wallet. Errors:
// problem.InsufficientFunds.
func (w *lockedWallet) move(booking uuid.UUID, p newPayment) error {
	move := w.ledger.Pay
	if p.RefundOf != nil {
		move = w.ledger.Refund
	}
	return move(w.wallet, p.Amount, booking, p.PaymentID)
}

// insertSucceeded queues a payment from a wallet, an offline payment, or a refund of one, as succeeded, and the event
// that tells of it.
func insertSucceeded(tx *db.BalanceTx, st balanceState, booking uuid.UUID, p newPayment) (Payment, error) {
	queueSucceeded(tx, p)
	made := fromRow(paymentRow{
		PaymentID:     p.PaymentID,
		BookingID:     booking,
		RefundOf:      p.RefundOf,
		Kind:          p.Kind,
		Status:        string(StatusSucceeded),
		Amount:        p.Amount,
		Currency:      p.Currency,
		LowersOwed:    p.LowersOwed,
		LowersFee:     p.LowersFee,
		Method:        p.Method,
		Provider:      p.Provider,
		WalletID:      p.WalletID,
		CardPaymentID: p.CardPaymentID,
		Metadata:      p.Metadata,
		Note:          p.Note,
		MovedAt:       p.MovedAt,
		CreatedAt:     st.Now,
		UpdatedAt:     st.Now,
	})
	return made, recordMoney(tx, st, Payment{}, made, 0)
}

// hold has the wallet hold its part of a payment by card until the payment's outcome is known. Errors:
// problem.InsufficientFunds; problem.InvalidState if the wallet has too many holds.
func (w *lockedWallet) hold(booking uuid.UUID, p newPayment) error {
	return w.ledger.Hold(w.wallet, p.PaymentID, *p.WalletAmount,
		wallet.Entry{BookingID: &booking, PaymentID: &p.PaymentID})
}

// endHold ends what the wallet holds for a payment by card whose outcome is known. The wallet pays its part if pays is
// true: endHold then returns the payment to insert. Otherwise the part can be spent again.
func (w *lockedWallet) endHold(row *paymentRow, pays bool) (*newPayment, error) {
	i := slices.IndexFunc(w.wallet.Holds, func(h wallet.Hold) bool { return h.ID == row.PaymentID })
	if i < 0 {
		return nil, fmt.Errorf("payment: the wallet %s holds nothing for %s", w.wallet.ID, row.PaymentID)
	}
	row.WalletHeld = false
	if !pays {
		row.WalletAmount = nil
		return nil, w.ledger.Release(w.wallet, w.wallet.Holds[i],
			wallet.Entry{BookingID: &row.BookingID, PaymentID: &row.PaymentID})
	}
	part := newPayment{
		PaymentID:     uuid.Must(uuid.NewV7()),
		Kind:          row.Kind,
		Amount:        *row.WalletAmount,
		Currency:      row.Currency,
		Provider:      walletProvider,
		WalletID:      row.WalletID,
		CardPaymentID: &row.PaymentID,
	}
	return &part, w.ledger.Capture(w.wallet, w.wallet.Holds[i], nil,
		wallet.Entry{BookingID: &row.BookingID, PaymentID: &part.PaymentID})
}
