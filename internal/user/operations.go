package user

import "holdfast/internal/operation"

// The operations: what the requests are called and need.
var (
	OpChangeUser = operation.Operation{Name: "change-user", Scope: operation.ScopeAdmin}
	OpGetUser    = operation.Operation{Name: "get-user", Scope: operation.ScopeAdmin}
	OpInviteUser = operation.Operation{Name: "invite-user", Scope: operation.ScopeAdmin, Once: true}
	OpListUsers  = operation.Operation{Name: "list-users", Scope: operation.ScopeAdmin, List: true}
	OpRemoveUser = operation.Operation{Name: "remove-user", Scope: operation.ScopeAdmin}
)
