package tracing

import "go.opentelemetry.io/otel/attribute"

// Attributes that the semantic conventions of OpenTelemetry don't have.
const (
	// TenantID is the tenant on whose behalf something is done.
	TenantID = attribute.Key("holdfast.tenant.id")
	// Statements are the names of a batch's statements, in their order.
	Statements = attribute.Key("holdfast.db.statements")
	// LockKind is the kind of the locks: date, balance, wallet, or several of them. LockCount is how many locks there
	// are.
	LockKind  = attribute.Key("holdfast.lock.kind")
	LockCount = attribute.Key("holdfast.lock.count")
	// LocksGranted is how many locks were granted of those that were tried and not waited for.
	LocksGranted = attribute.Key("holdfast.lock.granted")
	// GroupSize is how many requests share the transaction.
	GroupSize = attribute.Key("holdfast.group.size")
	// EventID, EventKind, EventAttempt and EventOutcome tell of an attempt at a scheduled event.
	EventID      = attribute.Key("holdfast.event.id")
	EventKind    = attribute.Key("holdfast.event.kind")
	EventAttempt = attribute.Key("holdfast.event.attempt")
	EventOutcome = attribute.Key("holdfast.event.outcome")
	// Provider and Operation tell of a call of a payment provider, PaymentID of the payment or refund.
	Provider  = attribute.Key("holdfast.payment.provider")
	Operation = attribute.Key("holdfast.payment.operation")
	PaymentID = attribute.Key("holdfast.payment.id")
	// Result is the provider's outcome.
	Result = attribute.Key("holdfast.payment.result")
	// EndpointID is a tenant's webhook endpoint.
	EndpointID = attribute.Key("holdfast.webhook.endpoint.id")
)
