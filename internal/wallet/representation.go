package wallet

import (
	"time"

	"github.com/google/uuid"
)

// entryKind is the kind of what changes a wallet. The API finds it with its wallet alone.
const entryKind = "wallet_entry"

// WalletBody is a wallet as the API shows it.
type WalletBody struct {
	ID         uuid.UUID         `json:"id" format:"uuid"`
	CustomerID *uuid.UUID        `json:"customer_id,omitempty" format:"uuid" doc:"Absent for a wallet with a code."`
	Currency   string            `json:"currency" example:"EUR"`
	Balance    int64             `json:"balance" example:"5000" doc:"Minor units of currency, held amounts included."`
	Held       int64             `json:"held" example:"1000" doc:"What open holds keep."`
	Available  int64             `json:"available" example:"4000" doc:"What can be spent."`
	Expiring   []CreditBatchBody `json:"expiring" nullable:"false" doc:"How much of what is available expires, and when; the soonest first. It is spent in this order, before credit that doesn't expire."`
	Holds      []HoldBody        `json:"holds" nullable:"false" doc:"The open holds, the oldest first."`
	Version    int64             `json:"version" example:"3" doc:"The version of the last entry."`
	CreatedAt  time.Time         `json:"created_at"`
	UpdatedAt  time.Time         `json:"updated_at"`
}

// CreditBatchBody is credit that expires.
type CreditBatchBody struct {
	Amount    int64     `json:"amount" example:"500"`
	ExpiresAt time.Time `json:"expires_at"`
}

// HoldBody is an open hold.
type HoldBody struct {
	ID     uuid.UUID `json:"id" format:"uuid" doc:"That of the payment, if a payment holds the amount."`
	Amount int64     `json:"amount" example:"1000"`
}

// EntryBody is one change of a wallet.
type EntryBody struct {
	Version             int64             `json:"version" example:"3" doc:"The wallet's version after it. No version is left out."`
	LedgerTransactionID uuid.UUID         `json:"movement_id" format:"uuid" doc:"The entries of one request share it."`
	Type                Type              `json:"type" enum:"opened,credited,debited,transferred_in,transferred_out,held,captured,released,expired,paid,refunded" example:"debited"`
	Amount              int64             `json:"amount" example:"1000"`
	Balance             int64             `json:"balance" example:"5000" doc:"After the entry, as held and available."`
	Held                int64             `json:"held" example:"0"`
	Available           int64             `json:"available" example:"5000"`
	HoldID              *uuid.UUID        `json:"hold_id,omitempty" format:"uuid" doc:"The hold that it begins or ends."`
	OtherWalletID       *uuid.UUID        `json:"other_wallet_id,omitempty" format:"uuid" doc:"The other wallet of a transfer."`
	BookingID           *uuid.UUID        `json:"booking_id,omitempty" format:"uuid" doc:"The booking that it pays, or refunds."`
	PaymentID           *uuid.UUID        `json:"payment_id,omitempty" format:"uuid"`
	Expiring            []CreditBatchBody `json:"expiring,omitempty" doc:"Of the credit that it adds or ends: what expires, and when."`
	Reason              string            `json:"reason,omitempty" example:"Goodwill"`
	Reference           string            `json:"reference,omitempty" example:"ticket 4711"`
	OccurredAt          time.Time         `json:"occurred_at"`
}

// LedgerTransactionBody is a wallet after a ledger transaction, with its entry.
type LedgerTransactionBody struct {
	WalletBody

	Entry EntryBody `json:"entry"`
}

// NewWalletBody is a wallet that was just made, or got another code.
type NewWalletBody struct {
	WalletBody

	Code string `json:"code,omitempty" example:"7Q2M-4KXR-9D0T-HC3V-B8NE" doc:"Of a wallet without a customer. It is shown this once: a repeated request is answered without it."`
}

// TransferBody is a transfer with both wallets after it.
type TransferBody struct {
	LedgerTransactionID uuid.UUID  `json:"movement_id" format:"uuid"`
	Amount              int64      `json:"amount" example:"1000"`
	From                WalletBody `json:"from"`
	To                  WalletBody `json:"to"`
}

// Body returns the wallet as the API shows it.
func (w Wallet) Body() WalletBody {
	b := WalletBody{
		ID:         w.ID,
		CustomerID: w.CustomerID,
		Currency:   w.Currency,
		Balance:    w.Balance,
		Held:       w.Held,
		Available:  w.Available(),
		Expiring:   batchBodies(w.Batches),
		Holds:      make([]HoldBody, len(w.Holds)),
		Version:    w.Version,
		CreatedAt:  w.CreatedAt,
		UpdatedAt:  w.UpdatedAt,
	}
	for i, h := range w.Holds {
		b.Holds[i] = HoldBody{ID: h.ID, Amount: h.Amount}
	}
	return b
}

func (w Wallet) bodyWith(e Entry) LedgerTransactionBody {
	return LedgerTransactionBody{WalletBody: w.Body(), Entry: e.Body()}
}

// Body returns the entry as the API shows it.
func (e Entry) Body() EntryBody {
	b := EntryBody{
		Version:             e.Version,
		LedgerTransactionID: e.LedgerTransactionID,
		Type:                e.Type,
		Amount:              e.Amount,
		Balance:             e.Balance,
		Held:                e.Held,
		Available:           e.Available(),
		HoldID:              e.HoldID,
		OtherWalletID:       e.OtherWalletID,
		BookingID:           e.BookingID,
		PaymentID:           e.PaymentID,
		Reason:              e.Reason,
		Reference:           e.Reference,
		OccurredAt:          e.OccurredAt,
	}
	if len(e.Batches) > 0 {
		b.Expiring = batchBodies(e.Batches)
	}
	return b
}

func batchBodies(batches []CreditBatch) []CreditBatchBody {
	list := make([]CreditBatchBody, len(batches))
	for i, l := range batches {
		list[i] = CreditBatchBody{Amount: l.Amount, ExpiresAt: l.ExpiresAt.UTC()}
	}
	return list
}
