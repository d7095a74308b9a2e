package wallet

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// Type is what an entry did.
type Type string

// The types.
const (
	Opened   Type = "opened"
	Credited Type = "credited"
	Debited  Type = "debited"
	// TransferredOut and TransferredIn are the two entries of a transfer.
	TransferredOut Type = "transferred_out"
	TransferredIn  Type = "transferred_in"
	Held           Type = "held"
	// Captured spends a hold, or a part of it. The rest can be spent again.
	Captured Type = "captured"
	Released Type = "released"
	// Expired ends credit that wasn't spent in time.
	Expired Type = "expired"
	// Paid is a payment of a booking, Refunded the refund of one.
	Paid     Type = "paid"
	Refunded Type = "refunded"
)

// Entry is one change of a wallet.
type Entry struct {
	// Version is the wallet's version after the entry: 1 for the first, and no version is left out.
	Version int64
	// LedgerTransactionID is shared by the two entries of a transfer, and by an entry and its postings.
	LedgerTransactionID uuid.UUID
	Type                Type
	// Amount is zero for Opened and positive for all others.
	Amount int64
	// Balance and Held are the wallet's after the entry.
	Balance, Held int64
	// HoldID is the hold that the entry begins or ends.
	HoldID *uuid.UUID
	// OtherWalletID is the other wallet of a transfer.
	OtherWalletID *uuid.UUID
	// BookingID is the booking that the entry pays, refunds, or holds an amount for. PaymentID is the payment or refund
	// that the entry belongs to: the row of the provider wallet, or of Held and Released the payment by card that has
	// the hold.
	BookingID, PaymentID *uuid.UUID
	// Batches are the amounts that expire of the credit that the entry adds, or that it ends.
	Batches []CreditBatch
	// Reason and Reference are the client's own words; empty without any.
	Reason, Reference string
	OccurredAt        time.Time
}

// Available is what could be spent after the entry.
func (e Entry) Available() int64 { return e.Balance - e.Held }

func (e Entry) row() (entryRow, error) {
	row := entryRow{
		Version:       e.Version,
		MovementID:    e.LedgerTransactionID,
		Type:          string(e.Type),
		Amount:        e.Amount,
		Balance:       e.Balance,
		Held:          e.Held,
		HoldID:        e.HoldID,
		OtherWalletID: e.OtherWalletID,
		BookingID:     e.BookingID,
		PaymentID:     e.PaymentID,
		OccurredAt:    e.OccurredAt,
	}
	if e.Reason != "" {
		row.Reason = &e.Reason
	}
	if e.Reference != "" {
		row.Reference = &e.Reference
	}
	if len(e.Batches) == 0 {
		return row, nil
	}
	var err error
	if row.Batches, err = json.Marshal(e.Batches); err != nil {
		return row, fmt.Errorf("encode the batches of an entry: %w", err)
	}
	return row, nil
}

func entryFromRow(row entryRow) (Entry, error) {
	e := Entry{
		Version:             row.Version,
		LedgerTransactionID: row.MovementID,
		Type:                Type(row.Type),
		Amount:              row.Amount,
		Balance:             row.Balance,
		Held:                row.Held,
		HoldID:              row.HoldID,
		OtherWalletID:       row.OtherWalletID,
		BookingID:           row.BookingID,
		PaymentID:           row.PaymentID,
		OccurredAt:          row.OccurredAt.UTC(),
	}
	if row.Reason != nil {
		e.Reason = *row.Reason
	}
	if row.Reference != nil {
		e.Reference = *row.Reference
	}
	if row.Batches == nil {
		return e, nil
	}
	if err := json.Unmarshal(row.Batches, &e.Batches); err != nil {
		return e, fmt.Errorf("read the batches of an entry: %w", err)
	}
	return e, nil
}
