package event

import "holdfast/internal/operation"

// The operations: what the requests are called and need.
var (
	OpCancelScheduledEvent = operation.Operation{Name: "cancel-scheduled-event", Scope: operation.ScopeAdmin,
		Once: true}
	OpGetScheduledEvent    = operation.Operation{Name: "get-scheduled-event", Scope: operation.ScopeRead}
	OpListScheduledEvents  = operation.Operation{Name: "list-scheduled-events", Scope: operation.ScopeRead, List: true}
	OpReplayScheduledEvent = operation.Operation{Name: "replay-scheduled-event", Scope: operation.ScopeAdmin,
		Once: true}
)
