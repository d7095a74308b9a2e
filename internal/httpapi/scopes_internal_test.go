package httpapi

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/require"

	"holdfast/internal/operation"
	"holdfast/internal/tenant"
	"holdfast/internal/usecase"
)

// catalogOperations tell what can be booked, and nothing of customers.
var catalogOperations = []string{
	"get-availability", "get-resource", "get-service", "get-services-availability", "get-tenant-hours",
	"list-resources", "list-services",
	"quote-booking",
}

// visitorOperations are what a visitor of a website does.
var visitorOperations = []string{
	"confirm-hold",
	"create-hold",
	"get-hold",
	"get-hold-payment",
	"get-payment-options",
	"pay-hold",
	"release-hold",
}

func TestScopes_EveryRegisteredRouteOfATenant_DeclaresOne(t *testing.T) {
	t.Parallel()
	api := New(Config{AdminKey: "x"}, usecase.All{})
	described := map[string]bool{} // by method and path
	scopes := map[operation.Scope]int{}
	for path, item := range api.huma.OpenAPI().Paths {
		for _, op := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
			if op == nil {
				continue
			}
			r, ok := op.Metadata[metadataRoute].(route)
			require.True(t, ok, op.OperationID)
			described[op.Method+" "+strings.NewReplacer("{", ":", "}", "").Replace(path)] = true
			if r.key != tenantKey {
				require.Empty(t, r.op.Scope, "%s needs no tenant's key", op.OperationID)
				continue
			}
			require.Contains(t, tenant.AllScopes(), r.op.Scope,
				"%s: a tenant's route names the scope that its key needs",
				op.OperationID)
			require.Equal(t, []map[string][]string{{schemeAPIKey: {string(r.op.Scope)}}}, op.Security, op.OperationID)
			bookable := slices.Contains(catalogOperations, op.OperationID)
			require.Equal(t, bookable, r.op.Scope == operation.ScopeCatalog, op.OperationID)
			more := strings.HasPrefix(path, "/v1/api-keys") || strings.HasPrefix(path, "/v1/users") ||
				strings.HasPrefix(op.OperationID, "list-all-payments") || op.OperationID == "sum-offline-payments" ||
				op.OperationID == "reconcile" ||
				// the link lets its reader change the booking
				op.OperationID == "export-customer" || op.OperationID == "get-booking-link"
			visitors := slices.Contains(visitorOperations, op.OperationID)
			require.Equal(t, visitors, r.op.Scope == operation.ScopeHold, op.OperationID)
			require.Equal(t, op.Method == http.MethodGet && !more && !bookable && !visitors,
				r.op.Scope == operation.ScopeRead,
				"%s: read is for all other reads, but of keys, of users, of all payments and of all about a customer",
				op.OperationID)
			scopes[r.op.Scope]++
		}
	}
	require.Len(t, scopes, len(tenant.AllScopes()))
	// Routes that aren't described need no tenant's key.
	for _, r := range api.Edge.Engine().Routes() {
		open := r.Path == "/" || r.Path == "/unsubscribe" ||
			slices.ContainsFunc(
				[]string{"/docs", "/openapi.", "/webhooks/", "/healthz", "/readyz", "/metrics"},
				func(prefix string) bool {
					return strings.HasPrefix(r.Path, prefix)
				},
			)
		open = open || r.Method == http.MethodHead || r.Method == http.MethodOptions
		require.True(t, open || described[r.Method+" "+r.Path], "%s %s is not described", r.Method, r.Path)
	}
}
