package settings

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/event"
)

// PlanAhead returns the event that plans a tenant's messages, those that are due after a time. A tenant has one such
// event. A transaction that moves it has it begin anew: the worker that handles it loses its lease, and what it found
// by the older settings isn't written.
func PlanAhead(tenant uuid.UUID, after time.Time) db.NewEvent {
	e := event.New(event.KindPlanAhead, event.Subject{Type: event.SubjectTenant, ID: tenant}, "", after, time.UTC)
	e.Data = json.RawMessage(`{"after":"` + after.UTC().Format(time.RFC3339Nano) + `"}`)
	return e
}
