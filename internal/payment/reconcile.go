package payment

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/store"
)

// DifferenceKind is how our payments and a provider's journal differ.
type DifferenceKind string

// The kinds.
const (
	// DiffUnknownHere: money moved at the provider under a reference that we don't have.
	DiffUnknownHere DifferenceKind = "unknown_here"
	// DiffOtherTenant: the provider has another tenant than we have.
	DiffOtherTenant DifferenceKind = "other_tenant"
	// DiffOtherProvider: money moved at another provider than we think.
	DiffOtherProvider DifferenceKind = "other_provider"
	// DiffOtherKind: a payment here is a refund there, or the other way round.
	DiffOtherKind DifferenceKind = "other_kind"
	// DiffOtherTransaction: the provider has a movement of the same reference with another id: money may have moved twice.
	DiffOtherTransaction DifferenceKind = "other_movement"
	// DiffDeclinedHere: money moved at the provider, and we think that none did.
	DiffDeclinedHere DifferenceKind = "declined_here"
	// DiffAmount and DiffCurrency: more, less or other money moved than we think.
	DiffAmount   DifferenceKind = "amount"
	DiffCurrency DifferenceKind = "currency"
	// DiffNotAtProvider: we think that money moved, and the provider does not, or no longer.
	DiffNotAtProvider DifferenceKind = "not_at_provider"
	// DiffProviderUnset: the payment's provider isn't configured, so that it can't be asked.
	DiffProviderUnset DifferenceKind = "provider_not_configured"
	// DiffStillOpen: money moved at the provider, and the payment's end isn't known here.
	DiffStillOpen DifferenceKind = "still_open"
	// DiffStuck: no money is known to have moved, and the payment is open for longer than it may be.
	DiffStuck DifferenceKind = "stuck"
	// DiffKept: the payment must be refunded, because its hold expired or an automatic refund was begun, and something of it is
	// neither refunded nor on its way back.
	DiffKept DifferenceKind = "kept"
)

// Transfer is a movement of money as one side knows it. Amount is in minor units of Currency.
type Transfer struct {
	Provider   string
	ProviderID string
	Refund     bool
	Status     string
	Amount     int64
	Currency   string
}

// Difference is one difference between our payments and a provider's journal. Ours or Theirs is nil where a side knows
// nothing, or wasn't asked.
type Difference struct {
	Kind         DifferenceKind
	Reference    Reference
	Ours, Theirs *Transfer
}

// Reconciliation is what a comparison found. Movements and Payments are how many were compared, and Open how many of these
// payments have no end and time left for one: they are no difference.
type Reconciliation struct {
	Transactions, Payments, Open int
	Differences                  []Difference
}

// reconcileGrace is how long after its time a payment may still be open: the longest pause between two attempts to cancel it,
// and some.
const reconcileGrace = 15 * time.Minute

// reconcileBatch is how many movements or payments are compared at a time.
const reconcileBatch = 500

// Reconcile compares the payments of all tenants with the journals of the configured providers, from from up to but not
// including until: each movement at a provider with the payment that it names, each payment that was in the air in the
// period and succeeded with its movement, also when that lies outside the period, and each that was begun before until and
// is open, which counts as a difference only when it should have an end by now. It changes nothing here and takes no lock.
//
// Errors: problem.DatabaseUnavailable, and that a provider could not be asked.
func (s *Service) Reconcile(ctx context.Context, from, until time.Time) (Reconciliation, error) {
	r := reconciler{service: s, compared: map[Reference]string{}}
	for _, name := range slices.Sorted(maps.Keys(s.providers)) {
		if err := r.compareTransactions(ctx, s.providers[name], from, until); err != nil {
			return r.found, err
		}
	}
	return r.found, r.comparePayments(ctx, from, until)
}

type reconciler struct {
	service  *Service
	found    Reconciliation
	compared map[Reference]string // the provider's ids of the movements of payments of which all is said
}

func (r *reconciler) report(kind DifferenceKind, ref Reference, ours, theirs *Transfer) {
	r.found.Differences = append(r.found.Differences, Difference{Kind: kind, Reference: ref, Ours: ours, Theirs: theirs})
}

// compareTransactions compares a provider's journal with our payments.
func (r *reconciler) compareTransactions(ctx context.Context, p Provider, from, until time.Time) error {
	var batch []ProviderTransaction
	for m, err := range p.Transactions(ctx, from, until) {
		if err != nil {
			return fmt.Errorf("read the journal of %s: %w", p.Name(), err)
		}
		if batch = append(batch, m); len(batch) == reconcileBatch {
			if err := r.compareBatch(ctx, p.Name(), batch); err != nil {
				return err
			}
			batch = batch[:0]
		}
	}
	return r.compareBatch(ctx, p.Name(), batch)
}

func (r *reconciler) compareBatch(ctx context.Context, provider string, batch []ProviderTransaction) error {
	if len(batch) == 0 {
		return nil
	}
	refs := make([]store.PaymentRef, len(batch))
	for i, m := range batch {
		refs[i] = storeReference(m.Reference)
	}
	rows, err := r.service.store.PaymentsByReference(ctx, refs)
	if err != nil {
		return err
	}
	known := map[store.PaymentRef]store.ReconcilePayment{}
	for _, row := range rows {
		known[store.PaymentRef{TenantID: row.TenantID, PaymentID: row.PaymentID}] = row
	}
	r.found.Transactions += len(batch)
	var missing []ProviderTransaction
	for _, m := range batch {
		row, ok := known[storeReference(m.Reference)]
		if !ok {
			missing = append(missing, m)
			continue
		}
		ours, theirs := ourTransfer(row), providerTransfer(provider, m)
		kinds := differences(ours, theirs)
		if before, ok := r.compared[m.Reference]; ok && before != m.ProviderID && !slices.Contains(kinds, DiffOtherTransaction) {
			kinds = append(kinds, DiffOtherTransaction)
		}
		for _, kind := range kinds {
			r.report(kind, m.Reference, ours, theirs)
		}
		// A movement that isn't the payment's own says nothing of that one.
		if !slices.Contains(kinds, DiffOtherTransaction) {
			r.compared[m.Reference] = m.ProviderID
		}
	}
	return r.reportUnknown(ctx, provider, missing)
}

// reportUnknown reports movements that name payments which their tenants don't have.
func (r *reconciler) reportUnknown(ctx context.Context, provider string, missing []ProviderTransaction) error {
	if len(missing) == 0 {
		return nil
	}
	ids := make([]uuid.UUID, len(missing))
	for i, m := range missing {
		ids[i] = m.Reference.ID
	}
	owned, err := r.service.store.PaymentOwners(ctx, ids)
	if err != nil {
		return err
	}
	rows, err := r.service.store.PaymentsByReference(ctx, owned)
	if err != nil {
		return err
	}
	elsewhere := map[uuid.UUID]store.ReconcilePayment{}
	for _, row := range rows {
		elsewhere[row.PaymentID] = row
	}
	for _, m := range missing {
		row, ok := elsewhere[m.Reference.ID]
		if !ok {
			r.report(DiffUnknownHere, m.Reference, nil, providerTransfer(provider, m))
			continue
		}
		r.report(DiffOtherTenant, Reference{TenantID: row.TenantID, ID: row.PaymentID}, ourTransfer(row), providerTransfer(provider, m))
	}
	return nil
}

// comparePayments compares our payments with what the providers say of them.
func (r *reconciler) comparePayments(ctx context.Context, from, until time.Time) error {
	period := store.PaymentPeriod{From: from, Until: until, Timeout: r.service.cfg.Timeout, Grace: reconcileGrace}
	var after store.PaymentRef
	for {
		rows, err := r.service.store.PaymentsInPeriod(ctx, period, after, reconcileBatch)
		if err != nil {
			return err
		}
		for _, row := range rows {
			after = store.PaymentRef{TenantID: row.TenantID, PaymentID: row.PaymentID}
			if err := r.comparePayment(ctx, row); err != nil {
				return err
			}
		}
		r.found.Payments += len(rows)
		if len(rows) < reconcileBatch {
			return nil
		}
	}
}

// comparePayment reports a payment that should have been refunded, and compares one that the journal of the period doesn't have.
func (r *reconciler) comparePayment(ctx context.Context, row store.ReconcilePayment) error {
	ref, ours := Reference{TenantID: row.TenantID, ID: row.PaymentID}, ourTransfer(row)
	if row.Kept {
		r.report(DiffKept, ref, ours, nil)
	}
	if _, said := r.compared[ref]; said {
		return nil
	}
	provider, configured := r.service.providers[row.Provider]
	switch {
	case row.Stuck:
		r.report(DiffStuck, ref, ours, nil)
		return nil
	case row.Status != string(StatusSucceeded):
		r.found.Open++
		return nil
	case !configured:
		r.report(DiffProviderUnset, ref, ours, nil)
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, r.service.cfg.CallTimeout)
	defer cancel()
	var o Outcome
	var err error
	if row.RefundOf == nil {
		o, err = provider.FindCharge(ctx, ref, ours.ProviderID)
	} else {
		var charge string
		if row.ChargeID != nil {
			charge = *row.ChargeID
		}
		o, err = provider.FindRefund(ctx, ref, ours.ProviderID, charge)
	}
	if err != nil {
		return fmt.Errorf("look %s up at %s: %w", row.PaymentID, row.Provider, err)
	}
	// A look-up tells neither kind nor currency.
	theirs := &Transfer{
		Provider: row.Provider, ProviderID: o.ProviderID, Refund: ours.Refund, Status: string(o.Result), Amount: o.Amount, Currency: row.Currency,
	}
	for _, kind := range differences(ours, theirs) {
		r.report(kind, ref, ours, theirs)
	}
	return nil
}

// differences says how a payment here and what a provider says of it differ.
func differences(ours, theirs *Transfer) (kinds []DifferenceKind) {
	if theirs.Status != string(Succeeded) {
		return []DifferenceKind{DiffNotAtProvider}
	}
	add := func(differs bool, kind DifferenceKind) {
		if differs {
			kinds = append(kinds, kind)
		}
	}
	succeeded := ours.Status == string(StatusSucceeded)
	declined := ours.Status == string(StatusDeclined)
	add(!succeeded && !declined, DiffStillOpen)
	add(declined, DiffDeclinedHere)
	add(ours.Provider != theirs.Provider, DiffOtherProvider)
	add(ours.Refund != theirs.Refund, DiffOtherKind)
	add(ours.ProviderID != theirs.ProviderID && (succeeded || ours.ProviderID != ""), DiffOtherTransaction)
	add(ours.Amount != theirs.Amount, DiffAmount)
	add(ours.Currency != theirs.Currency, DiffCurrency)
	return kinds
}

func storeReference(r Reference) store.PaymentRef {
	return store.PaymentRef{TenantID: r.TenantID, PaymentID: r.ID}
}

func ourTransfer(row store.ReconcilePayment) *Transfer {
	m := &Transfer{Provider: row.Provider, Refund: row.RefundOf != nil, Status: row.Status, Amount: row.Amount, Currency: row.Currency}
	if row.ProviderID != nil {
		m.ProviderID = *row.ProviderID
	}
	return m
}

func providerTransfer(provider string, m ProviderTransaction) *Transfer {
	return &Transfer{Provider: provider, ProviderID: m.ProviderID, Refund: m.Refund, Status: string(Succeeded), Amount: m.Amount, Currency: m.Currency}
}
