package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
)

// ReconcilePayment holds the columns of a payment or refund that are compared with the provider's journal. ChargeID is the provider's id
// of the charge that a refund returns.
type ReconcilePayment = dbsqlc.ReconcileListRow

// PaymentRef names a payment or refund of any tenant.
type PaymentRef struct{ TenantID, PaymentID uuid.UUID }

// PaymentsByReference reads the payments of any tenants that refs name, in no order; unknown references are left out,
// and their ChargeID isn't read. As all reads here it is for `holdfast reconcile`: it takes no lock, and no request of a
// tenant may see what it returns. Errors: problem.DatabaseUnavailable.
func (s *Store) PaymentsByReference(ctx context.Context, refs []PaymentRef) ([]ReconcilePayment, error) {
	tenants := convert(refs, func(r PaymentRef) uuid.UUID { return r.TenantID })
	ids := convert(refs, func(r PaymentRef) uuid.UUID { return r.PaymentID })
	var rows []dbsqlc.ReconcileListByReferenceRow
	err := s.db.ReadAcross(ctx, "read payments by reference", func(t *core.Tx) {
		core.Query(t, "read payments by reference", &rows, func(q *dbsqlc.Queries) ([]dbsqlc.ReconcileListByReferenceRow, error) {
			return q.ReconcileListByReference(t.Ctx, tenants, ids)
		})
	})
	return convert(rows, func(r dbsqlc.ReconcileListByReferenceRow) ReconcilePayment {
		return ReconcilePayment{
			TenantID: r.TenantID, PaymentID: r.PaymentID, RefundOf: r.RefundOf, Kind: r.Kind, Status: r.Status, Amount: r.Amount,
			Currency: r.Currency, Provider: r.Provider, ProviderID: r.ProviderID, Account: r.Account,
		}
	}), err
}

// PaymentOwners reads whose payments some ids are. It looks through all payments.
func (s *Store) PaymentOwners(ctx context.Context, ids []uuid.UUID) ([]PaymentRef, error) {
	var rows []dbsqlc.ReconcileListTenantsRow
	err := s.db.ReadAcross(ctx, "read whose payments these are", func(t *core.Tx) {
		core.Query(t, "read whose payments these are", &rows, func(q *dbsqlc.Queries) ([]dbsqlc.ReconcileListTenantsRow, error) {
			return q.ReconcileListTenants(t.Ctx, ids)
		})
	})
	return convert(rows, func(r dbsqlc.ReconcileListTenantsRow) PaymentRef { return PaymentRef(r) }), err
}

// PaymentPeriod says which payments PaymentsInPeriod lists, and which open ones are stuck.
type PaymentPeriod struct {
	// Tenant is the only tenant whose payments are listed; nil lists those of all.
	Tenant      *uuid.UUID
	From, Until time.Time
	// Timeout is how long a payment may stay open, and Grace how much later it may end.
	Timeout, Grace time.Duration
}

// PaymentsInPeriod lists payments of p.Tenant, or of all tenants, by tenant and id, at most limit that follow after: those that succeeded
// and were in the air at some time from p.From up to but not including p.Until, by the database's clock, and those that were begun before
// p.Until and are open.
func (s *Store) PaymentsInPeriod(ctx context.Context, p PaymentPeriod, after PaymentRef, limit int) (rows []ReconcilePayment, err error) {
	last := uuid.Max
	if p.Tenant != nil {
		last = *p.Tenant
		if after.TenantID != last {
			after = PaymentRef{TenantID: last}
		}
	}
	err = s.db.ReadAcross(ctx, "list payments of a period", func(t *core.Tx) {
		core.Query(t, "list payments of a period", &rows, func(q *dbsqlc.Queries) ([]ReconcilePayment, error) {
			return q.ReconcileList(t.Ctx, dbsqlc.ReconcileListParams{
				AfterTenant: after.TenantID, AfterID: after.PaymentID, LastTenant: last, Until: p.Until, Since: p.From,
				RowLimit: int32(limit),
				Timeout:  interval(p.Timeout), Grace: interval(p.Grace),
			})
		})
	})
	return rows, err
}
