package event

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"
)

// ScheduledEventBody is a scheduled event in the API.
type ScheduledEventBody struct {
	ID        uuid.UUID                 `json:"id" format:"uuid"`
	Kind      string                    `json:"kind" example:"booking.reminder"`
	Status    Status                    `json:"status" example:"pending" doc:"failed: the last attempt failed, and another one follows at due_at. dead: none follows."`
	Subject   ScheduledEventSubjectBody `json:"subject" doc:"What the event is about."`
	DueAt     time.Time                 `json:"due_at" example:"2027-07-01T09:00:00+02:00" doc:"When the event, or its next attempt, is due; in time_zone."`
	TimeZone  string                    `json:"time_zone" example:"Europe/Berlin" doc:"In which due_at was computed."`
	Attempts  int                       `json:"attempts" example:"0" doc:"Counted anew after a replay."`
	Version   int64                     `json:"version" example:"1" doc:"Grows with every change; the ETag is its text."`
	LastError *string                   `json:"last_error,omitempty" doc:"Why the last attempt failed, or why the event was cancelled; absent of one that was cancelled on request."`
	CreatedAt time.Time                 `json:"created_at"`
	UpdatedAt time.Time                 `json:"updated_at"`
}

// ScheduledEventSubjectBody names what an event is about.
type ScheduledEventSubjectBody struct {
	Type string    `json:"type" example:"booking"`
	ID   uuid.UUID `json:"id" format:"uuid"`
}

// ScheduledEventDetailsBody is a scheduled event with its history.
type ScheduledEventDetailsBody struct {
	ScheduledEventBody
	AttemptsLog []ScheduledEventAttemptBody `json:"attempts_log" nullable:"false" doc:"The newest attempts, the newest first: those that failed, and those whose kind logs them. At most 20."`
}

// ScheduledEventAttemptBody is an attempt at a scheduled event.
type ScheduledEventAttemptBody struct {
	Attempt    int       `json:"attempt" example:"1" doc:"Counts from 1, and again from 1 after a replay."`
	Status     Status    `json:"status" example:"failed" doc:"The event's, after the attempt."`
	Error      *string   `json:"error,omitempty" doc:"Why the attempt failed."`
	Details    any       `json:"details" doc:"What the attempt did, a JSON object of the kind."`
	StartedAt  time.Time `json:"started_at"`
	FinishedAt time.Time `json:"finished_at"`
}

// Body returns the event as the API shows it. All its times have the offset of its time zone.
func (e Scheduled) Body() ScheduledEventBody {
	return ScheduledEventBody{
		ID:        e.ID,
		Kind:      e.Kind,
		Status:    e.Status,
		Subject:   ScheduledEventSubjectBody(e.Subject),
		DueAt:     e.DueAt,
		TimeZone:  e.TimeZone,
		Attempts:  e.Attempts,
		Version:   e.Version,
		LastError: e.LastError,
		CreatedAt: e.CreatedAt.In(e.DueAt.Location()),
		UpdatedAt: e.UpdatedAt.In(e.DueAt.Location()),
	}
}

// DetailsBody returns the event with its attempts as the API shows them.
func (e Scheduled) DetailsBody(attempts []Attempt) ScheduledEventDetailsBody {
	body := ScheduledEventDetailsBody{ScheduledEventBody: e.Body(),
		AttemptsLog: make([]ScheduledEventAttemptBody, len(attempts))}
	for i, a := range attempts {
		body.AttemptsLog[i] = ScheduledEventAttemptBody{
			Attempt: int(a.Attempt), Status: Status(a.Status), Error: a.Error, Details: json.RawMessage(a.Details),
			StartedAt: a.StartedAt.In(e.DueAt.Location()), FinishedAt: a.FinishedAt.In(e.DueAt.Location()),
		}
	}
	return body
}

// OperatorEventBody is a scheduled event with its tenant, as holdfast events list --json prints it.
type OperatorEventBody struct {
	TenantID   uuid.UUID `json:"tenant_id"`
	TenantSlug string    `json:"tenant_slug"`
	ScheduledEventBody
}

func operatorBody(r operatorRow) OperatorEventBody {
	return OperatorEventBody{TenantID: r.TenantID, TenantSlug: r.Slug, ScheduledEventBody: fromRow(eventRow{
		EventID:     r.EventID,
		Kind:        r.Kind,
		SubjectType: r.SubjectType,
		SubjectID:   r.SubjectID,
		Status:      r.Status,
		DueAt:       r.DueAt,
		TimeZone:    r.TimeZone,
		Attempts:    r.Attempts,
		Version:     r.Version,
		LastError:   r.LastError,
		CreatedAt:   r.CreatedAt,
		UpdatedAt:   r.UpdatedAt,
	}).Body()}
}

// EventStatsBody counts the events of one kind and status, as holdfast events stats --json prints it.
type EventStatsBody struct {
	Kind   string `json:"kind"`
	Status Status `json:"status"`
	Events int64  `json:"events"`
	// Due is how many of them are due now. LagSeconds is the time since the oldest of these was due, zero without one.
	Due        int64   `json:"due"`
	LagSeconds float64 `json:"lag_seconds"`
	// Attempts are those of all of these events together, MostAttempts those of one.
	Attempts     int64 `json:"attempts"`
	MostAttempts int   `json:"most_attempts"`
}
