package store

import (
	"bytes"
	"cmp"
	"context"
	"math"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/store/internal/dbsqlc"
)

// The rows of outbox_positions are named by their reader. relay is how far the relay has come. Two rows are no reader's: deleted is the last
// event that was deleted for its age, so that a cursor before it is known to have expired; the event id of epoch is part of each cursor,
// and changes when stored transaction ids are changed.

// maxOutboxScan is how many events a read of the outbox looks at for those that pass its filter.
const maxOutboxScan = 1000

// OutboxPosition is a place in the order in which the outbox is read. The transaction id is that of the transaction that wrote the
// event; for some events of customers it is one that began a little later.
type OutboxPosition struct {
	TransactionID int64
	EventID       uuid.UUID
}

// OutboxBegin is the place before all events.
func OutboxBegin() OutboxPosition { return OutboxPosition{TransactionID: math.MinInt64} }

// Compare returns -1 if p comes before q, 1 if it comes after q, and 0 if they are one place.
func (p OutboxPosition) Compare(q OutboxPosition) int {
	return cmp.Or(cmp.Compare(p.TransactionID, q.TransactionID), bytes.Compare(p.EventID[:], q.EventID[:]))
}

// StoredOutboxEvent is an event as it is stored.
type StoredOutboxEvent = dbsqlc.OutboxListRow

// OutboxQuery asks for a tenant's events after a place: at most Limit of them.
type OutboxQuery struct {
	After OutboxPosition
	// Types are patterns of LIKE; an event passes if one of them matches its type. None lets all pass.
	Types []string
	// Subject lets only events of the subject pass; nil lets all pass.
	Subject *uuid.UUID
	Limit   int
}

// OutboxPage is what a read of the outbox found.
type OutboxPage struct {
	Events []StoredOutboxEvent
	// Next is the place up to which the outbox was read: no event before it was left out, and none will appear there.
	Next OutboxPosition
	// More says that there may be more events after Next already.
	More bool
	// End is the place before which no event can appear any more, and Deleted the last event that was deleted for its age, or
	// OutboxBegin.
	End, Deleted OutboxPosition
	// Epoch changes when the places of all events change.
	Epoch uuid.UUID
}

// Outbox reads a tenant's events in their order. It leaves out the events of transactions that began to write no earlier than one that
// still runs: what commits later comes later. Errors: problem.DatabaseUnavailable.
func (s *Store) Outbox(ctx context.Context, tenant uuid.UUID, q OutboxQuery) (p OutboxPage, err error) {
	var end int64
	var deleted dbsqlc.OutboxDeletedRow
	var rows []StoredOutboxEvent
	err = s.readOnly(ctx, "read the outbox", tenant, func(t *tx) {
		// Each statement sees what was committed before it. So the end comes first: all before it is in the list. What was deleted comes
		// last: if the list lacks an event for its age, that is known.
		exec(&t.batch, "plan without sorting", func(db *dbsqlc.Queries) error { return db.SessionPlanWithoutSort(t.ctx) })
		query(&t.batch, "read the end of the outbox", &end, func(db *dbsqlc.Queries) (int64, error) { return db.OutboxEnd(t.ctx) })
		query(&t.batch, "read the outbox", &rows, func(db *dbsqlc.Queries) ([]StoredOutboxEvent, error) { return listOutbox(t, db, tenant, q) })
		query(&t.batch, "read what was deleted", &deleted, func(db *dbsqlc.Queries) (dbsqlc.OutboxDeletedRow, error) {
			return db.OutboxDeleted(t.ctx, uuid.Nil)
		})
	})
	if err != nil {
		return p, err
	}
	p = OutboxPage{
		Next: q.After, End: OutboxPosition{end - 1, uuid.Max}, Deleted: OutboxPosition{deleted.TransactionID, deleted.EventID}, Epoch: deleted.Epoch,
		More: len(rows) == q.Limit,
	}
	for _, r := range rows {
		p.Next, p.More = OutboxPosition{r.TransactionID, r.EventID}, p.More || r.Last
		if r.Passes {
			p.Events = append(p.Events, r)
		}
	}
	if !p.More && p.Next.Compare(p.End) < 0 {
		p.Next = p.End
	}
	return p, nil
}

func listOutbox(t *tx, db *dbsqlc.Queries, tenant uuid.UUID, q OutboxQuery) ([]StoredOutboxEvent, error) {
	types := append([]string{}, q.Types...) // an empty array and not null
	if q.Subject == nil {
		return db.OutboxList(t.ctx, dbsqlc.OutboxListParams{
			TenantID: tenant, Types: types, ScanLimit: maxOutboxScan, AfterTransaction: q.After.TransactionID, AfterID: q.After.EventID,
			RowLimit: int32(q.Limit),
		})
	}
	rows, err := db.OutboxListBySubject(t.ctx, dbsqlc.OutboxListBySubjectParams{
		TenantID: tenant, SubjectID: *q.Subject, Types: types, AfterTransaction: q.After.TransactionID, AfterID: q.After.EventID,
		RowLimit: int32(q.Limit),
	})
	return convert(rows, func(r dbsqlc.OutboxListBySubjectRow) StoredOutboxEvent {
		return StoredOutboxEvent{
			TransactionID: r.TransactionID, EventID: r.EventID, Type: r.Type, SubjectType: r.SubjectType, SubjectID: r.SubjectID,
			Sequence: r.Sequence, OccurredAt: r.OccurredAt, Data: r.Data, Passes: true,
		}
	}), err
}

// DeleteOldOutboxEvents deletes up to limit events of every tenant in their order, as far as they are older than keep or stand
// before such an event, and returns how many. It deletes no event that the relay has yet to pass; heldBack says that such an event is
// older than keep. One instance deletes at a time; 0 may mean that another one does. Errors: problem.DatabaseUnavailable,
// problem.OutcomeUnknown.
func (s *Store) DeleteOldOutboxEvents(ctx context.Context, keep time.Duration, limit int) (n int64, heldBack bool, err error) {
	var rows []dbsqlc.OutboxDeleteOldRow
	err = s.asWorker(ctx, "delete old events of the outbox", func(t *tx) {
		exec(&t.batch, "plan without sorting", func(q *dbsqlc.Queries) error { return q.SessionPlanWithoutSort(t.ctx) })
		query(&t.batch, "delete old events of the outbox", &rows, func(q *dbsqlc.Queries) ([]dbsqlc.OutboxDeleteOldRow, error) {
			return q.OutboxDeleteOld(t.ctx, dbsqlc.OutboxDeleteOldParams{AllTenants: uuid.Nil, Keep: interval(keep), RowLimit: int32(min(limit, 10_000))})
		})
	})
	if err != nil || len(rows) == 0 {
		return 0, false, err
	}
	return rows[0].Events, rows[0].HeldBack, nil
}

// DeleteEndedEvents deletes up to limit completed and cancelled scheduled events, and dead deliveries and emails, with their attempts, of the first
// tenant after a tenant: those that were due, and have last changed, longer ago than keep. Greetings that were completed or cancelled on request stay for 400 days. It returns the tenant, nil after
// the last one, and how many events were deleted. Errors: problem.DatabaseUnavailable, problem.OutcomeUnknown.
func (s *Store) DeleteEndedEvents(ctx context.Context, after uuid.UUID, keep time.Duration, limit int) (tenant *uuid.UUID, n int64, err error) {
	var rows []dbsqlc.EventDeleteEndedRow
	err = s.asWorker(ctx, "delete ended events", func(t *tx) {
		exec(&t.batch, "plan without sorting", func(q *dbsqlc.Queries) error { return q.SessionPlanWithoutSort(t.ctx) })
		query(&t.batch, "delete ended events", &rows, func(q *dbsqlc.Queries) ([]dbsqlc.EventDeleteEndedRow, error) {
			return q.EventDeleteEnded(t.ctx, dbsqlc.EventDeleteEndedParams{After: after, Keep: interval(keep), RowLimit: int32(min(limit, 10_000))})
		})
	})
	if err != nil || len(rows) == 0 {
		return nil, 0, err
	}
	return &rows[0].TenantID, rows[0].Events, nil
}
