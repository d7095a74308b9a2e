// Package tenanttest gives tests of other packages tenants.
package tenanttest

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/tenant/internal/rowsql"
)

var unlocked = db.UnderNothing(rowsql.New)

// Insert makes a tenant with an id, in Berlin and with euros. Its slug is the id, and it has no API key.
func Insert(ctx context.Context, d *db.DB, id uuid.UUID) error {
	return d.Write(ctx, "make a tenant", id, nil, func(tx *db.WriteTx) func() error {
		return func() error {
			Queue(tx)
			return nil
		}
	})
}

// Queue queues what Insert writes, for the tenant of the transaction.
func Queue(tx *db.WriteTx) {
	db.Exec(unlocked.On(tx), "insert the tenant", func(q *rowsql.Queries) error {
		return q.TenantInsert(tx.Context(), rowsql.TenantInsertParams{
			TenantID: tx.Tenant(), Slug: tx.Tenant().String(), Name: "Harbour Tours", TimeZone: "Europe/Berlin",
			Currency:  "EUR",
			CreatedAt: tx.Now(),
		})
	})
}
