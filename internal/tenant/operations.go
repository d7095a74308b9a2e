package tenant

import "holdfast/internal/operation"

// The operations: what the requests are called and need.
var (
	OpChangeOwnAPIKey = operation.Operation{Name: "change-own-api-key", Scope: operation.ScopeAdmin}
	OpCorrectTenant   = operation.Operation{Name: "correct-tenant"}
	OpCreateAPIKey    = operation.Operation{Name: "create-api-key", Once: true}
	OpCreateOwnAPIKey = operation.Operation{Name: "create-own-api-key", Scope: operation.ScopeAdmin, Once: true}
	OpCreateTenant    = operation.Operation{Name: "create-tenant", Once: true}
	OpDeleteTenant    = operation.Operation{Name: "delete-tenant"}
	OpExportTenant    = operation.Operation{Name: "export-tenant"}
	OpGetOwnAPIKey    = operation.Operation{Name: "get-own-api-key", Scope: operation.ScopeAdmin}
	OpListAPIKeys     = operation.Operation{Name: "list-api-keys"}
	OpListOwnAPIKeys  = operation.Operation{Name: "list-own-api-keys", Scope: operation.ScopeAdmin, List: true}
	OpListTenants     = operation.Operation{Name: "list-tenants"}
	OpReadTenant      = operation.Operation{Name: "read-tenant"}
	OpResumeTenant    = operation.Operation{Name: "resume-tenant", Once: true}
	OpRevokeAPIKey    = operation.Operation{Name: "revoke-api-key"}
	OpRevokeOwnAPIKey = operation.Operation{Name: "revoke-own-api-key", Scope: operation.ScopeAdmin}
	OpRotateOwnAPIKey = operation.Operation{Name: "rotate-own-api-key", Scope: operation.ScopeAdmin, Once: true}
	OpSuspendTenant   = operation.Operation{Name: "suspend-tenant", Once: true}
)
