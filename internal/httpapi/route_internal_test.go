package httpapi

import (
	"net/url"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/require"

	"holdfast/internal/operation"
	"holdfast/internal/usecase"
)

func TestCosts_ExpensiveRoutes_DeclareTheirCost(t *testing.T) {
	t.Parallel()
	paths := New(Config{}, usecase.All{}).huma.OpenAPI().Paths
	for path, query := range map[string]string{
		"/v1/services/{id}/availability": "from=2027-01-01&to=2027-12-31", "/v1/bookings": "limit=200",
		"/v1/resources": "limit=200",
		"/v1/services":  "limit=200", "/v1/closures": "limit=200", "/v1/payments/{id}/receipt.pdf": "",
	} {
		values, err := url.ParseQuery(query)
		require.NoError(t, err)
		declared, ok := paths[path].Get.Metadata[metadataRoute].(route)
		require.True(t, ok, path)
		require.Greater(t, declared.permits(values), 1, path)
	}
}

func TestRoutes_ThatCallTheProvider_DeclareTheirClass(t *testing.T) {
	t.Parallel()
	calls := map[string]bool{
		"create-payment": true, "create-refund": true, "refund-overpaid": true, "cancel-payment": true,
		"pay-hold":               true,
		"create-payment-account": true, "get-payment-account": true, "get-payment-options": true,
		"create-onboarding-link": true,
		"reconcile":              true,
	}
	for _, item := range New(Config{}, usecase.All{}).huma.OpenAPI().Paths {
		for _, op := range []*huma.Operation{item.Get, item.Post, item.Put, item.Delete} {
			if op == nil {
				continue
			}
			declared, ok := op.Metadata[metadataRoute].(route)
			require.True(t, ok, op.OperationID)
			require.Equal(t, calls[op.OperationID], declared.op.CallsProvider, op.OperationID)
		}
	}
}

func TestCosts_FollowTheDatesAndTheLimit(t *testing.T) {
	t.Parallel()
	for query, cost := range map[string]int{
		"from=2027-01-01&to=2027-01-01": 4, "from=2027-01-01&to=2027-01-31": 4, "from=2027-01-01&to=2027-02-01": 8,
		"from=2027-01-01&to=2027-12-31&slots=false": 8, "from=x&to=y": 8, "": 8,
		"from=2027-01-01&to=2027-01-31&service_ids=a": 4, "from=2027-01-01&to=2027-01-31&service_ids=a,b": 8,
		"from=2027-01-01&to=2027-01-03&service_ids=a,b,c,d,e,f,g,h,i,j": 4,
		"from=2027-01-01&to=2027-01-04&service_ids=a,b,c,d,e,f,g,h,i,j": 8,
		"from=2027-01-01&to=2027-01-03&resource_id=a":                   4,
		"from=2027-01-01&to=2027-01-04&resource_id=a":                   8,
	} {
		values, err := url.ParseQuery(query)
		require.NoError(t, err)
		require.Equal(t, cost, costOfAvailability(values), query)
	}
	for query, cost := range map[string]int{"": 1, "limit=1": 1, "limit=50": 1, "limit=51": 2, "limit=200": 4,
		"limit=1000000": 4,
		"limit=-1":      1, "limit=x": 1} {
		values, err := url.ParseQuery(query)
		require.NoError(t, err)
		require.Equal(t, cost, costOfList(values), query)
		require.Equal(t, operation.FullPage, conflictsOf("tenant", "/v1", "Bookings").permits(values),
			"a page looks at many more bookings than it shows")
	}
}
