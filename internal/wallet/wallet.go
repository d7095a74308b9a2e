package wallet

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/etag"
)

// MaxAmount is the greatest amount of an entry and the greatest balance: whole numbers above it aren't exact in every
// reader of JSON.
const MaxAmount = 1<<53 - 1

const (
	maxBatches = 200 // of a wallet and its holds, before holds divide them: its row stays small
	maxHolds   = 200 // open, of a wallet
	// maxYear is the last year of a time, as of dates elsewhere: in every time zone it has four digits.
	maxYear = 9000
)

// Wallet is the credit of a customer in one currency, or of whoever knows its code.
type Wallet struct {
	ID uuid.UUID
	// CustomerID is nil for a wallet with a code.
	CustomerID *uuid.UUID
	Currency   string
	// Balance includes Held, which is what open holds keep.
	Balance, Held int64
	// Batches are what is left of credits that expire, without what is held, the soonest first.
	Batches []CreditBatch
	// Holds are the open holds, the oldest first.
	Holds []Hold
	// Version is that of the last entry.
	Version              int64
	CreatedAt, UpdatedAt time.Time

	// expiredBatches is how many batches Current has left out, which no entry has ended yet.
	expiredBatches int
}

// CreditBatch is credit that expires at a time.
type CreditBatch struct {
	ExpiresAt time.Time `json:"expires_at"`
	Amount    int64     `json:"amount"`
}

// Hold keeps an amount from being spent until it is captured or released. Credit doesn't expire while it is held.
type Hold struct {
	ID     uuid.UUID `json:"id"`
	Amount int64     `json:"amount"`
	// Batches are those of the amount that expire; the rest doesn't.
	Batches []CreditBatch `json:"batches,omitempty"`
	// Payment says that a payment holds the amount: ID is the payment's, and the hold ends with it.
	Payment bool `json:"payment,omitempty"`
}

// Available is what can be spent: the balance without what is held.
func (w Wallet) Available() int64 { return w.Balance - w.Held }

// ETag returns the strong entity tag of the wallet: its version and, if Current has left out expired credit, of how
// many batches.
func (w Wallet) ETag() string {
	if w.expiredBatches == 0 {
		return etag.Of(w.Version)
	}
	return fmt.Sprintf(`"%d-%d"`, w.Version, w.expiredBatches)
}

// Current returns the wallet without the credit that has expired by a time, as a command at that time would find it.
func (w Wallet) Current(now time.Time) Wallet {
	batches := w.expired(now)
	w.Balance -= sum(batches)
	w.Batches = w.Batches[len(batches):]
	w.expiredBatches += len(batches)
	return w
}

// expired returns the batches that have expired at a time.
func (w Wallet) expired(now time.Time) []CreditBatch {
	n := 0
	for n < len(w.Batches) && !w.Batches[n].ExpiresAt.After(now) {
		n++
	}
	return w.Batches[:n]
}

// openHold returns the open hold of an id, or nil.
func (w Wallet) openHold(id uuid.UUID) *Hold {
	if i := w.indexOfHold(id); i >= 0 {
		return &w.Holds[i]
	}
	return nil
}

// batches returns how many batches the wallet has, those of its holds included.
func (w Wallet) batches() int {
	n := len(w.Batches)
	for _, h := range w.Holds {
		n += len(h.Batches)
	}
	return n
}

func (w Wallet) indexOfHold(id uuid.UUID) int {
	return slices.IndexFunc(w.Holds, func(h Hold) bool { return h.ID == id })
}

// state is the part of a wallet's projection that is stored as JSON.
type state struct {
	Batches []CreditBatch `json:"batches,omitempty"`
	Holds   []Hold        `json:"holds,omitempty"`
}

func (w Wallet) state() (json.RawMessage, error) {
	text, err := json.Marshal(state{Batches: w.Batches, Holds: w.Holds})
	if err != nil {
		return nil, fmt.Errorf("encode the state of a wallet: %w", err)
	}
	return text, nil
}

func (w *Wallet) setState(text json.RawMessage) error {
	var s state
	if err := json.Unmarshal(text, &s); err != nil {
		return fmt.Errorf("read the state of a wallet: %w", err)
	}
	w.Batches, w.Holds = s.Batches, s.Holds
	return nil
}

func fromRow(row walletRow) (Wallet, error) {
	w := Wallet{
		ID:         row.WalletID,
		CustomerID: row.CustomerID,
		Currency:   row.Currency,
		Balance:    row.Balance,
		Held:       row.Held,
		Version:    row.Version,
		CreatedAt:  row.CreatedAt.UTC(),
		UpdatedAt:  row.UpdatedAt.UTC(),
	}
	err := w.setState(row.State)
	return w, err
}
