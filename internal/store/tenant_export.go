package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/store/internal/core"
	"holdfast/internal/store/internal/dbsqlc"
)

// exportedTables are the tables of a tenant in the order of its export: each after those that its foreign keys name. Nothing writes to it.
var exportedTables = []struct {
	name string
	page func(*dbsqlc.Queries, context.Context, uuid.UUID, json.RawMessage) ([]json.RawMessage, error)
}{
	{"tenants", (*dbsqlc.Queries).TenantExportTenants},
	{"resources", (*dbsqlc.Queries).TenantExportResources},
	{"services", (*dbsqlc.Queries).TenantExportServices},
	{"service_resources", (*dbsqlc.Queries).TenantExportServiceResources},
	{"closures", (*dbsqlc.Queries).TenantExportClosures},
	{"blocks", (*dbsqlc.Queries).TenantExportBlocks},
	{"customers", (*dbsqlc.Queries).TenantExportCustomers},
	{"former_customers", (*dbsqlc.Queries).TenantExportFormerCustomers},
	{"bookings", (*dbsqlc.Queries).TenantExportBookings},
	{"claims", (*dbsqlc.Queries).TenantExportClaims},
	{"payments", (*dbsqlc.Queries).TenantExportPayments},
	{"ended_bookings", (*dbsqlc.Queries).TenantExportEndedBookings},
	{"provider_events", (*dbsqlc.Queries).TenantExportProviderEvents},
	{"wallets", (*dbsqlc.Queries).TenantExportWallets},
	{"wallet_entries", (*dbsqlc.Queries).TenantExportWalletEntries},
	{"wallet_postings", (*dbsqlc.Queries).TenantExportWalletPostings},
	{"wallet_snapshots", (*dbsqlc.Queries).TenantExportWalletSnapshots},
	{"scheduled_events", (*dbsqlc.Queries).TenantExportScheduledEvents},
	{"event_attempts", (*dbsqlc.Queries).TenantExportEventAttempts},
	{"changes", (*dbsqlc.Queries).TenantExportChanges},
	{"payment_accounts", (*dbsqlc.Queries).TenantExportPaymentAccounts},
	{"webhook_endpoints", (*dbsqlc.Queries).TenantExportWebhookEndpoints},
	{"api_keys", (*dbsqlc.Queries).TenantExportAPIKeys},
	{"users", (*dbsqlc.Queries).TenantExportUsers},
	{"logos", (*dbsqlc.Queries).TenantExportLogos},
	{"idempotency_keys", (*dbsqlc.Queries).TenantExportIdempotencyKeys},
}

// ExportTenant gives emit each row of what a tenant has, by table and key, as a JSON object without secrets. It reads a page at a time:
// what changes meanwhile may be as it was before or after. It returns when it began, by the database's clock. Errors: those of emit;
// problem.DatabaseUnavailable.
func (s *Store) ExportTenant(ctx context.Context, tenant uuid.UUID, emit func(table string, row json.RawMessage) error,
) (began time.Time, err error) {
	if err := s.db.ReadOnly(ctx, "read the clock", tenant, func(t *core.Tx) { t.ReadClockInto(&began) }); err != nil {
		return began, err
	}
	for _, table := range exportedTables {
		after := json.RawMessage("{}")
		for {
			rows, err := core.ReadOne(ctx, s.db, "export a tenant", tenant,
				func(ctx context.Context, q *dbsqlc.Queries) ([]json.RawMessage, error) {
					return table.page(q, ctx, tenant, after)
				})
			if err != nil {
				return began, err
			}
			for _, row := range rows {
				if err := emit(table.name, row); err != nil {
					return began, err
				}
			}
			if len(rows) == 0 {
				break
			}
			after = rows[len(rows)-1]
		}
	}
	return began, nil
}
