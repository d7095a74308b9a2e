package webhook

import (
	"time"
)

// EventType is a type of events that an endpoint wants. It matches TypePattern.
type EventType string

// EndpointRequest asks for a webhook endpoint.
type EndpointRequest struct {
	URL         string      `json:"url" maxLength:"2000" example:"https://example.com/webhooks" doc:"An https URL on the public internet."`
	Types       []EventType `json:"types" nullable:"false" minItems:"1" maxItems:"50" doc:"Types of the events: exact, such as booking.created, a group such as booking.*, or *."`
	Description string      `json:"description,omitempty" maxLength:"500" example:"Production"`
}

// EndpointPatch changes a webhook endpoint. What is nil stays.
type EndpointPatch struct {
	URL         *string     `json:"url,omitempty" maxLength:"2000" example:"https://example.com/webhooks"`
	Types       []EventType `json:"types,omitempty" nullable:"false" minItems:"1" maxItems:"50"`
	Description *string     `json:"description,omitempty" nullable:"true" maxLength:"500" example:"Production"`
	// Enabled true also closes the circuit. False cancels each planned delivery when it is due.
	Enabled *bool `json:"enabled,omitempty" example:"true" doc:"false cancels each planned delivery when it is due. true also forgets earlier failures."`
}

// Range names events that are delivered again: those that follow the cursor After in the feed, occurred at From or
// later and before To. What is empty or nil leaves a bound out.
type Range struct {
	After string     `json:"after,omitempty" maxLength:"100" example:"AeJ9Yw4AAAAAAAAEsgGX8MY7fnwxil4NDF9rehA" doc:"A cursor of the feed, or next_cursor of the replay before: only events that follow it."`
	From  *time.Time `json:"from,omitempty" example:"2027-07-01T10:00:00Z" doc:"Only events that occurred then or later."`
	To    *time.Time `json:"to,omitempty" example:"2027-07-02T10:00:00Z" doc:"Only events that occurred before."`
}

func textsOf(types []EventType) []string {
	list := make([]string, len(types))
	for i, t := range types {
		list[i] = string(t)
	}
	return list
}
