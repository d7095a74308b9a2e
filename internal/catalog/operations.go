package catalog

import "holdfast/internal/operation"

// The operations: what the requests are called and need.
var (
	OpArchiveBlock      = operation.Operation{Name: "archive-block", Scope: operation.ScopeAdmin, Once: true}
	OpArchiveClosure    = operation.Operation{Name: "archive-closure", Scope: operation.ScopeAdmin, Once: true}
	OpArchiveResource   = operation.Operation{Name: "archive-resource", Scope: operation.ScopeAdmin, Once: true}
	OpArchiveService    = operation.Operation{Name: "archive-service", Scope: operation.ScopeAdmin, Once: true}
	OpChangeBlock       = operation.Operation{Name: "change-block", Scope: operation.ScopeAdmin}
	OpChangeClosure     = operation.Operation{Name: "change-closure", Scope: operation.ScopeAdmin}
	OpChangeResource    = operation.Operation{Name: "change-resource", Scope: operation.ScopeAdmin}
	OpChangeService     = operation.Operation{Name: "change-service", Scope: operation.ScopeAdmin}
	OpCreateBlock       = operation.Operation{Name: "create-block", Scope: operation.ScopeAdmin, Once: true}
	OpCreateClosure     = operation.Operation{Name: "create-closure", Scope: operation.ScopeAdmin, Once: true}
	OpCreateResource    = operation.Operation{Name: "create-resource", Scope: operation.ScopeAdmin, Once: true}
	OpCreateService     = operation.Operation{Name: "create-service", Scope: operation.ScopeAdmin, Once: true}
	OpGetBlock          = operation.Operation{Name: "get-block", Scope: operation.ScopeRead}
	OpGetClosure        = operation.Operation{Name: "get-closure", Scope: operation.ScopeRead}
	OpGetResource       = operation.Operation{Name: "get-resource", Scope: operation.ScopeCatalog}
	OpGetService        = operation.Operation{Name: "get-service", Scope: operation.ScopeCatalog}
	OpListBlocks        = operation.Operation{Name: "list-blocks", Scope: operation.ScopeRead, List: true}
	OpListClosures      = operation.Operation{Name: "list-closures", Scope: operation.ScopeRead, List: true}
	OpListResources     = operation.Operation{Name: "list-resources", Scope: operation.ScopeCatalog, List: true}
	OpListServices      = operation.Operation{Name: "list-services", Scope: operation.ScopeCatalog, List: true}
	OpSetHours          = operation.Operation{Name: "set-hours", Scope: operation.ScopeAdmin}
	OpUnarchiveBlock    = operation.Operation{Name: "unarchive-block", Scope: operation.ScopeAdmin, Once: true}
	OpUnarchiveClosure  = operation.Operation{Name: "unarchive-closure", Scope: operation.ScopeAdmin, Once: true}
	OpUnarchiveResource = operation.Operation{Name: "unarchive-resource", Scope: operation.ScopeAdmin, Once: true}
	OpUnarchiveService  = operation.Operation{Name: "unarchive-service", Scope: operation.ScopeAdmin, Once: true}
)
