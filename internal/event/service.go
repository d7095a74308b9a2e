package event

import (
	"context"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/etag"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
)

// outcomeKind is the kind of scheduled events.
const outcomeKind = "scheduled_event"

const (
	// maxAttemptsShown is how many attempts of an event are shown, the newest.
	maxAttemptsShown = 20
	// maxScan is how many events a list looks at for one page.
	maxScan = 1000
)

// Service has the use cases of scheduled events. It is safe for concurrent use.
type Service struct {
	db *db.DB
}

// NewService returns the use cases on d.
func NewService(d *db.DB) *Service {
	return &Service{db: d}
}

// Get returns an event with its newest attempts, at most 20, the newest first. Errors: problem.NotFound,
// problem.DatabaseUnavailable.
func (s *Service) Get(ctx context.Context, tenant, id uuid.UUID) (Scheduled, []Attempt, error) {
	row, attempts, err := withAttempts(ctx, s.db, tenant, id, maxAttemptsShown)
	return fromRow(row), attempts, err
}

// Filter bounds a list of events. Nil matches all.
type Filter struct {
	Kind   *string
	Status *Status
	// Subject is the id of what events are about.
	Subject *uuid.UUID
	// DueBefore is excluded.
	DueBefore *time.Time
	// After is where the page before ended; nil begins the list. Of a list of one subject it is a kind and an
	// occurrence, of other lists a time and an id.
	After *Position
	Limit int
}

// Position is the position of an event in a list.
type Position struct {
	DueAt      time.Time
	ID         uuid.UUID
	Kind       string
	Occurrence string
}

// List returns the events that pass a filter, in the order in which they are due; those of one subject in the order of
// kind and occurrence. It looks at a bounded number of events: next is where it stopped if more may follow, and nil at
// the end, so that a page can be short, or empty, although more follows. Errors: problem.DatabaseUnavailable.
func (s *Service) List(ctx context.Context, tenant uuid.UUID, f Filter) (list []Scheduled, next *Position, err error) {
	rows, err := listOf(ctx, s.db, tenant, f, f.Limit+1, maxScan)
	var before *Position // of the row before
	for _, r := range rows {
		if len(list) == f.Limit {
			return list, before, err
		}
		before = &Position{DueAt: r.DueAt, ID: r.EventID, Kind: r.Kind, Occurrence: r.Occurrence}
		if r.Last {
			next = before
		}
		if r.Passes {
			list = append(list, fromRow(eventRow{
				EventID:     r.EventID,
				Kind:        r.Kind,
				SubjectType: r.SubjectType,
				SubjectID:   r.SubjectID,
				Occurrence:  r.Occurrence,
				Status:      r.Status,
				DueAt:       r.DueAt,
				TimeZone:    r.TimeZone,
				Attempts:    r.Attempts,
				Version:     r.Version,
				LastError:   r.LastError,
				CreatedAt:   r.CreatedAt,
				UpdatedAt:   r.UpdatedAt,
			}))
		}
	}
	return list, next, err
}

// Cancel cancels an event. A worker that holds it loses its lease. It isn't planned again; a person may replay it.
//
// Errors, as of Replay: problem.NotFound, problem.VersionMismatch if ifMatch doesn't match the event's version,
// problem.InvalidState; those of db.Request.Outcome and of db.DB.Write. No refusal writes anything.
func (s *Service) Cancel(ctx context.Context, tenant uuid.UUID, r idempotency.Request, id uuid.UUID,
	ifMatch string,
) (idempotency.Outcome, error) {
	return s.change(ctx, tenant, r, id, Cancel, ifMatch)
}

// Replay makes an event due now, as if it had never been tried, and wakes the workers.
func (s *Service) Replay(ctx context.Context, tenant uuid.UUID, r idempotency.Request, id uuid.UUID,
	ifMatch string,
) (idempotency.Outcome, error) {
	return s.change(ctx, tenant, r, id, Replay, ifMatch)
}

// change makes a change under the lock of the event's row.
func (s *Service) change(ctx context.Context, tenant uuid.UUID, r idempotency.Request, id uuid.UUID, c Transition,
	ifMatch string,
) (idempotency.Outcome, error) {
	request := r.DBRequest(tenant)
	return request.Outcome(s.db.Write(ctx, "change the tenant's data", tenant, request, func(tx *db.WriteTx) func() error {
		var row *eventRow
		queueLocked(tx, id, &row)
		return func() error {
			if row == nil {
				return problem.Missing()
			}
			e := fromRow(*row)
			if err := etag.Precondition(ifMatch).Check("event", e.Version); err != nil {
				return err
			}
			if err := c.check(e.Kind, e.Status); err != nil {
				return err
			}
			e = e.apply(c, tx.Now())
			queueChanged(tx, e.Kind, changedRow{
				EventID: id, Status: string(e.Status), DueAt: e.DueAt, Attempts: int32(e.Attempts),
				LastError: e.LastError,
			})
			return tx.Respond(idempotency.Changed(outcomeKind, e.ID, e.Version, e.Body()))
		}
	}))
}

// apply returns the event as a transition leaves it. now is by the database's clock.
func (e Scheduled) apply(c Transition, now time.Time) Scheduled {
	e.Version, e.UpdatedAt, e.Status, e.LastError = e.Version+1, now, Cancelled, nil
	if c == Replay {
		e.Status, e.DueAt, e.Attempts = Pending, inZone(now, e.TimeZone), 0
	}
	return e
}
