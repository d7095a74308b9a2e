package event

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/event/internal/rowsql"
)

// The statements of scheduled events. Locks of rows keep their writes right.
var unlocked = db.UnderNothing(rowsql.New)

// Rows of the tables, and what is written.
type (
	// Attempt is an attempt at an event, as its history shows it.
	Attempt  = rowsql.EventAttempt
	eventRow = rowsql.ScheduledEvent
	// listedRow is an event that a list looked at. Passes says that it passes the filter. Last marks the event at which
	// the scan limit was reached.
	listedRow = rowsql.EventListRow
	// changedRow is what a change on request makes of a scheduled event.
	changedRow = rowsql.EventSetParams
)

// QueueAttempts queues the reading of an event's newest attempts, at most limit, the newest first.
func QueueAttempts(tx db.Transaction, id uuid.UUID, limit int, attempts *[]Attempt) {
	db.Query(unlocked.On(tx), "read the attempts", attempts, func(q *rowsql.Queries) ([]Attempt, error) {
		return q.EventAttemptList(tx.Context(),
			rowsql.EventAttemptListParams{TenantID: tx.Tenant(), EventID: id, RowLimit: int32(limit)})
	})
}

// withAttempts returns a scheduled event with its newest attempts, at most limit, the newest first. It costs one round
// trip and takes no lock. Errors: problem.NotFound, problem.DatabaseUnavailable.
func withAttempts(ctx context.Context, d *db.DB, tenant, id uuid.UUID,
	limit int,
) (e eventRow, attempts []Attempt, err error) {
	err = d.Read(ctx, "read a scheduled event", tenant, func(tx *db.Tx) {
		db.Query(unlocked.On(tx), "read a scheduled event", &e, func(q *rowsql.Queries) (eventRow, error) {
			return q.EventGet(tx.Context(), tx.Tenant(), id)
		})
		QueueAttempts(tx, id, limit, &attempts)
	})
	return e, attempts, err
}

// endOfTime is later than every time that an event can be due.
var endOfTime = time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)

// listOf lists a tenant's scheduled events in the order in which they are due; those of one subject in the order of
// kind and occurrence. It returns the events that pass the filter, at most limit of them, and the last that it looked
// at if that was the scan-th. It costs one round trip and takes no lock. Errors: problem.DatabaseUnavailable.
func listOf(ctx context.Context, d *db.DB, tenant uuid.UUID, f Filter, limit, scan int) ([]listedRow, error) {
	dueBefore := endOfTime
	if f.DueBefore != nil {
		dueBefore = *f.DueBefore
	}
	var after Position
	if f.After != nil {
		after = *f.After
	}
	return db.ReadOne(ctx, d, unlocked, "list scheduled events", tenant,
		func(tx *db.Tx, q *rowsql.Queries) ([]listedRow, error) {
			if f.Subject == nil && f.Status != nil && *f.Status == Dead {
				rows, err := q.EventListDead(tx.Context(), rowsql.EventListDeadParams{
					TenantID:  tx.Tenant(),
					Kind:      f.Kind,
					DueBefore: dueBefore,
					AfterDue:  after.DueAt,
					AfterID:   after.ID,
					RowLimit:  int32(limit),
					ScanLimit: int32(scan),
				})
				return db.Convert(rows, func(r rowsql.EventListDeadRow) listedRow { return listedRow(r) }), err
			}
			if f.Subject == nil {
				return q.EventList(tx.Context(), rowsql.EventListParams{
					TenantID:  tx.Tenant(),
					Kind:      f.Kind,
					Status:    (*string)(f.Status),
					DueBefore: dueBefore,
					AfterDue:  after.DueAt,
					AfterID:   after.ID,
					RowLimit:  int32(limit),
					ScanLimit: int32(scan),
				})
			}
			rows, err := q.EventListBySubject(tx.Context(), rowsql.EventListBySubjectParams{
				TenantID:        tx.Tenant(),
				Kind:            f.Kind,
				Status:          (*string)(f.Status),
				DueBefore:       dueBefore,
				SubjectID:       *f.Subject,
				AfterKind:       after.Kind,
				AfterOccurrence: after.Occurrence,
				RowLimit:        int32(limit),
				ScanLimit:       int32(scan),
			})
			return db.Convert(rows, func(r rowsql.EventListBySubjectRow) listedRow { return listedRow(r) }), err
		})
}

// queueLocked queues the reading of an event, nil if there is none, and locks its row.
func queueLocked(tx *db.WriteTx, id uuid.UUID, e **eventRow) {
	db.Optional(unlocked.On(tx), "read the scheduled event", e, func(q *rowsql.Queries) (eventRow, error) {
		return q.EventGetLocked(tx.Context(), tx.Tenant(), id)
	})
}

// queueChanged queues a change of the event that was read, with its lock, in this transaction. A worker that holds the
// event loses its lease. The workers of its kind are woken after the commit.
func queueChanged(tx *db.WriteTx, kind string, c changedRow) {
	c.TenantID, c.Now = tx.Tenant(), tx.Now()
	db.Exec(unlocked.On(tx), "change the scheduled event", func(q *rowsql.Queries) error {
		return q.EventSet(tx.Context(), c)
	})
	tx.Wake(kind)
}

// orEmpty returns a JSON object as text: an empty one for none.
func orEmpty(object json.RawMessage) string {
	if len(object) == 0 {
		return "{}"
	}
	return string(object)
}
