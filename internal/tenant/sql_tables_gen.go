// Code generated from internal/cell/tables by make generate/tables. DO NOT EDIT.

package tenant

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"

	"holdfast/internal/tenant/internal/rowsql"
)

// exportedTables are the tables of a tenant in the order of its export. Nothing writes to it.
var exportedTables = []struct {
	name string
	page func(*rowsql.Queries, context.Context, uuid.UUID, json.RawMessage) ([]json.RawMessage, error)
}{
	{"tenants", (*rowsql.Queries).TenantExportTenants},
	{"resources", (*rowsql.Queries).TenantExportResources},
	{"services", (*rowsql.Queries).TenantExportServices},
	{"service_resources", (*rowsql.Queries).TenantExportServiceResources},
	{"closures", (*rowsql.Queries).TenantExportClosures},
	{"blocks", (*rowsql.Queries).TenantExportBlocks},
	{"customers", (*rowsql.Queries).TenantExportCustomers},
	{"former_customers", (*rowsql.Queries).TenantExportFormerCustomers},
	{"bookings", (*rowsql.Queries).TenantExportBookings},
	{"claims", (*rowsql.Queries).TenantExportClaims},
	{"wallets", (*rowsql.Queries).TenantExportWallets},
	{"wallet_entries", (*rowsql.Queries).TenantExportWalletEntries},
	{"wallet_postings", (*rowsql.Queries).TenantExportWalletPostings},
	{"wallet_snapshots", (*rowsql.Queries).TenantExportWalletSnapshots},
	{"payments", (*rowsql.Queries).TenantExportPayments},
	{"ended_bookings", (*rowsql.Queries).TenantExportEndedBookings},
	{"provider_events", (*rowsql.Queries).TenantExportProviderEvents},
	{"scheduled_events", (*rowsql.Queries).TenantExportScheduledEvents},
	{"event_attempts", (*rowsql.Queries).TenantExportEventAttempts},
	{"changes", (*rowsql.Queries).TenantExportChanges},
	{"payment_accounts", (*rowsql.Queries).TenantExportPaymentAccounts},
	{"webhook_endpoints", (*rowsql.Queries).TenantExportWebhookEndpoints},
	{"api_keys", (*rowsql.Queries).TenantExportApiKeys},
	{"users", (*rowsql.Queries).TenantExportUsers},
	{"logos", (*rowsql.Queries).TenantExportLogos},
	{"idempotency_keys", (*rowsql.Queries).TenantExportIdempotencyKeys},
}

// deletions delete a batch of rows of a tenant, a table each, in the order of the tables' foreign keys. Nothing writes
// to it.
var deletions = []func(*rowsql.Queries, context.Context, uuid.UUID) (int64, error){
	(*rowsql.Queries).TenantDeleteIdempotencyKeys,
	(*rowsql.Queries).TenantDeleteLogos,
	(*rowsql.Queries).TenantDeleteSignIns,
	(*rowsql.Queries).TenantDeleteSignInLinks,
	(*rowsql.Queries).TenantDeleteUsers,
	(*rowsql.Queries).TenantDeleteApiKeys,
	(*rowsql.Queries).TenantDeleteWebhookEndpoints,
	(*rowsql.Queries).TenantDeletePaymentAccounts,
	(*rowsql.Queries).TenantDeleteChanges,
	(*rowsql.Queries).TenantDeleteEventAttempts,
	(*rowsql.Queries).TenantDeleteScheduledEvents,
	(*rowsql.Queries).TenantDeleteProviderEvents,
	(*rowsql.Queries).TenantDeleteEndedBookings,
	(*rowsql.Queries).TenantDeletePayments,
	(*rowsql.Queries).TenantDeleteWalletSnapshots,
	(*rowsql.Queries).TenantDeleteWalletPostings,
	(*rowsql.Queries).TenantDeleteWalletEntries,
	(*rowsql.Queries).TenantDeleteWallets,
	(*rowsql.Queries).TenantDeleteClaimsFirst,
	(*rowsql.Queries).TenantDeleteClaims,
	(*rowsql.Queries).TenantDeleteBookings,
	(*rowsql.Queries).TenantDeleteFormerCustomers,
	(*rowsql.Queries).TenantDeleteCustomers,
	(*rowsql.Queries).TenantDeleteBlocks,
	(*rowsql.Queries).TenantDeleteClosures,
	(*rowsql.Queries).TenantDeleteServiceResources,
	(*rowsql.Queries).TenantDeleteServices,
	(*rowsql.Queries).TenantDeleteResources,
}
