package webhook

import "holdfast/internal/operation"

// The operations: what the requests are called and need.
var (
	OpChangeWebhookEndpoint = operation.Operation{Name: "change-webhook-endpoint", Scope: operation.ScopeAdmin}
	OpCreateWebhookEndpoint = operation.Operation{Name: "create-webhook-endpoint", Scope: operation.ScopeAdmin,
		Once: true}
	OpDeleteWebhookEndpoint = operation.Operation{Name: "delete-webhook-endpoint", Scope: operation.ScopeAdmin}
	// A delivery's log may have a megabyte of responses.
	OpGetDelivery           = operation.Operation{Name: "get-delivery", Scope: operation.ScopeRead, Permits: 4}
	OpGetWebhookEndpoint    = operation.Operation{Name: "get-webhook-endpoint", Scope: operation.ScopeRead}
	OpListBookingDeliveries = operation.Operation{Name: "list-booking-deliveries", Scope: operation.ScopeRead,
		List: true}
	OpListDeliveries       = operation.Operation{Name: "list-deliveries", Scope: operation.ScopeRead, List: true}
	OpListWebhookEndpoints = operation.Operation{Name: "list-webhook-endpoints", Scope: operation.ScopeRead,
		List: true}
	OpPingWebhookEndpoint = operation.Operation{Name: "ping-webhook-endpoint", Scope: operation.ScopeAdmin,
		Once: true}
	OpReplayDelivery      = operation.Operation{Name: "replay-delivery", Scope: operation.ScopeAdmin, Once: true}
	OpReplayWebhookEvents = operation.Operation{Name: "replay-webhook-events", Scope: operation.ScopeAdmin,
		Once: true}
	OpRotateWebhookSecret = operation.Operation{Name: "rotate-webhook-secret", Scope: operation.ScopeAdmin,
		Once: true}
)
