package wallet

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/event"
	"holdfast/internal/problem"
)

// SnapshotEvery is after how many entries a snapshot of a wallet is written: a state of any time needs at most so many
// entries.
const SnapshotEvery = 256

// LedgerTransaction is the entries and postings of one commit. Its methods check a command against the wallet and
// change the wallet. A method that returns an error has changed nothing but ended credit that has expired.
type LedgerTransaction struct {
	id       uuid.UUID
	now      time.Time
	changes  []change
	postings []posting
	planned  []db.NewEvent
}

// change is one entry with what it does to the wallet's row.
type change struct {
	wallet  Wallet // after the entry
	entry   Entry
	balance int64 // what the entry adds to the balance
	held    int64 // what it adds to what is held
}

// account is what a posting takes from, or gives to.
type account struct {
	name   string
	wallet *uuid.UUID
}

// The accounts of a tenant in one currency. What customers have is the sum of all wallets, and the negative sum of
// these.
var (
	issued   = account{name: "issued"}   // credits come from it
	redeemed = account{name: "redeemed"} // what is spent goes to it
	expired  = account{name: "expired"}  // what expires goes to it
	refunds  = account{name: "refunds"}  // refunds of bookings come from it
)

func availableOf(w *Wallet) account { return account{"available", &w.ID} }
func heldOf(w *Wallet) account      { return account{"held", &w.ID} }

// NewLedgerTransaction returns a ledger transaction without entries at a time of the database's clock.
func NewLedgerTransaction(now time.Time) *LedgerTransaction {
	return &LedgerTransaction{id: uuid.Must(uuid.NewV7()), now: now.UTC()}
}

// add adds an entry to the wallet. Times never fall from one entry of a wallet to the next.
func (m *LedgerTransaction) add(w *Wallet, e Entry) error {
	e.Version, e.LedgerTransactionID, e.OccurredAt = w.Version+1, m.id, m.now
	if w.UpdatedAt.After(m.now) {
		e.OccurredAt = w.UpdatedAt
	}
	after := *w
	if err := after.apply(e); err != nil {
		return err
	}
	e.Balance, e.Held = after.Balance, after.Held
	m.changes = append(m.changes,
		change{wallet: after, entry: e, balance: after.Balance - w.Balance, held: after.Held - w.Held})
	*w = after
	return nil
}

// post adds a posting. An amount of zero adds none.
func (m *LedgerTransaction) post(from, to account, currency string, amount int64) {
	if amount == 0 {
		return
	}
	m.postings = append(m.postings, posting{
		MovementID:  m.id,
		Position:    int16(len(m.postings)),
		FromAccount: from.name,
		FromWallet:  from.wallet,
		ToAccount:   to.name,
		ToWallet:    to.wallet,
		Currency:    currency,
		Amount:      amount,
	})
}

// open adds the first entry of a wallet.
func (m *LedgerTransaction) open(w *Wallet) error { return m.add(w, Entry{Type: Opened}) }

// Expire ends the credit that has expired.
func (m *LedgerTransaction) Expire(w *Wallet) error {
	batches := slices.Clone(w.expired(m.now))
	if len(batches) == 0 {
		return nil
	}
	amount := sum(batches)
	m.post(availableOf(w), expired, w.Currency, amount)
	return m.add(w, Entry{Type: Expired, Amount: amount, Batches: batches})
}

// Credit adds credit. It expires at a time if there is one. Errors: problem.ValidationFailed if it has expired already
// or expires after the year 9000, or if the balance would be too great; problem.InvalidState if the wallet has too many
// batches.
func (m *LedgerTransaction) Credit(w *Wallet, amount int64, expiresAt *time.Time, d Description) error {
	e := Entry{Type: Credited, Amount: amount, Reason: d.Reason, Reference: d.Reference}
	if expiresAt != nil {
		at := expiresAt.UTC().Truncate(time.Microsecond) // as the database keeps the time of the scheduled event
		switch {
		case !at.After(m.now):
			return problem.Invalid("expires_at", "in_the_past", "Expected a time to come.")
		case at.Year() > maxYear:
			return problem.Invalid("expires_at", "out_of_range", "Expected a time before the year 9001.")
		}
		e.Batches = []CreditBatch{{at, amount}}
	}
	return m.receive(w, issued, e)
}

// Refund returns what was paid for a booking. The credit doesn't expire: what expired while it was spent is not lost to
// the customer. Errors: problem.ValidationFailed if the balance would be too great.
func (m *LedgerTransaction) Refund(w *Wallet, amount int64, booking, payment uuid.UUID) error {
	return m.receive(w, refunds, Entry{Type: Refunded, Amount: amount, BookingID: &booking, PaymentID: &payment})
}

// receive adds an entry that adds credit from an account.
func (m *LedgerTransaction) receive(w *Wallet, from account, e Entry) error {
	if err := m.Expire(w); err != nil {
		return err
	}
	after := *w
	after.addBatches(e.Batches)
	switch {
	case e.Amount > MaxAmount-w.Balance:
		return problem.Invalid("amount", "too_large", "The wallet would hold more than 9007199254740991.")
	case after.batches() > max(maxBatches, w.batches()):
		return problem.New(problem.InvalidState,
			"The wallet has 200 credits that expire, those that are held included, and takes no more that expires at another time.")
	}
	for _, l := range e.Batches {
		m.planned = append(m.planned, planExpiry(w.ID, l.ExpiresAt))
	}
	m.post(from, availableOf(w), w.Currency, e.Amount)
	return m.add(w, e)
}

// Debit spends credit: what expires soonest first. Errors, as of all that spends: problem.InsufficientFunds.
func (m *LedgerTransaction) Debit(w *Wallet, amount int64, d Description) error {
	return m.spend(w, redeemed, Entry{Type: Debited, Amount: amount, Reason: d.Reason, Reference: d.Reference})
}

// Pay spends credit on a payment of a booking.
func (m *LedgerTransaction) Pay(w *Wallet, amount int64, booking, payment uuid.UUID) error {
	return m.spend(w, redeemed, Entry{Type: Paid, Amount: amount, BookingID: &booking, PaymentID: &payment})
}

func (m *LedgerTransaction) spend(w *Wallet, to account, e Entry) error {
	if err := m.reserve(w, e.Amount); err != nil {
		return err
	}
	m.post(availableOf(w), to, w.Currency, e.Amount)
	return m.add(w, e)
}

// reserve ends credit that has expired and checks that an amount is available.
func (m *LedgerTransaction) reserve(w *Wallet, amount int64) error {
	if err := m.Expire(w); err != nil {
		return err
	}
	if amount > w.Available() {
		return problem.New(problem.InsufficientFunds, "The wallet has less than that available.")
	}
	return nil
}

// Transfer moves credit from one wallet to another. Credit that expires keeps its time. Errors:
// problem.InsufficientFunds; problem.ValidationFailed if the wallets are one, or have different currencies; those of
// Credit.
func (m *LedgerTransaction) Transfer(from, to *Wallet, amount int64, d Description) error {
	switch {
	case from.ID == to.ID:
		return problem.Invalid("to", "same_wallet", "Expected another wallet than from.")
	case from.Currency != to.Currency:
		return problem.Invalid("to", "other_currency", "Expected a wallet of the same currency as from.")
	}
	if err := m.reserve(from, amount); err != nil {
		return err
	}
	batches, _ := split(from.Batches, amount)
	out := Entry{Type: TransferredOut, Amount: amount, OtherWalletID: &to.ID, Reason: d.Reason, Reference: d.Reference}
	in := Entry{Type: TransferredIn, Amount: amount, OtherWalletID: &from.ID, Batches: batches, Reason: d.Reason,
		Reference: d.Reference}
	if err := m.receive(to, availableOf(from), in); err != nil {
		return err
	}
	return m.add(from, out)
}

// Hold keeps an amount from being spent otherwise. Errors: problem.InsufficientFunds; problem.InvalidState if the
// wallet has too many open holds.
func (m *LedgerTransaction) Hold(w *Wallet, id uuid.UUID, amount int64, e Entry) error {
	if err := m.reserve(w, amount); err != nil {
		return err
	}
	if len(w.Holds) >= maxHolds {
		return problem.New(problem.InvalidState, "The wallet has 200 open holds. Capture or release one.")
	}
	e.Type, e.Amount, e.HoldID = Held, amount, &id
	m.post(availableOf(w), heldOf(w), w.Currency, amount)
	return m.add(w, e)
}

// Capture spends an open hold, or the amount of it; the rest can be spent again. Errors: problem.ValidationFailed if
// the amount is more than the hold's.
func (m *LedgerTransaction) Capture(w *Wallet, h Hold, amount *int64, e Entry) error {
	e.Type, e.HoldID, e.Amount = Captured, &h.ID, h.Amount
	if amount != nil {
		e.Amount = *amount
	}
	if e.Amount > h.Amount {
		return problem.Invalid("amount", "too_large", "Expected at most the amount of the hold.")
	}
	m.post(heldOf(w), redeemed, w.Currency, e.Amount)
	m.post(heldOf(w), availableOf(w), w.Currency, h.Amount-e.Amount)
	return m.end(w, e)
}

// Release ends an open hold. What it kept can be spent again.
func (m *LedgerTransaction) Release(w *Wallet, h Hold, e Entry) error {
	e.Type, e.HoldID, e.Amount = Released, &h.ID, h.Amount
	m.post(heldOf(w), availableOf(w), w.Currency, h.Amount)
	return m.end(w, e)
}

// end adds an entry that ends a hold, and ends credit that has expired while it was held.
func (m *LedgerTransaction) end(w *Wallet, e Entry) error {
	if err := m.add(w, e); err != nil {
		return err
	}
	return m.Expire(w)
}

// Write queues the ledger transaction: entries with the wallets' rows, postings, snapshots, changes and scheduled
// events. Rows are written in the order of the wallets' ids, so that transactions without the lock can't deadlock on
// them.
func (m *LedgerTransaction) Write(tx *db.WalletTx) error {
	slices.SortStableFunc(m.changes, func(a, b change) int { return bytes.Compare(a.wallet.ID[:], b.wallet.ID[:]) })
	rows := make([]entryRow, len(m.changes))
	states := make([]json.RawMessage, len(m.changes))
	for i, c := range m.changes {
		var err error
		if rows[i], err = c.entry.row(); err != nil {
			return err
		}
		rows[i].WalletID = c.wallet.ID
		if states[i], err = c.wallet.state(); err != nil {
			return err
		}
	}
	if err := m.append(tx, rows, states); err != nil {
		return err
	}
	for i, c := range m.changes {
		if c.entry.Version%SnapshotEvery == 0 {
			queueSnapshot(tx, rows[i], states[i])
		}
		recorded, err := c.record()
		if err != nil {
			return err
		}
		tx.AddChange(recorded)
	}
	for _, p := range m.postings {
		queuePosting(tx, p)
	}
	tx.PlanEvents(m.planned...)
	return nil
}

// append queues the entries with their wallets' rows: those of a transfer together, if it is all that the ledger
// transaction does.
func (m *LedgerTransaction) append(tx *db.WalletTx, rows []entryRow, states []json.RawMessage) error {
	out := slices.IndexFunc(m.changes, func(c change) bool { return c.entry.Type == TransferredOut })
	if out >= 0 && len(rows) == 2 {
		return queueTransfer(tx, rows[out], rows[1-out], states[out], states[1-out])
	}
	for i, c := range m.changes {
		if err := queueEntry(tx, rows[i], c.balance, c.held, states[i]); err != nil {
			return err
		}
	}
	return nil
}

// planExpiry returns the event that ends credit when it expires. Credit of one wallet and time has one event.
func planExpiry(wallet uuid.UUID, at time.Time) db.NewEvent {
	return event.New(event.KindWalletCreditExpiry, event.Subject{Type: event.SubjectWallet, ID: wallet},
		at.UTC().Format(time.RFC3339Nano),
		at, time.UTC)
}
