package change

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"
)

// EventBody is a change or a notice, in the feed and in webhooks.
type EventBody struct {
	ID         uuid.UUID   `json:"id" format:"uuid" doc:"The same wherever the event is delivered."`
	Type       string      `json:"type" example:"booking.confirmed"`
	Subject    SubjectBody `json:"subject"`
	Sequence   int64       `json:"sequence" example:"2" doc:"The subject's version after the change. The changes of a booking, customer or wallet come in this order, without gaps. Notices, such as booking.reminder, change nothing and have the version of the last change."`
	OccurredAt time.Time   `json:"occurred_at"`
	Operator   string      `json:"operator,omitempty" example:"Ada, support" doc:"The name that the operator gave who made the change for the tenant. Absent of all other changes."`
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

// OperatorEventBody is an event of any tenant, as the operator sees it.
type OperatorEventBody struct {
	TenantID uuid.UUID `json:"tenant_id" format:"uuid"`
	EventBody
}

// OperatorBody returns the event with its tenant.
func (e Event) OperatorBody() OperatorEventBody { return OperatorEventBody{e.TenantID, e.EventBody} }

// Body returns the event as its tenant sees it.
func (e Event) Body() EventBody { return e.EventBody }

// EventOf returns a change or notice as the feed shows it.
func EventOf(c Record) EventBody {
	e := EventBody{
		ID: c.ChangeID, Type: c.Type, Subject: SubjectBody{Type: c.SubjectType, ID: c.SubjectID}, Sequence: c.Version,
		OccurredAt: c.OccurredAt.UTC(), Data: Data(c.Data),
	}
	if c.Operator != nil {
		e.Operator = *c.Operator
	}
	return e
}

// PersonBody is a person in a history.
type PersonBody struct {
	ID   uuid.UUID `json:"id" format:"uuid"`
	Name string    `json:"name,omitempty" example:"Ada Lovelace" doc:"Also of a user who was removed."`
}

// HistoryEntry is an entry of a history.
type HistoryEntry struct {
	Version    int64       `json:"version" example:"2" doc:"The subject's version after the change. A subject has one entry for each version."`
	Action     string      `json:"action" example:"booking.rescheduled"`
	APIKeyID   *uuid.UUID  `json:"api_key_id,omitempty" format:"uuid" doc:"The API key that asked for the change. Absent for the server's own work, such as the expiry of a hold, and for the operator's."`
	Operator   *string     `json:"operator,omitempty" example:"Ada, support" doc:"The name that the operator gave who made the change for the tenant."`
	User       *PersonBody `json:"user,omitempty" doc:"The person who made the change in the console."`
	RequestID  *string     `json:"request_id,omitempty" doc:"The Request-Id of the request that asked for the change."`
	OccurredAt time.Time   `json:"occurred_at"`
	Before     Data        `json:"before,omitempty" doc:"The fields that changed, before the change. Absent for a creation, and for the oldest entry that is kept."`
	After      Data        `json:"after,omitempty" doc:"The fields that changed, after the change; all fields where there is no before."`
}
