// Code generated from internal/cell/tables by make generate/tables. DO NOT EDIT.

package store

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"

	"holdfast/internal/db/internal/dbsqlc"
)

// exportedTables are the tables of a tenant in the order of its export. Nothing writes to it.
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
	{"wallets", (*dbsqlc.Queries).TenantExportWallets},
	{"wallet_entries", (*dbsqlc.Queries).TenantExportWalletEntries},
	{"wallet_postings", (*dbsqlc.Queries).TenantExportWalletPostings},
	{"wallet_snapshots", (*dbsqlc.Queries).TenantExportWalletSnapshots},
	{"payments", (*dbsqlc.Queries).TenantExportPayments},
	{"ended_bookings", (*dbsqlc.Queries).TenantExportEndedBookings},
	{"provider_events", (*dbsqlc.Queries).TenantExportProviderEvents},
	{"scheduled_events", (*dbsqlc.Queries).TenantExportScheduledEvents},
	{"event_attempts", (*dbsqlc.Queries).TenantExportEventAttempts},
	{"changes", (*dbsqlc.Queries).TenantExportChanges},
	{"payment_accounts", (*dbsqlc.Queries).TenantExportPaymentAccounts},
	{"webhook_endpoints", (*dbsqlc.Queries).TenantExportWebhookEndpoints},
	{"api_keys", (*dbsqlc.Queries).TenantExportApiKeys},
	{"users", (*dbsqlc.Queries).TenantExportUsers},
	{"logos", (*dbsqlc.Queries).TenantExportLogos},
	{"idempotency_keys", (*dbsqlc.Queries).TenantExportIdempotencyKeys},
}

// deletions delete a batch of rows of a tenant, a table each, in the order of the tables' foreign keys. Nothing writes
// to it.
var deletions = []func(*dbsqlc.Queries, context.Context, uuid.UUID) (int64, error){
	(*dbsqlc.Queries).TenantDeleteIdempotencyKeys,
	(*dbsqlc.Queries).TenantDeleteLogos,
	(*dbsqlc.Queries).TenantDeleteSignIns,
	(*dbsqlc.Queries).TenantDeleteSignInLinks,
	(*dbsqlc.Queries).TenantDeleteUsers,
	(*dbsqlc.Queries).TenantDeleteApiKeys,
	(*dbsqlc.Queries).TenantDeleteWebhookEndpoints,
	(*dbsqlc.Queries).TenantDeletePaymentAccounts,
	(*dbsqlc.Queries).TenantDeleteChanges,
	(*dbsqlc.Queries).TenantDeleteEventAttempts,
	(*dbsqlc.Queries).TenantDeleteScheduledEvents,
	(*dbsqlc.Queries).TenantDeleteProviderEvents,
	(*dbsqlc.Queries).TenantDeleteEndedBookings,
	(*dbsqlc.Queries).TenantDeletePayments,
	(*dbsqlc.Queries).TenantDeleteWalletSnapshots,
	(*dbsqlc.Queries).TenantDeleteWalletPostings,
	(*dbsqlc.Queries).TenantDeleteWalletEntries,
	(*dbsqlc.Queries).TenantDeleteWallets,
	(*dbsqlc.Queries).TenantDeleteClaimsFirst,
	(*dbsqlc.Queries).TenantDeleteClaims,
	(*dbsqlc.Queries).TenantDeleteBookings,
	(*dbsqlc.Queries).TenantDeleteFormerCustomers,
	(*dbsqlc.Queries).TenantDeleteCustomers,
	(*dbsqlc.Queries).TenantDeleteBlocks,
	(*dbsqlc.Queries).TenantDeleteClosures,
	(*dbsqlc.Queries).TenantDeleteServiceResources,
	(*dbsqlc.Queries).TenantDeleteServices,
	(*dbsqlc.Queries).TenantDeleteResources,
}
