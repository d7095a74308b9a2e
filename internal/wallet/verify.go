package wallet

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
)

// Verification is what Operator.Verify looked at and found.
type Verification struct {
	Tenants int   `json:"tenants"`
	Wallets int   `json:"wallets"`
	Entries int64 `json:"entries"`
	// Found counts all differences. Differences has the first 1000.
	Found       int          `json:"found"`
	Differences []Difference `json:"differences"`
}

func (v *Verification) find(kind DifferenceKind, tenant uuid.UUID, wallet *uuid.UUID, detail string, args ...any) {
	if v.Found++; v.Found <= maxDifferences {
		v.Differences = append(v.Differences,
			Difference{Kind: kind, TenantID: tenant, WalletID: wallet, Detail: fmt.Sprintf(detail, args...)})
	}
}

// Verify compares the wallets of one tenant, or of all, with their entries, snapshots, postings and payments. It takes
// no lock and may run beside servers: the row of a wallet is read first, and the entries up to its version never
// change. It keeps a page in memory. Errors: an unknown tenant; problem.DatabaseUnavailable.
func (op *Operator) Verify(ctx context.Context, tenant string) (Verification, error) {
	v := Verification{Differences: []Difference{}}
	err := op.eachTenant(ctx, tenant, func(id uuid.UUID) error {
		v.Tenants++
		if err := op.eachWallet(ctx, id, nil, func(row projectionRow) error {
			return op.verifyWallet(ctx, id, row, &v)
		}); err != nil {
			return err
		}
		m, err := op.mismatches(ctx, id, maxDifferences)
		v.addMismatches(id, m)
		return err
	})
	return v, err
}

// verifyWallet folds the entries of a wallet and compares its snapshots and its row with the fold.
func (op *Operator) verifyWallet(ctx context.Context, tenant uuid.UUID, row projectionRow, v *Verification) error {
	v.Wallets++
	w := newFold(row)
	snapshots := snapshotReader{reader: op.reader, tenant: tenant, row: row}
	err := op.fold(ctx, tenant, &w, row.Version, func(w Wallet) error {
		v.Entries++
		s, err := snapshots.snapshot(ctx, w.Version)
		if err != nil || s == nil {
			return err
		}
		what := w.difference(s.Balance, s.Held, s.State)
		if what == "" && !s.OccurredAt.Equal(w.UpdatedAt) {
			what = "it has another time than its entry"
		}
		if what != "" {
			v.find(BadSnapshot, tenant, &row.WalletID, "Snapshot %d: %s.", s.Version, what)
		}
		return nil
	})
	if bad, isBad := errors.AsType[notFoldingError](err); isBad {
		v.find(BadStream, tenant, &row.WalletID, "%v.", bad)
		return nil
	}
	if err != nil {
		return err
	}
	if what := rowDifference(w, row); what != "" {
		v.find(BadProjection, tenant, &row.WalletID, "%s.", what)
	}
	return nil
}

// newFold returns the wallet of a row without any entries.
func newFold(row projectionRow) Wallet {
	return Wallet{ID: row.WalletID, Currency: row.Currency, CreatedAt: row.CreatedAt.UTC(),
		UpdatedAt: row.CreatedAt.UTC()}
}

// rowDifference says how a row differs from a wallet that was folded up to the row's version, or nothing.
func rowDifference(w Wallet, row projectionRow) string {
	switch {
	case row.Version < 1:
		return "the wallet has no entries"
	case row.LastEntry != row.Version:
		return fmt.Sprintf("the row has version %d and the last entry %d", row.Version, row.LastEntry)
	case !row.UpdatedAt.Equal(w.UpdatedAt):
		return "the row has another time than the last entry"
	}
	return w.difference(row.Balance, row.Held, row.State)
}

// difference says how what was stored of a wallet differs from it, or nothing.
func (w Wallet) difference(balance, held int64, text []byte) string {
	if balance != w.Balance || held != w.Held {
		return fmt.Sprintf("balance %d and held %d are stored, and the entries give %d and %d", balance, held,
			w.Balance, w.Held)
	}
	var stored Wallet
	if err := stored.setState(text); err != nil {
		return err.Error()
	}
	got, errGot := stored.state()
	want, errWant := w.state()
	switch {
	case errors.Join(errGot, errWant) != nil:
		return errors.Join(errGot, errWant).Error()
	case !bytes.Equal(got, want):
		return fmt.Sprintf("the batches and holds %s are stored, and the entries give %s", got, want)
	}
	return ""
}

// snapshotReader reads the snapshots of a wallet by version, a page at a time.
type snapshotReader struct {
	reader
	tenant uuid.UUID
	row    projectionRow
	page   []snapshotRow
	read   int64 // up to which version
}

// snapshot returns the snapshot of a version, nil if there is none. Versions that are asked for rise by one.
func (r *snapshotReader) snapshot(ctx context.Context, version int64) (*snapshotRow, error) {
	if version > r.read {
		r.read = r.row.Version
		var err error
		if r.page, err = r.snapshots(ctx, r.tenant, r.row.WalletID, version-1, r.read, snapshotsAtOnce); err != nil {
			return nil, err
		}
		if len(r.page) == snapshotsAtOnce {
			r.read = r.page[snapshotsAtOnce-1].Version
		}
	}
	if len(r.page) == 0 || r.page[0].Version != version {
		return nil, nil
	}
	s := r.page[0]
	r.page = r.page[1:]
	return &s, nil
}

func (v *Verification) addMismatches(tenant uuid.UUID, m mismatches) {
	for _, p := range m.postings {
		v.find(BadPostings, tenant, &p.WalletID,
			"In %s, the postings add up to %s available and %s held, and the wallet has %s and %s.",
			p.Currency, p.PostedAvailable, p.PostedHeld, p.Available, p.Held)
	}
	for _, s := range m.sums {
		v.find(BadSum, tenant, nil,
			"In %s, the wallets and the accounts issued, redeemed, expired and refunds add up to %s instead of 0.",
			s.Currency, s.Difference)
	}
	for _, p := range m.payments {
		var id *uuid.UUID
		if parsed, err := uuid.Parse(p.WalletID); err == nil {
			id = &parsed
		}
		v.find(BadPayment, tenant, id,
			"Payment %s succeeded with %d, and %d entries of the type %s add up to %s, or name another booking or wallet.",
			p.PaymentID, p.Amount, p.Entries, p.Type, p.Entered)
	}
	for _, h := range m.holds {
		v.find(BadHold, tenant, &h.WalletID,
			"The hold %s of a payment is open and no open payment holds this amount, or the other way round.", h.HoldID)
	}
	for _, id := range m.orphans {
		v.find(BadStream, tenant, &id, "There are entries of this wallet, and no row.")
	}
}
