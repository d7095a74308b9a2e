package payment

import (
	"context"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/payment/internal/rowsql"
)

// What `holdfast reconcile` reads. It takes no lock, and no request of a tenant may see what it returns. Errors of all
// reads here: problem.DatabaseUnavailable.

// reconciledRow holds the columns of a payment or refund that are compared with the provider's journal. ChargeID is the
// provider's id of the charge that a refund returns.
type reconciledRow = rowsql.ReconcileListRow

// paymentRef names a payment or refund of any tenant.
type paymentRef struct{ TenantID, PaymentID uuid.UUID }

// byReference reads the payments of any tenants that refs name, in no order; unknown references are left out, and their
// ChargeID isn't read.
func (s *Service) byReference(ctx context.Context, refs []paymentRef) ([]reconciledRow, error) {
	of, ids := make([]uuid.UUID, len(refs)), make([]uuid.UUID, len(refs))
	for i, r := range refs {
		of[i], ids[i] = r.TenantID, r.PaymentID
	}
	var found []rowsql.ReconcileListByReferenceRow
	err := s.db.ReadAcross(ctx, "read payments by reference", func(tx *db.Tx) {
		db.Query(unlocked.On(tx), "read payments by reference", &found,
			func(q *rowsql.Queries) ([]rowsql.ReconcileListByReferenceRow, error) {
				return q.ReconcileListByReference(tx.Context(), of, ids)
			})
	})
	rows := make([]reconciledRow, len(found))
	for i, r := range found {
		rows[i] = reconciledRow{
			TenantID:   r.TenantID,
			PaymentID:  r.PaymentID,
			RefundOf:   r.RefundOf,
			Kind:       r.Kind,
			Status:     r.Status,
			Amount:     r.Amount,
			Currency:   r.Currency,
			Provider:   r.Provider,
			ProviderID: r.ProviderID,
			Account:    r.Account,
		}
	}
	return rows, err
}

// owners reads whose payments some ids are. It looks through all payments.
func (s *Service) owners(ctx context.Context, ids []uuid.UUID) ([]paymentRef, error) {
	var found []rowsql.ReconcileListTenantsRow
	err := s.db.ReadAcross(ctx, "read whose payments these are", func(tx *db.Tx) {
		db.Query(unlocked.On(tx), "read whose payments these are", &found,
			func(q *rowsql.Queries) ([]rowsql.ReconcileListTenantsRow, error) {
				return q.ReconcileListTenants(tx.Context(), ids)
			})
	})
	refs := make([]paymentRef, len(found))
	for i, r := range found {
		refs[i] = paymentRef(r)
	}
	return refs, err
}

// paymentPeriod says which payments inPeriod lists, and which open ones are stuck.
type paymentPeriod struct {
	// Tenant is the only tenant whose payments are listed; nil lists those of all.
	Tenant      *uuid.UUID
	From, Until time.Time
	// Timeout is how long a payment may stay open, and Grace how much later it may end.
	Timeout, Grace time.Duration
}

// inPeriod lists payments of p.Tenant, or of all tenants, by tenant and id, at most limit that follow after: those that
// succeeded and were in the air at some time from p.From up to but not including p.Until, by the database's clock, and
// those that were begun before p.Until and are open.
func (s *Service) inPeriod(ctx context.Context, p paymentPeriod, after paymentRef,
	limit int,
) (rows []reconciledRow, err error) {
	last := uuid.Max
	if p.Tenant != nil {
		last = *p.Tenant
		if after.TenantID != last {
			after = paymentRef{TenantID: last}
		}
	}
	err = s.db.ReadAcross(ctx, "list payments of a period", func(tx *db.Tx) {
		db.Query(unlocked.On(tx), "list payments of a period", &rows, func(q *rowsql.Queries) ([]reconciledRow, error) {
			return q.ReconcileList(tx.Context(), rowsql.ReconcileListParams{
				AfterTenant: after.TenantID,
				AfterID:     after.PaymentID,
				LastTenant:  last,
				Until:       p.Until,
				Since:       p.From,
				RowLimit:    int32(limit),
				Timeout:     db.Interval(p.Timeout),
				Grace:       db.Interval(p.Grace),
			})
		})
	})
	return rows, err
}

// accountsAcross lists the accounts at a provider that tenants have now, or with which payments were made: of all
// tenants, or of one.
func (s *Service) accountsAcross(ctx context.Context, provider string,
	tenant *uuid.UUID,
) (accounts []string, err error) {
	err = s.db.ReadAcross(ctx, "list the payment accounts", func(tx *db.Tx) {
		db.Query(unlocked.On(tx), "list the payment accounts", &accounts, func(q *rowsql.Queries) ([]string, error) {
			return q.PaymentAccountListAcross(tx.Context(), provider, tenant)
		})
	})
	return accounts, err
}
