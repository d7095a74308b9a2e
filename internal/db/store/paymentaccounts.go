package store

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
)

// PaymentAccount returns what is known of a tenant's account at a provider, nil if nothing is. Errors: problem.DatabaseUnavailable.
func (s *Store) PaymentAccount(ctx context.Context, tenant uuid.UUID, provider string) (account *PaymentAccount, err error) {
	err = s.db.ReadOnly(ctx, "read the payment account", tenant, func(t *core.Tx) {
		core.Optional(t, "read the payment account", &account, func(q *dbsqlc.Queries) (PaymentAccount, error) {
			return q.PaymentAccountGet(t.Ctx, tenant, provider)
		})
	})
	return account, err
}

// PutPaymentAccount queues what is known now of the tenant's account at a provider, which WriteRead.AccountAt asked for.
func (tx *WriteTx) PutPaymentAccount(provider string, a PaymentAccount) {
	requirements := a.Requirements
	if requirements == nil {
		requirements = []string{}
	}
	core.Exec(tx.t, "write the payment account", func(q *dbsqlc.Queries) error {
		return q.PaymentAccountPut(tx.t.Ctx, dbsqlc.PaymentAccountPutParams{
			TenantID: tx.tenant, Provider: provider, AccountID: a.AccountID, FeeBasisPoints: a.FeeBasisPoints, CanCharge: a.CanCharge,
			CanBePaidOut: a.CanBePaidOut, Requirements: requirements, Version: a.Version, RefreshedAt: a.RefreshedAt, Now: tx.t.Now,
		})
	})
}

// TenantsOfAccount lists the tenants that have an account at a provider: usually one. It reads as the operator's role, for webhooks.
// Errors: problem.DatabaseUnavailable.
func (s *Store) TenantsOfAccount(ctx context.Context, provider, account string) (tenants []uuid.UUID, err error) {
	err = s.db.ReadAcross(ctx, "find the tenant of an account", func(t *core.Tx) {
		core.Query(t, "find the tenant of an account", &tenants, func(q *dbsqlc.Queries) ([]uuid.UUID, error) {
			return q.PaymentAccountTenants(t.Ctx, provider, account)
		})
	})
	return tenants, err
}

// PaymentAccountsAcross lists the accounts at a provider that tenants have now, or with which payments were made: of all tenants, or of
// one. As the reads of PaymentsByReference it is for `holdfast reconcile`. Errors: problem.DatabaseUnavailable.
func (s *Store) PaymentAccountsAcross(ctx context.Context, provider string, tenant *uuid.UUID) (accounts []string, err error) {
	err = s.db.ReadAcross(ctx, "list the payment accounts", func(t *core.Tx) {
		core.Query(t, "list the payment accounts", &accounts, func(q *dbsqlc.Queries) ([]string, error) {
			return q.PaymentAccountListAcross(t.Ctx, provider, tenant)
		})
	})
	return accounts, err
}
