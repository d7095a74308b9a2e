package webhook

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/event"
)

// deliveryKind is the kind of deliveries.
const deliveryKind = "delivery"

// EndpointBody is an endpoint as the API shows it.
type EndpointBody struct {
	ID             uuid.UUID  `json:"id" format:"uuid"`
	URL            string     `json:"url" example:"https://example.com/webhooks"`
	Types          []string   `json:"types" nullable:"false" example:"[\"booking.*\"]"`
	Description    string     `json:"description"`
	Status         Status     `json:"status" enum:"enabled,disabled,gone" doc:"gone: the endpoint answered 410."`
	DisabledReason string     `json:"disabled_reason,omitempty" doc:"Why the endpoint is not enabled."`
	FailingSince   *time.Time `json:"failing_since,omitempty" doc:"When the first attempt failed after the last one that succeeded. After five days the endpoint is disabled."`
	CreatedAt      time.Time  `json:"created_at"`
	UpdatedAt      time.Time  `json:"updated_at"`
}

// EndpointWithSecretBody is an endpoint in the responses that show its secret.
type EndpointWithSecretBody struct {
	EndpointBody
	Secret string `json:"secret,omitempty" example:"whsec_…" doc:"Verify signatures with it. It is shown this once: a repeated request is answered without it. If you lost the response, replace the secret."`
}

// DeliveryBody is the delivery of one event to one endpoint.
type DeliveryBody struct {
	ID            uuid.UUID    `json:"id" format:"uuid"`
	EndpointID    uuid.UUID    `json:"endpoint_id" format:"uuid"`
	EventID       uuid.UUID    `json:"event_id" format:"uuid" doc:"The id of the event, and the value of webhook-id."`
	TenantID      *uuid.UUID   `json:"tenant_id,omitempty" format:"uuid" doc:"Of deliveries to the operator: the tenant of the event."`
	Type          string       `json:"type" example:"booking.created"`
	Status        event.Status `json:"status" doc:"failed: it is tried again at next_attempt_at. dead: the last attempt failed."`
	Attempts      int          `json:"attempts" doc:"How many attempts were made, since the last replay."`
	NextAttemptAt *time.Time   `json:"next_attempt_at,omitempty"`
	Error         string       `json:"error,omitempty" doc:"Why the last attempt failed, or why the delivery was cancelled."`
	CreatedAt     time.Time    `json:"created_at"`
	UpdatedAt     time.Time    `json:"updated_at"`
}

// DeliveryWithLogBody is a delivery with its last attempts.
type DeliveryWithLogBody struct {
	DeliveryBody
	Log []AttemptBody `json:"log" nullable:"false" doc:"The last 50 attempts, the newest first."`
}

// AttemptBody is one attempt of a delivery. Its request, response and failure are as they were logged.
type AttemptBody struct {
	Attempt    int       `json:"attempt" doc:"Counts from 1, and again from 1 after a replay."`
	Status     string    `json:"status" enum:"completed,failed,dead,cancelled,pending" doc:"The status of the delivery after the attempt."`
	Error      string    `json:"error,omitempty"`
	StartedAt  time.Time `json:"started_at"`
	FinishedAt time.Time `json:"finished_at"`
	AttemptLog
}

// AttemptLog is what is logged of an attempt. It is exported because huma sees embedded structs only if they are.
type AttemptLog struct {
	Request  *RequestLog  `json:"request,omitempty"`
	Response *ResponseLog `json:"response,omitempty" doc:"Absent if no usable response came: see failure."`
	Failure  Reason       `json:"failure,omitempty" enum:"blocked_address,redirect,timeout,dns,connect,tls,protocol" doc:"Why no usable response came."`
	TookMS   int64        `json:"took_ms" doc:"How long the exchange took, in milliseconds."`
}

// RequestLog is what was sent.
type RequestLog struct {
	URL       string    `json:"url"`
	Timestamp time.Time `json:"timestamp" doc:"The time of webhook-timestamp."`
	Body      string    `json:"body" doc:"Up to 4 KiB. Empty of a delivery to the operator."`
	Truncated bool      `json:"truncated,omitempty" doc:"The body was longer."`
}

// ResponseLog is what was kept of a response.
type ResponseLog struct {
	Status      int    `json:"status"`
	ContentType string `json:"content_type,omitempty"`
	RetryAfter  string `json:"retry_after,omitempty"`
	Body        string `json:"body" doc:"Up to 16 KiB. Empty of a delivery to the operator."`
	Truncated   bool   `json:"truncated,omitempty" doc:"The body was longer."`
}

// RangeBody tells what a replay of a range came to. NextCursor is nil if fewer events than one request delivers were
// left.
type RangeBody struct {
	Deliveries int64   `json:"deliveries" doc:"How many events are delivered again. At most 10000 at once."`
	NextCursor *string `json:"next_cursor,omitempty" doc:"Give it as after to replay the rest of the range, if any. Absent if fewer than 10000 events are delivered again."`
}

// JSONSize returns about how many bytes of JSON the unbounded parts of an endpoint have. A page ends by it.
func (e Endpoint) JSONSize() int {
	const eventType = 84
	return len(e.URL) + len(e.Description) + eventType*len(e.Types)
}

// Body returns the endpoint as the API shows it.
func (e Endpoint) Body() EndpointBody {
	return EndpointBody{
		ID:             e.ID,
		URL:            e.URL,
		Types:          e.Types,
		Description:    e.Description,
		Status:         e.Status,
		DisabledReason: e.DisabledReason,
		FailingSince:   e.FailingSince,
		CreatedAt:      e.CreatedAt,
		UpdatedAt:      e.UpdatedAt,
	}
}

func deliveryBody(d deliveryRow) (DeliveryBody, error) {
	data, err := readDeliveryData(d.Data)
	if err != nil {
		return DeliveryBody{}, err
	}
	b := DeliveryBody{
		ID:         d.EventID,
		EndpointID: d.SubjectID,
		EventID:    data.EventID,
		TenantID:   data.TenantID,
		Type:       data.Type,
		Status:     event.Status(d.Status),
		Attempts:   int(d.Attempts),
		CreatedAt:  d.CreatedAt.UTC(),
		UpdatedAt:  d.UpdatedAt.UTC(),
	}
	if s := event.Status(d.Status); s == event.Pending || s == event.Failed {
		b.NextAttemptAt = utc(&d.DueAt)
	}
	if d.LastError != nil {
		b.Error = *d.LastError
	}
	return b, nil
}

func attemptBody(a event.Attempt) (AttemptBody, error) {
	b := AttemptBody{
		Attempt:    int(a.Attempt),
		Status:     a.Status,
		StartedAt:  a.StartedAt.UTC(),
		FinishedAt: a.FinishedAt.UTC(),
	}
	if a.Error != nil {
		b.Error = *a.Error
	}
	if err := json.Unmarshal(a.Details, &b.AttemptLog); err != nil {
		return b, fmt.Errorf("decode an attempt: %w", err)
	}
	return b, nil
}
