package wallet

import (
	"fmt"
	"slices"
)

// apply changes the wallet as the next entry says. It is the fold of a stream: commands have checked what a client
// could cause. An error means that the entry doesn't follow from the entries before it, and the wallet is of no more
// use.
func (w *Wallet) apply(e Entry) error {
	switch {
	case e.Version != w.Version+1:
		return fmt.Errorf("wallet: entry %d follows entry %d", e.Version, w.Version)
	case (e.Type == Opened) != (e.Version == 1):
		return fmt.Errorf("wallet: entry %d has the type %q", e.Version, e.Type)
	case (e.Type == Opened) != (e.Amount == 0) || e.Amount < 0:
		return fmt.Errorf("wallet: entry %d has the amount %d", e.Version, e.Amount)
	case sum(e.Batches) > e.Amount:
		return fmt.Errorf("wallet: more of entry %d expires than it has", e.Version)
	case e.Type == Expired && sum(e.Batches) < e.Amount:
		return fmt.Errorf("wallet: entry %d ends more credit than its batches", e.Version)
	case e.Version > 1 && e.OccurredAt.Before(w.UpdatedAt):
		return fmt.Errorf("wallet: entry %d is earlier than the one before it", e.Version)
	}
	switch e.Type {
	case Opened:
	case Credited, TransferredIn, Refunded:
		w.Balance += e.Amount
		w.addBatches(e.Batches)
	case Debited, TransferredOut, Paid:
		w.Balance -= e.Amount
		w.takeBatches(e.Amount)
	case Held:
		if e.HoldID == nil || w.openHold(*e.HoldID) != nil {
			return fmt.Errorf("wallet: entry %d begins no new hold", e.Version)
		}
		w.Held += e.Amount
		w.Holds = append(slices.Clip(w.Holds),
			Hold{ID: *e.HoldID, Amount: e.Amount, Batches: w.takeBatches(e.Amount), Payment: e.PaymentID != nil})
	case Captured, Released:
		if e.HoldID == nil || w.openHold(*e.HoldID) == nil {
			return fmt.Errorf("wallet: entry %d ends a hold that isn't open", e.Version)
		}
		i := w.indexOfHold(*e.HoldID)
		h := w.Holds[i]
		if e.Amount > h.Amount || e.Type == Released && e.Amount < h.Amount {
			return fmt.Errorf("wallet: entry %d ends %d of a hold of %d", e.Version, e.Amount, h.Amount)
		}
		w.Holds = slices.Delete(slices.Clone(w.Holds), i, i+1)
		w.Held -= h.Amount
		if e.Type == Captured {
			w.Balance -= e.Amount
			_, h.Batches = split(h.Batches, e.Amount)
		}
		w.addBatches(h.Batches)
	case Expired:
		w.Balance -= e.Amount
		for _, l := range e.Batches {
			if len(w.Batches) == 0 || w.Batches[0].Amount != l.Amount || !w.Batches[0].ExpiresAt.Equal(l.ExpiresAt) {
				return fmt.Errorf("wallet: entry %d ends credit that isn't there", e.Version)
			}
			w.Batches = w.Batches[1:]
		}
	default:
		return fmt.Errorf("wallet: entry %d has the type %q", e.Version, e.Type)
	}
	if w.Held < 0 || w.Balance < w.Held || sum(w.Batches) > w.Available() {
		return fmt.Errorf("wallet: entry %d spends more than there is", e.Version)
	}
	w.Version, w.UpdatedAt = e.Version, e.OccurredAt
	return nil
}

// follow is apply for an entry that was read: it also compares the entry's own balance and held with the wallet's after
// it.
func (w *Wallet) follow(e Entry) error {
	if err := w.apply(e); err != nil {
		return err
	}
	if e.Balance != w.Balance || e.Held != w.Held {
		return fmt.Errorf("wallet: entry %d has the balance %d and holds %d, but the entries give %d and %d", e.Version,
			e.Balance, e.Held,
			w.Balance, w.Held)
	}
	return nil
}

// sum returns the sum of batches.
func sum(batches []CreditBatch) (total int64) {
	for _, l := range batches {
		total += l.Amount
	}
	return total
}

// addBatches adds credit that expires. Credit of one time is one batch.
func (w *Wallet) addBatches(batches []CreditBatch) {
	w.Batches = slices.Clone(w.Batches)
	for _, l := range batches {
		i, found := slices.BinarySearchFunc(w.Batches, l,
			func(a, b CreditBatch) int { return a.ExpiresAt.Compare(b.ExpiresAt) })
		if found {
			w.Batches[i].Amount += l.Amount
		} else {
			w.Batches = slices.Insert(w.Batches, i, l)
		}
	}
}

// takeBatches removes an amount that is spent or held from the batches, the soonest first, and returns what it took.
// What expires last, or never, is spent last.
func (w *Wallet) takeBatches(amount int64) (taken []CreditBatch) {
	taken, w.Batches = split(w.Batches, amount)
	return taken
}

// split divides batches into the first ones, which add up to at most the amount, and the rest.
func split(batches []CreditBatch, amount int64) (first, rest []CreditBatch) {
	for i, l := range batches {
		if l.Amount > amount {
			rest = slices.Clone(batches[i:])
			if amount > 0 {
				first = append(first, CreditBatch{l.ExpiresAt, amount})
				rest[0].Amount -= amount
			}
			return first, rest
		}
		first, amount = append(first, l), amount-l.Amount
	}
	return first, nil
}
