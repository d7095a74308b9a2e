package event

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db"
)

// Subject is what an event is about.
type Subject struct {
	// Type is one of the types of subjects, such as SubjectBooking.
	Type string
	ID   uuid.UUID
}

// Event is a scheduled event that a worker holds.
type Event struct {
	TenantID uuid.UUID
	ID       uuid.UUID
	Kind     string
	Subject  Subject
	// Occurrence tells the events of one kind and subject apart.
	Occurrence string
	// DueAt is UTC. TimeZone is the zone in which it was computed.
	DueAt    time.Time
	TimeZone string
	// Attempt counts from 1, and again from 1 after a replay.
	Attempt int
	// Version is that of the lease. Each lease has another version.
	Version int64
	// Data are the kind's own, a JSON object.
	Data json.RawMessage
	// LeasedAt is by the database's clock.
	LeasedAt time.Time
	// Lease is the fencing token of the lease.
	Lease uuid.UUID
}

func fromLeased(c LeasedEvent) Event {
	return Event{
		TenantID:   c.TenantID,
		ID:         c.EventID,
		Kind:       c.Kind,
		Subject:    Subject{Type: c.SubjectType, ID: c.SubjectID},
		Occurrence: c.Occurrence,
		DueAt:      c.DueAt.UTC(),
		TimeZone:   c.TimeZone,
		Attempt:    int(c.Attempts),
		Version:    c.Version,
		Data:       c.Data,
		LeasedAt:   c.LeasedAt,
		Lease:      *c.Lease,
	}
}

func fromNew(tenant uuid.UUID, e db.NewEvent) Event {
	return Event{
		TenantID:   tenant,
		ID:         e.EventID,
		Kind:       e.Kind,
		Subject:    Subject{Type: e.SubjectType, ID: e.SubjectID},
		Occurrence: e.Occurrence,
		DueAt:      e.DueAt,
		TimeZone:   e.TimeZone,
		Data:       e.Data,
	}
}

// New makes an event that is to be planned. Every planned event comes from here. occurrence is its idempotency key
// among the events of the kind and the subject: planning it again changes nothing. loc is the zone in which due was
// computed.
func New(kind string, subject Subject, occurrence string, due time.Time, loc *time.Location) db.NewEvent {
	return db.NewEvent{
		EventID:     uuid.Must(uuid.NewV7()),
		Kind:        kind,
		SubjectType: subject.Type,
		SubjectID:   subject.ID,
		Occurrence:  occurrence,
		DueAt:       due.UTC(),
		TimeZone:    loc.String(),
	}
}
