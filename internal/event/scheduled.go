package event

import (
	"time"

	"github.com/google/uuid"

	"holdfast/internal/etag"
	"holdfast/internal/timezone"
)

// Scheduled is a scheduled event as it is stored.
type Scheduled struct {
	ID      uuid.UUID
	Kind    string
	Subject Subject
	// Occurrence tells the events of one kind and subject apart.
	Occurrence string
	Status     Status
	// DueAt is in the zone TimeZone, in which it was computed.
	DueAt    time.Time
	TimeZone string
	// Attempts counts anew after a replay.
	Attempts int
	// Version grows with every change.
	Version int64
	// LastError is why the last attempt failed, or why the event was cancelled; nil if neither.
	LastError            *string
	CreatedAt, UpdatedAt time.Time
}

// ETag returns the strong entity tag of the event's version.
func (e Scheduled) ETag() string { return etag.Of(e.Version) }

func fromRow(r eventRow) Scheduled {
	return Scheduled{
		ID:         r.EventID,
		Kind:       r.Kind,
		Subject:    Subject{Type: r.SubjectType, ID: r.SubjectID},
		Occurrence: r.Occurrence,
		Status:     Status(r.Status),
		DueAt:      inZone(r.DueAt, r.TimeZone),
		TimeZone:   r.TimeZone,
		Attempts:   int(r.Attempts),
		Version:    r.Version,
		LastError:  r.LastError,
		CreatedAt:  r.CreatedAt,
		UpdatedAt:  r.UpdatedAt,
	}
}

// inZone returns a time in a zone, or in UTC if there is no such zone any more.
func inZone(at time.Time, zone string) time.Time {
	loc, err := timezone.Load(zone)
	if err != nil {
		return at.UTC()
	}
	return at.In(loc)
}
