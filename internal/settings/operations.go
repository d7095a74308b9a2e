package settings

import "holdfast/internal/operation"

// The operations: what the requests are called and need.
var (
	OpChangeTenant   = operation.Operation{Name: "change-tenant", Scope: operation.ScopeAdmin}
	OpGetTenant      = operation.Operation{Name: "get-tenant", Scope: operation.ScopeRead}
	OpGetTenantHours = operation.Operation{Name: "get-tenant-hours", Scope: operation.ScopeCatalog}
	OpPreviewEmail   = operation.Operation{Name: "preview-email", Scope: operation.ScopeAdmin}
	OpRemoveLogo     = operation.Operation{Name: "remove-logo", Scope: operation.ScopeAdmin}
	OpSetLogo        = operation.Operation{Name: "set-logo", Scope: operation.ScopeAdmin}
	OpSetTenantHours = operation.Operation{Name: "set-tenant-hours", Scope: operation.ScopeAdmin}
)
