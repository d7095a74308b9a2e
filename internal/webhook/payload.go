package webhook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/change"
	"holdfast/internal/event"
)

// PingType is the type of the event that tests an endpoint. It is not in the feed.
const PingType = "webhook.ping"

// payload is what is sent: an event, to the operator with its tenant.
type payload struct {
	TenantID *uuid.UUID `json:"tenant_id,omitempty"`
	change.EventBody
}

// payloadOf returns what is sent of an event.
func payloadOf(e eventRow, data deliveryData) *payload {
	return &payload{TenantID: data.TenantID, EventBody: change.EventOf(change.Record{
		ChangeID:    e.ChangeID,
		Type:        e.Type,
		SubjectType: e.SubjectType,
		SubjectID:   e.SubjectID,
		Version:     e.Version,
		Operator:    e.Operator,
		OccurredAt:  e.OccurredAt,
		Data:        e.Data,
	})}
}

// pingOf returns the event of a ping, with the endpoint as its data. It is not in the feed.
func pingOf(id uuid.UUID, at time.Time, e Endpoint) (*payload, error) {
	data, err := encode(e.Body())
	return &payload{EventBody: change.EventBody{
		ID: id, Type: PingType, Subject: change.SubjectBody{Type: event.SubjectEndpoint, ID: e.ID}, Sequence: e.Version,
		OccurredAt: at.UTC(), Data: data,
	}}, err
}

// encode returns v as JSON, without HTML escaping.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode a webhook: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// deliveryData are the data of the scheduled event that makes a delivery. The relay writes them in SQL, too (FeedRelay
// and WebhookRangeReplay, and WebhookRangeReplayAcross).
type deliveryData struct {
	EventID   uuid.UUID `json:"event_id"`
	SubjectID uuid.UUID `json:"subject_id"` // of the event
	Type      string    `json:"type"`
	// TenantID is that of the event, in a delivery to the operator; nil if the event is of no tenant.
	TenantID *uuid.UUID `json:"tenant_id,omitempty"`
	// PingAt is when a ping was asked for; nil if the event is in the feed.
	PingAt *time.Time `json:"ping_at,omitempty"`
}

func readDeliveryData(raw []byte) (d deliveryData, err error) {
	if err := json.Unmarshal(raw, &d); err != nil {
		return d, fmt.Errorf("decode a delivery: %w", err)
	}
	return d, nil
}
