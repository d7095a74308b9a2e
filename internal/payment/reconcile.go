package payment

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/problem"
)

// DifferenceKind names how our payment and the provider's transaction differ.
type DifferenceKind string

// The kinds.
const (
	// DiffUnknownHere: the provider's transaction refers to a payment that we don't have.
	DiffUnknownHere DifferenceKind = "unknown_here"
	// DiffOtherTenant: the provider has another tenant for the payment.
	DiffOtherTenant DifferenceKind = "other_tenant"
	// DiffOtherProvider: the transaction is at another provider than our payment.
	DiffOtherProvider DifferenceKind = "other_provider"
	// DiffOtherAccount: the transaction is in another account than our payment.
	DiffOtherAccount DifferenceKind = "other_account"
	// DiffAccountUnreachable: the platform may not act for the account any more, so what is there wasn't compared.
	DiffAccountUnreachable DifferenceKind = "account_unreachable"
	// DiffOtherKind: our payment is a refund at the provider, or the reverse.
	DiffOtherKind DifferenceKind = "other_kind"
	// DiffOtherTransaction: the provider has a transaction of the same reference with another id: the customer may have
	// been charged or refunded twice.
	DiffOtherTransaction DifferenceKind = "other_movement"
	// DiffDeclinedHere: the transaction succeeded at the provider, and our payment is declined.
	DiffDeclinedHere DifferenceKind = "declined_here"
	// DiffAmount and DiffCurrency: amount or currency differ.
	DiffAmount   DifferenceKind = "amount"
	DiffCurrency DifferenceKind = "currency"
	// DiffNotAtProvider: our payment succeeded, and the provider has no such transaction, or no longer.
	DiffNotAtProvider DifferenceKind = "not_at_provider"
	// DiffProviderUnset: the payment's provider isn't configured, so it can't be called.
	DiffProviderUnset DifferenceKind = "provider_not_configured"
	// DiffStillOpen: the transaction succeeded at the provider, and our payment is open.
	DiffStillOpen DifferenceKind = "still_open"
	// DiffStuck: our payment has been open for longer than allowed, and no transaction of it is known.
	DiffStuck DifferenceKind = "stuck"
	// DiffKept: the payment must be refunded, because its hold expired or an automatic refund was made, and part of it
	// is neither refunded nor being refunded.
	DiffKept DifferenceKind = "kept"
)

// Transfer is a charge or refund as one side records it. Amount is in minor units of Currency.
type Transfer struct {
	Provider string
	// Account is the provider's account in which it is, empty for the platform's own.
	Account    string
	ProviderID string
	Refund     bool
	Status     string
	Amount     int64
	Currency   string
}

// Difference is one difference between our payments and a provider's journal. Ours or Theirs is nil if that side has no
// record or wasn't called. One of DiffAccountUnreachable is of an account, in Theirs, or of one payment in it.
type Difference struct {
	Kind         DifferenceKind
	Reference    Reference
	Ours, Theirs *Transfer
}

// Reconciliation is the result of Reconcile. Transactions and Payments count the compared ones. Open counts the
// compared payments that are open and within their time; these are no difference.
type Reconciliation struct {
	Transactions, Payments, Open int
	Differences                  []Difference
}

// reconcileGrace is how long after its timeout a payment may still be open: the longest pause between two
// cancellations, plus a margin.
const reconcileGrace = 15 * time.Minute

// reconcileBatch is how many transactions or payments are compared at a time.
const reconcileBatch = 500

// Reconcile compares the payments of all tenants with the journals of the configured providers for the period [from,
// until). It compares each provider transaction with the payment that it names. It compares each payment that was open
// in the period and succeeded with its transaction, even if that lies outside the period. A payment created before
// until that is still open counts as a difference only after its timeout. Reconcile changes nothing and takes no lock.
//
// Errors: problem.DatabaseUnavailable; problem.ProviderUnavailable if a provider could not be called.
func (s *Service) Reconcile(ctx context.Context, from, until time.Time) (Reconciliation, error) {
	return s.reconcile(ctx, reconciler{}, from, until)
}

// ReconcileCell is Reconcile for a database that has not all tenants: transactions that name one of the tenants
// elsewhere are left out.
func (s *Service) ReconcileCell(ctx context.Context, elsewhere map[uuid.UUID]bool, from, until time.Time,
) (Reconciliation, error) {
	return s.reconcile(ctx, reconciler{elsewhere: elsewhere}, from, until)
}

// ReconcileTenant is Reconcile for the payments of one tenant. Of the providers' journals, which are those of all
// tenants, it compares the transactions that name the tenant, and those that name one of its payments.
func (s *Service) ReconcileTenant(ctx context.Context, tenant uuid.UUID, from, until time.Time,
) (Reconciliation, error) {
	return s.reconcile(ctx, reconciler{tenant: &tenant}, from, until)
}

func (s *Service) reconcile(ctx context.Context, r reconciler, from, until time.Time) (Reconciliation, error) {
	r.service, r.compared = s, make(map[Reference]string)
	for _, name := range slices.Sorted(maps.Keys(s.providers)) {
		if err := r.compareTransactions(ctx, s.providers[name], "", from, until); err != nil {
			return r.found, err
		}
		accounts, err := s.accountsAcross(ctx, name, r.tenant)
		if err != nil {
			return r.found, err
		}
		for _, account := range accounts {
			err := r.compareTransactions(ctx, s.providers[name].Account(account), account, from, until)
			if errors.Is(err, ErrNoAccount) {
				err = r.reportUnreachable(ctx, name, account)
			}
			if err != nil {
				return r.found, err
			}
		}
	}
	return r.found, r.comparePayments(ctx, from, until)
}

// reportUnreachable reports an account that can't be compared, to the tenants that have it now.
func (r *reconciler) reportUnreachable(ctx context.Context, provider, account string) error {
	tenants, err := r.service.tenantsOfAccount(ctx, provider, account)
	if err != nil {
		return err
	}
	for _, tenant := range tenants {
		if r.tenant == nil || *r.tenant == tenant {
			r.report(DiffAccountUnreachable, Reference{TenantID: tenant}, nil,
				&Transfer{Provider: provider, Account: account})
		}
	}
	return nil // payments of tenants that had it are reported one by one
}

type reconciler struct {
	service   *Service
	tenant    *uuid.UUID         // the only one that is compared; nil for all
	elsewhere map[uuid.UUID]bool // tenants that are left out
	found     Reconciliation
	compared  map[Reference]string // the provider's transaction id of each payment that is compared already
}

func (r *reconciler) report(kind DifferenceKind, ref Reference, ours, theirs *Transfer) {
	r.found.Differences = append(r.found.Differences,
		Difference{Kind: kind, Reference: ref, Ours: ours, Theirs: theirs})
}

// compareTransactions compares a provider's journal of an account, empty for the platform's own, with our payments.
// Errors: ErrNoAccount.
func (r *reconciler) compareTransactions(ctx context.Context, p Provider, account string, from, until time.Time) error {
	var batch []ProviderTransaction
	for m, err := range p.Transactions(ctx, from, until) {
		if err != nil {
			return notCompared(fmt.Errorf("read the journal of %s %s: %w", p.Name(), account, err))
		}
		if batch = append(batch, m); len(batch) == reconcileBatch {
			if err := r.compareBatch(ctx, p.Name(), account, batch); err != nil {
				return err
			}
			batch = batch[:0]
		}
	}
	return r.compareBatch(ctx, p.Name(), account, batch)
}

// notCompared returns problem.ProviderUnavailable for an error of a provider.
func notCompared(err error) error {
	return problem.Wrap(err, problem.ProviderUnavailable,
		"The payment provider could not be asked, so nothing was compared.").
		Retry(5 * time.Second)
}

func (r *reconciler) compareBatch(ctx context.Context, provider, account string, batch []ProviderTransaction) error {
	batch = slices.DeleteFunc(batch, func(m ProviderTransaction) bool { return r.elsewhere[m.Reference.TenantID] })
	batch, err := r.ofTenant(ctx, batch)
	if err != nil || len(batch) == 0 {
		return err
	}
	refs := make([]paymentRef, len(batch))
	for i, m := range batch {
		refs[i] = storeReference(m.Reference)
	}
	rows, err := r.service.byReference(ctx, refs)
	if err != nil {
		return err
	}
	known := map[paymentRef]reconciledRow{}
	for _, row := range rows {
		known[paymentRef{TenantID: row.TenantID, PaymentID: row.PaymentID}] = row
	}
	r.found.Transactions += len(batch)
	var missing []ProviderTransaction
	for _, m := range batch {
		row, ok := known[storeReference(m.Reference)]
		if !ok {
			missing = append(missing, m)
			continue
		}
		ours, theirs := ourTransfer(row), providerTransfer(provider, account, m)
		kinds := differences(ours, theirs)
		if before, ok := r.compared[m.Reference]; ok && before != m.ProviderID &&
			!slices.Contains(kinds, DiffOtherTransaction) {
			kinds = append(kinds, DiffOtherTransaction)
		}
		for _, kind := range kinds {
			r.report(kind, m.Reference, ours, theirs)
		}
		// A transaction with another id doesn't account for the payment.
		if !slices.Contains(kinds, DiffOtherTransaction) {
			r.compared[m.Reference] = m.ProviderID
		}
	}
	return r.reportUnknown(ctx, provider, account, missing)
}

// ofTenant returns the transactions of a batch that name the tenant or one of its payments.
func (r *reconciler) ofTenant(ctx context.Context, batch []ProviderTransaction) ([]ProviderTransaction, error) {
	if r.tenant == nil {
		return batch, nil
	}
	var refs []paymentRef
	for _, m := range batch {
		if m.Reference.TenantID != *r.tenant {
			refs = append(refs, paymentRef{TenantID: *r.tenant, PaymentID: m.Reference.ID})
		}
	}
	own := make(map[uuid.UUID]bool)
	if len(refs) > 0 {
		rows, err := r.service.byReference(ctx, refs)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			own[row.PaymentID] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(batch), func(m ProviderTransaction) bool {
		return m.Reference.TenantID != *r.tenant && !own[m.Reference.ID]
	}), nil
}

// reportUnknown reports transactions whose tenant doesn't have the payment that they name.
func (r *reconciler) reportUnknown(ctx context.Context, provider, account string, missing []ProviderTransaction) error {
	if len(missing) == 0 {
		return nil
	}
	ids := make([]uuid.UUID, len(missing))
	for i, m := range missing {
		ids[i] = m.Reference.ID
	}
	owned, err := r.service.owners(ctx, ids)
	if err != nil {
		return err
	}
	rows, err := r.service.byReference(ctx, owned)
	if err != nil {
		return err
	}
	elsewhere := map[uuid.UUID]reconciledRow{}
	for _, row := range rows {
		elsewhere[row.PaymentID] = row
	}
	for _, m := range missing {
		row, ok := elsewhere[m.Reference.ID]
		if !ok {
			r.report(DiffUnknownHere, m.Reference, nil, providerTransfer(provider, account, m))
			continue
		}
		r.report(DiffOtherTenant, Reference{TenantID: row.TenantID, ID: row.PaymentID}, ourTransfer(row),
			providerTransfer(provider, account, m))
	}
	return nil
}

// comparePayments compares our payments with the providers' records.
func (r *reconciler) comparePayments(ctx context.Context, from, until time.Time) error {
	period := paymentPeriod{
		Tenant: r.tenant, From: from, Until: until, Timeout: r.service.cfg.Timeout, Grace: reconcileGrace,
	}
	var after paymentRef
	for {
		rows, err := r.service.inPeriod(ctx, period, after, reconcileBatch)
		if err != nil {
			return err
		}
		for _, row := range rows {
			after = paymentRef{TenantID: row.TenantID, PaymentID: row.PaymentID}
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

// comparePayment reports a payment that should have been refunded. It looks up a payment that is missing from the
// period's journal.
func (r *reconciler) comparePayment(ctx context.Context, row reconciledRow) error {
	ref, ours := Reference{TenantID: row.TenantID, ID: row.PaymentID}, ourTransfer(row)
	if row.Kept {
		r.report(DiffKept, ref, ours, nil)
	}
	if _, said := r.compared[ref]; said {
		return nil
	}
	provider, notConfigured := r.service.providerOf(row.Provider, row.Account)
	switch {
	case row.Stuck:
		r.report(DiffStuck, ref, ours, nil)
		return nil
	case row.Status != string(StatusSucceeded):
		r.found.Open++
		return nil
	case row.Provider == walletProvider || row.Provider == offlineProvider: // no provider knows it
		return nil
	case notConfigured != nil:
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
	if errors.Is(err, ErrNoAccount) {
		r.report(DiffAccountUnreachable, ref, ours, nil)
		return nil
	}
	if err != nil {
		return notCompared(fmt.Errorf("look %s up at %s: %w", row.PaymentID, row.Provider, err))
	}
	// A look-up doesn't return the kind.
	theirs := &Transfer{
		Provider:   row.Provider,
		Account:    ours.Account,
		ProviderID: o.ProviderID,
		Refund:     ours.Refund,
		Status:     string(o.Result),
		Amount:     o.Amount,
		Currency:   o.Currency,
	}
	for _, kind := range differences(ours, theirs) {
		r.report(kind, ref, ours, theirs)
	}
	return nil
}

// differences returns how a payment and the provider's transaction differ.
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
	add(ours.Account != theirs.Account, DiffOtherAccount)
	add(ours.Refund != theirs.Refund, DiffOtherKind)
	// Before it has succeeded, a payment on the provider's page may have the page's id.
	add(succeeded && ours.ProviderID != theirs.ProviderID, DiffOtherTransaction)
	add(ours.Amount != theirs.Amount, DiffAmount)
	add(ours.Currency != theirs.Currency, DiffCurrency)
	return kinds
}

func storeReference(r Reference) paymentRef {
	return paymentRef{TenantID: r.TenantID, PaymentID: r.ID}
}

func ourTransfer(row reconciledRow) *Transfer {
	m := &Transfer{
		Provider: row.Provider, Account: accountID(row.Account), Refund: row.RefundOf != nil, Status: row.Status,
		Amount:   row.Amount,
		Currency: row.Currency,
	}
	if row.ProviderID != nil {
		m.ProviderID = *row.ProviderID
	}
	return m
}

func providerTransfer(provider, account string, m ProviderTransaction) *Transfer {
	return &Transfer{
		Provider:   provider,
		Account:    account,
		ProviderID: m.ProviderID,
		Refund:     m.Refund,
		Status:     string(Succeeded),
		Amount:     m.Amount,
		Currency:   m.Currency,
	}
}
