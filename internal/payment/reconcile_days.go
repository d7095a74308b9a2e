package payment

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

// reconcileTime bounds a request's comparison: servers answer within a minute.
const reconcileTime = 45 * time.Second

// ReconcileDays is ReconcileTenant for at most 31 days of a tenant, whose dates lie in loc, with the offline money of
// these days. It ends within 45 seconds.
//
// Errors: problem.ValidationFailed, problem.TooManyDates; problem.PaymentsNotConfigured without a provider;
// problem.ProviderUnavailable if a provider could not be called, or if the time didn't suffice;
// problem.DatabaseUnavailable.
func (s *Service) ReconcileDays(ctx context.Context, tenantID uuid.UUID, loc *time.Location, days Days,
) (ReconciliationBody, error) {
	if err := days.check(); err != nil {
		return ReconciliationBody{}, err
	}
	if len(s.providers) == 0 {
		return ReconciliationBody{}, problem.New(problem.PaymentsNotConfigured, "")
	}
	from, until := days.Period(loc)
	limited, cancel := context.WithTimeout(ctx, reconcileTime)
	defer cancel()
	found, err := s.ReconcileTenant(limited, tenantID, from, until)
	if err != nil && errors.Is(limited.Err(), context.DeadlineExceeded) {
		err = problem.Wrap(err, problem.ProviderUnavailable,
			fmt.Sprintf("The comparison took longer than %s. Compare fewer days, or use "+
				"the command holdfast reconcile --tenant, which has no limit.", reconcileTime)).Retry(reconcileTime)
	}
	body := found.Body(from, until)
	if err != nil {
		return body, err
	}
	offline, err := s.OfflineDays(ctx, tenantID, loc, days)
	body.Offline = &offline.Sums
	return body, err
}

// ReconcileOwnDays is ReconcileDays for the tenant itself: nothing of another tenant is in it. A transaction that names
// the tenant and a payment of another one is unknown here.
func (s *Service) ReconcileOwnDays(ctx context.Context, t tenant.Tenant, days Days) (ReconciliationBody, error) {
	body, err := s.ReconcileDays(ctx, t.ID, t.Location, days)
	for i, d := range body.Differences {
		if d.TenantID != t.ID {
			body.Differences[i] = DifferenceBody{Kind: DiffUnknownHere, TenantID: t.ID, PaymentID: d.PaymentID,
				There: d.There}
		}
	}
	return body, err
}

// ReconciliationBody is a comparison as the API and the command show it.
type ReconciliationBody struct {
	From         time.Time         `json:"from" doc:"The first moment of the period."`
	Until        time.Time         `json:"until" doc:"The first moment after the period."`
	Transactions int               `json:"movements" doc:"How many transfers of the providers' journals were compared."`
	Payments     int               `json:"payments" doc:"How many payments and refunds were compared."`
	Open         int               `json:"open" doc:"How many of them have no end yet and have time left: these are no differences."`
	Differences  []DifferenceBody  `json:"differences" nullable:"false"`
	Offline      *[]OfflineSumBody `json:"offline,omitempty" doc:"The money of these days that no provider saw. It is compared with nothing."`
}

// DifferenceBody is one difference between a payment and a provider's journal.
type DifferenceBody struct {
	Kind      DifferenceKind          `json:"kind" enum:"unknown_here,other_tenant,other_provider,other_account,account_unreachable,other_kind,other_movement,declined_here,amount,currency,not_at_provider,provider_not_configured,still_open,stuck,kept" doc:"How they differ. [What to do](/docs/payments#reconciliation)"`
	TenantID  uuid.UUID               `json:"tenant_id" format:"uuid" doc:"The tenant that has the payment; of unknown_here the one that the provider names."`
	PaymentID uuid.UUID               `json:"payment_id" format:"uuid" doc:"The payment or refund; of unknown_here the one that the provider names. Of account_unreachable zeros, if it is about all of an account."`
	Here      *ReconciledTransferBody `json:"here,omitempty" doc:"As it is recorded here; absent if it isn't."`
	There     *ReconciledTransferBody `json:"at_provider,omitempty" doc:"As the provider has it; absent if it hasn't, or wasn't asked."`
}

// ReconciledTransferBody is a charge or refund as one side has it.
type ReconciledTransferBody struct {
	Provider   string `json:"provider" example:"stripe"`
	Account    string `json:"account,omitempty" example:"acct_1OxYz2" doc:"The tenant's account at the provider; absent if it is the platform's own."`
	ProviderID string `json:"provider_id" doc:"The provider's id; empty if it isn't known."`
	Refund     bool   `json:"refund"`
	Status     string `json:"status" example:"succeeded"`
	Amount     int64  `json:"amount" doc:"Minor units of currency."`
	Currency   string `json:"currency" example:"EUR"`
}

// Body returns the comparison of the period [from, until) as it is shown.
func (r Reconciliation) Body(from, until time.Time) ReconciliationBody {
	body := ReconciliationBody{
		From: from, Until: until, Transactions: r.Transactions, Payments: r.Payments, Open: r.Open,
		Differences: make([]DifferenceBody, len(r.Differences)),
	}
	for i, d := range r.Differences {
		body.Differences[i] = DifferenceBody{
			Kind: d.Kind, TenantID: d.Reference.TenantID, PaymentID: d.Reference.ID,
			Here:  (*ReconciledTransferBody)(d.Ours),
			There: (*ReconciledTransferBody)(d.Theirs),
		}
	}
	return body
}
