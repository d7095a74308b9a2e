package change

import "holdfast/internal/operation"

// The operations: what the requests are called and need.
var (
	OpListEvents             = operation.Operation{Name: "list-events", Scope: operation.ScopeRead, List: true}
	OpListEventsOfAllTenants = operation.Operation{Name: "list-events-of-all-tenants"}
)
