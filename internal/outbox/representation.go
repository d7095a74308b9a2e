package outbox

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/store"
)

// Body is an event of the outbox, in the API and in webhooks.
type Body struct {
	ID         uuid.UUID   `json:"id" format:"uuid" doc:"The same wherever the event is delivered."`
	Type       string      `json:"type" example:"booking.confirmed"`
	Subject    SubjectBody `json:"subject"`
	Sequence   int64       `json:"sequence" example:"2" doc:"The subject's version after the change. The changes of a booking, customer or wallet come in this order, without gaps. Notices, such as booking.reminder, change nothing and have the version of the last change."`
	OccurredAt time.Time   `json:"occurred_at"`
	Data       Data        `json:"data" doc:"The subject after the change, as the API shows it. Events of payments have the booking, with the payment or refund as payment."`
}

// Data is a JSON object, as it was written.
type Data json.RawMessage

// MarshalJSON returns the object.
func (d Data) MarshalJSON() ([]byte, error) { return d, nil }

// SubjectBody names what changed.
type SubjectBody struct {
	Type string    `json:"type" example:"booking"`
	ID   uuid.UUID `json:"id" format:"uuid"`
}

// BodyOf returns an event as the API shows it.
func BodyOf(e store.StoredOutboxEvent) Body {
	return Body{
		ID: e.EventID, Type: e.Type, Subject: SubjectBody{Type: e.SubjectType, ID: e.SubjectID}, Sequence: e.Sequence,
		OccurredAt: e.OccurredAt.UTC(), Data: Data(e.Data),
	}
}
