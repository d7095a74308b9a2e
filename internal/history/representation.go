package history

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/store"
)

// ChangeBody is an entry of a history, as the API shows it.
type ChangeBody struct {
	Version    int64      `json:"version" example:"2" doc:"The subject's version after the change. A subject has one entry for each version."`
	Action     string     `json:"action" example:"booking.rescheduled"`
	APIKeyID   *uuid.UUID `json:"api_key_id,omitempty" format:"uuid" doc:"The API key that asked for the change. Absent for the server's own work, such as the expiry of a hold."`
	RequestID  *string    `json:"request_id,omitempty" doc:"The Request-Id of the request that asked for the change."`
	OccurredAt time.Time  `json:"occurred_at"`
	Before     Fields     `json:"before,omitempty" doc:"The fields that changed, before the change. Absent for a creation."`
	After      Fields     `json:"after,omitempty" doc:"The fields that changed, after the change; all fields for a creation."`
}

// Fields is a JSON object with fields of an API representation.
type Fields json.RawMessage

// MarshalJSON returns the object.
func (f Fields) MarshalJSON() ([]byte, error) { return f, nil }

// BodyOf returns an entry as the API shows it.
func BodyOf(e store.StoredHistoryEntry) ChangeBody {
	return ChangeBody{
		Version: e.Version, Action: e.Action, APIKeyID: e.ApiKeyID, RequestID: e.RequestID, OccurredAt: e.OccurredAt.UTC(),
		Before: Fields(e.Before), After: Fields(e.After),
	}
}
