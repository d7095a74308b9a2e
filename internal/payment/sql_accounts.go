package payment

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/payment/internal/rowsql"
	"holdfast/internal/tenant"
)

// queueAccount queues the reading of what is known of the tenant's account at a provider, nil if nothing is.
func queueAccount(tx db.Transaction, provider string, account **accountRow) {
	db.Optional(unlocked.On(tx), "read the payment account", account, func(q *rowsql.Queries) (accountRow, error) {
		return q.PaymentAccountGet(tx.Context(), tx.Tenant(), provider)
	})
}

// account returns what is known of a tenant's account at a provider, nil if nothing is. Errors, as of all reads here:
// problem.DatabaseUnavailable.
func (s *Service) account(ctx context.Context, tenant uuid.UUID, provider string) (account *accountRow, err error) {
	err = s.db.Read(ctx, "read the payment account", tenant, func(tx *db.Tx) { queueAccount(tx, provider, &account) })
	return account, err
}

// queueTenantStatus queues the reading of the tenant's status, nil if there is no such tenant.
func queueTenantStatus(tx *db.WriteTx, status **string) {
	db.Optional(unlocked.On(tx), "read the tenant", status, func(q *rowsql.Queries) (string, error) {
		return q.PaymentAccountTenant(tx.Context(), tx.Tenant())
	})
}

// changeAccount runs decide in a transaction that has locked the tenant's row, with what is known of the tenant's
// account at a provider, nil if nothing is. alsoRead, unless it is nil, queues what decide needs besides. Errors: those
// of db.DB.Write.
func (s *Service) changeAccount(ctx context.Context, id uuid.UUID, request *db.Request, provider string,
	alsoRead func(*db.WriteTx),
	decide func(*db.WriteTx, *accountRow) error,
) error {
	return s.db.Write(ctx, "change the tenant's data", id, request, func(tx *db.WriteTx) func() error {
		if alsoRead != nil {
			alsoRead(tx)
		}
		tenant.Lock(tx)
		var account *accountRow
		queueAccount(tx, provider, &account)
		return func() error { return decide(tx, account) }
	})
}

// putAccount queues what is known now of the tenant's account at a provider, which was read under the lock of the
// tenant's row.
func putAccount(tx *db.WriteTx, provider string, a accountRow) {
	requirements := a.Requirements
	if requirements == nil {
		requirements = []string{}
	}
	db.Exec(unlocked.On(tx), "write the payment account", func(q *rowsql.Queries) error {
		return q.PaymentAccountPut(tx.Context(), rowsql.PaymentAccountPutParams{
			TenantID:       tx.Tenant(),
			Provider:       provider,
			AccountID:      a.AccountID,
			FeeBasisPoints: a.FeeBasisPoints,
			CanCharge:      a.CanCharge,
			CanBePaidOut:   a.CanBePaidOut,
			Requirements:   requirements,
			Version:        a.Version,
			RefreshedAt:    a.RefreshedAt,
			Now:            tx.Now(),
		})
	})
}

// tenantsOfAccount lists the tenants that have an account at a provider: usually one. It reads as the operator's role,
// for webhooks.
func (s *Service) tenantsOfAccount(ctx context.Context, provider, account string) (tenants []uuid.UUID, err error) {
	err = s.db.ReadAcross(ctx, "find the tenant of an account", func(tx *db.Tx) {
		db.Query(unlocked.On(tx), "find the tenant of an account", &tenants, func(q *rowsql.Queries) ([]uuid.UUID,
			error) {
			return q.PaymentAccountTenants(tx.Context(), provider, account)
		})
	})
	return tenants, err
}
