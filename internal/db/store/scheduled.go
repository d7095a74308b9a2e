package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
)

// EventWithAttempts returns a scheduled event with its newest attempts, at most limit, the newest first. It costs one round trip and
// takes no lock. Errors: problem.NotFound, problem.DatabaseUnavailable.
func (s *Store) EventWithAttempts(ctx context.Context, tenant, id uuid.UUID,
	limit int,
) (e ScheduledEvent, attempts []EventAttempt, err error) {
	err = s.db.ReadOnly(ctx, "read a scheduled event", tenant, func(t *core.Tx) {
		core.Query(t, "read a scheduled event", &e, func(q *dbsqlc.Queries) (ScheduledEvent, error) {
			return q.EventGet(t.Ctx, tenant, id)
		})
		core.Query(t, "list its attempts", &attempts, func(q *dbsqlc.Queries) ([]EventAttempt, error) {
			return q.EventAttemptList(t.Ctx, dbsqlc.EventAttemptListParams{TenantID: tenant, EventID: id, RowLimit: int32(limit)})
		})
	})
	return e, attempts, err
}

// EventFilter bounds a list of a tenant's scheduled events. Nil matches all.
type EventFilter struct {
	Kind, Status *string
	// Subject is the id of what events are about.
	Subject *uuid.UUID
	// DueBefore is excluded.
	DueBefore *time.Time
	// AfterDue and AfterID are the position of the last event of the page before. With Subject, AfterKind and AfterOccurrence are.
	AfterDue        time.Time
	AfterID         uuid.UUID
	AfterKind       string
	AfterOccurrence string
	// Limit bounds the events that are returned, Scan those that are looked at.
	Limit, Scan int
}

// endOfTime is later than every time that an event can be due.
var endOfTime = time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)

// ListedEvent is an event that a list looked at. Passes says that it passes the filter. Last marks the event at which the scan limit was
// reached.
type ListedEvent = dbsqlc.EventListRow

// Events lists a tenant's scheduled events in the order in which they are due; those of one subject in the order of kind and
// occurrence. It returns the events that pass the filter, and the last that it looked at if that was the Scan-th. It costs one round
// trip and takes no lock. Errors: problem.DatabaseUnavailable.
func (s *Store) Events(ctx context.Context, tenant uuid.UUID, f EventFilter) ([]ListedEvent, error) {
	dueBefore := endOfTime
	if f.DueBefore != nil {
		dueBefore = *f.DueBefore
	}
	return core.ReadOne(ctx, s.db, "list scheduled events", tenant, func(ctx context.Context, q *dbsqlc.Queries) ([]ListedEvent, error) {
		if f.Subject == nil && f.Status != nil && *f.Status == "dead" {
			rows, err := q.EventListDead(ctx, dbsqlc.EventListDeadParams{
				TenantID: tenant, Kind: f.Kind, DueBefore: dueBefore, AfterDue: f.AfterDue, AfterID: f.AfterID,
				RowLimit: int32(f.Limit), ScanLimit: int32(f.Scan),
			})
			return convert(rows, func(r dbsqlc.EventListDeadRow) ListedEvent { return ListedEvent(r) }), err
		}
		if f.Subject == nil {
			return q.EventList(ctx, dbsqlc.EventListParams{
				TenantID: tenant, Kind: f.Kind, Status: f.Status, DueBefore: dueBefore, AfterDue: f.AfterDue, AfterID: f.AfterID,
				RowLimit: int32(f.Limit), ScanLimit: int32(f.Scan),
			})
		}
		rows, err := q.EventListBySubject(ctx, dbsqlc.EventListBySubjectParams{
			TenantID: tenant, Kind: f.Kind, Status: f.Status, DueBefore: dueBefore, SubjectID: *f.Subject, AfterKind: f.AfterKind,
			AfterOccurrence: f.AfterOccurrence, RowLimit: int32(f.Limit), ScanLimit: int32(f.Scan),
		})
		return convert(rows, func(r dbsqlc.EventListBySubjectRow) ListedEvent { return ListedEvent(r) }), err
	})
}

// EventChange is what a change on request makes of a scheduled event.
type EventChange struct {
	EventID   uuid.UUID
	Kind      string
	Status    string
	DueAt     time.Time
	Attempts  int
	LastError *string
}

// SetEvent queues a change of the event that was read, with its lock, in this transaction. A worker that holds the event loses its
// lease. The workers of its kind are woken after the commit.
func (tx *WriteTx) SetEvent(c EventChange) {
	core.Exec(tx.t, "change the scheduled event", func(q *dbsqlc.Queries) error {
		return q.EventSet(tx.t.Ctx, dbsqlc.EventSetParams{
			TenantID: tx.tenant, EventID: c.EventID, Status: c.Status, DueAt: c.DueAt, Attempts: int32(c.Attempts), LastError: c.LastError,
			Now: tx.t.Now,
		})
	})
	tx.q.Wake(c.Kind)
}
