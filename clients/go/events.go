package holdfast

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// ReceivedEvent is an event, in the feed and in webhooks. Its data has the type that its own type tells: see DataOf.
type ReceivedEvent struct {
	ID      uuid.UUID `json:"id"`
	Type    EventType `json:"type"`
	Subject struct {
		ID   uuid.UUID `json:"id"`
		Type string    `json:"type"`
	} `json:"subject"`
	// Sequence is the subject's version after the change. Overwrite your copy of the subject only if it is not lower.
	Sequence int64 `json:"sequence"`
	// TenantID is whose event it is, in the feed and the webhooks of all tenants; nil elsewhere.
	TenantID *uuid.UUID `json:"tenant_id"`
	// Operator is who acted in the tenant's place, empty if nobody did.
	Operator   string          `json:"operator"`
	OccurredAt time.Time       `json:"occurred_at"`
	Data       json.RawMessage `json:"data"`
}

// DataOf returns the data of an event: DataOf[holdfast.Booking](event) for booking.…, BookingWithPayment for payment.…,
// LedgerTransaction for wallet.…, and Customer, Service, Resource, Closure, Block and WebhookEndpoint for the others.
func DataOf[T any](event ReceivedEvent) (T, error) {
	var data T
	if err := json.Unmarshal(event.Data, &data); err != nil {
		return data, fmt.Errorf("decode the data of %s: %w", event.Type, err)
	}
	return data, nil
}
