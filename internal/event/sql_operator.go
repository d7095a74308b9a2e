package event

import (
	"context"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/event/internal/rowsql"
)

type (
	// acrossQuery bounds a list of scheduled events of all tenants. Nil matches all. Its position is that of the last
	// event of the page before; the zero position begins the list.
	acrossQuery = rowsql.EventListAcrossParams
	// operatorRow is a scheduled event with its tenant.
	operatorRow = rowsql.EventListAcrossRow
	// statsRow has the numbers of events of one kind and status. Lag is in seconds.
	statsRow = rowsql.EventStatsRow
	// KindSample is what metrics show of one kind. OldestDue is in seconds.
	KindSample = rowsql.EventSampleRow
)

// listAcross lists scheduled events of all tenants by tenant, due time and id, for the operator. A list with rare
// statuses may look through all events, for as long as a statement may run. Errors: problem.DatabaseUnavailable.
func listAcross(ctx context.Context, d *db.DB, p acrossQuery) (list []operatorRow, err error) {
	err = d.ReadAcross(ctx, "list the events of all tenants", func(tx *db.Tx) {
		tx.PlanForValues()
		db.Query(unlocked.On(tx), "list the events of all tenants", &list, func(q *rowsql.Queries) ([]operatorRow,
			error) {
			return q.EventListAcross(tx.Context(), p)
		})
	})
	return list, err
}

// statsAcross counts the scheduled events that pass a filter by kind and status; it ignores the filter's ids, position
// and limit. It looks at all of these events. Errors: problem.DatabaseUnavailable.
func statsAcross(ctx context.Context, d *db.DB, p acrossQuery) (stats []statsRow, err error) {
	err = d.ReadAcross(ctx, "count the events of all tenants", func(tx *db.Tx) {
		tx.PlanForValues()
		db.Query(unlocked.On(tx), "count the events of all tenants", &stats, func(q *rowsql.Queries) ([]statsRow,
			error) {
			return q.EventStats(tx.Context(), rowsql.EventStatsParams{
				Tenant: p.Tenant, Kind: p.Kind, Statuses: p.Statuses, Subject: p.Subject, DueBefore: p.DueBefore,
			})
		})
	})
	return stats, err
}

// eventVersion is an event as it was read.
type eventVersion struct {
	EventID uuid.UUID
	Version int64
}

// cancelAll cancels those of a tenant's events that are in one of the statuses, and returns how many. A worker that
// holds one loses its lease. Workers are woken. It runs as the tenant, in one transaction. Errors:
// problem.DatabaseUnavailable, problem.LockTimeout, problem.OutcomeUnknown.
func cancelAll(ctx context.Context, d *db.DB, tenant uuid.UUID, ids []uuid.UUID,
	statuses []string,
) (changed int, err error) {
	var kinds []string
	err = d.WriteOnce(ctx, "cancel events", true, tenant, func(tx *db.Tx) {
		db.Query(unlocked.On(tx), "cancel events", &kinds, func(q *rowsql.Queries) ([]string, error) {
			return q.EventCancelAll(tx.Context(),
				rowsql.EventCancelAllParams{TenantID: tx.Tenant(), EventIds: ids, Statuses: statuses})
		})
	})
	if err != nil {
		return 0, err
	}
	d.Wake(kinds...)
	return len(kinds), nil
}

// replayAll makes those of a tenant's events due now that have not changed since they were read, wakes the workers, and
// returns how many. It runs as the tenant, in one transaction. Errors: problem.DatabaseUnavailable,
// problem.LockTimeout, problem.OutcomeUnknown.
func replayAll(ctx context.Context, d *db.DB, tenant uuid.UUID, events []eventVersion) (changed int, err error) {
	var p rowsql.EventReplayAllParams
	for _, e := range events {
		p.EventIds, p.Versions = append(p.EventIds, e.EventID), append(p.Versions, e.Version)
	}
	var kinds []string
	err = d.WriteOnce(ctx, "replay events", true, tenant, func(tx *db.Tx) {
		p.TenantID = tx.Tenant()
		db.Query(unlocked.On(tx), "replay events", &kinds, func(q *rowsql.Queries) ([]string, error) {
			return q.EventReplayAll(tx.Context(), p)
		})
	})
	if err != nil {
		return 0, err
	}
	d.Wake(kinds...)
	return len(kinds), nil
}

// SampleKinds counts what is due, dead and being handled of some kinds, of each at most limit, for metrics. relayLag is
// how old, in seconds, the oldest change is that the relay hasn't passed, 0 if there is none. It reads as the worker.
// Errors: problem.DatabaseUnavailable.
func SampleKinds(ctx context.Context, d *db.DB, limit int,
	kinds []string,
) (samples []KindSample, relayLag float64, err error) {
	err = d.AsWorker(ctx, "count events for metrics", func(tx *db.Tx) {
		db.Query(unlocked.On(tx), "count events for metrics", &samples, func(q *rowsql.Queries) ([]KindSample, error) {
			return q.EventSample(tx.Context(), atMost(limit), kinds)
		})
		db.Query(unlocked.On(tx), "read the relay's lag", &relayLag, func(q *rowsql.Queries) (float64, error) {
			return q.FeedRelayLag(tx.Context())
		})
	})
	return samples, relayLag, err
}

// deleteEnded deletes up to limit completed and cancelled scheduled events, and dead deliveries and emails, with their
// attempts, of the first tenant after a tenant, or, after nil, of the operator or the first tenant: those that were
// due, and have last changed, longer ago than keep. Greetings that were completed or cancelled on request stay for 400
// days. It returns the tenant, nil after the last one, and how many events were deleted. Errors:
// problem.DatabaseUnavailable, problem.OutcomeUnknown.
func deleteEnded(ctx context.Context, d *db.DB, after *uuid.UUID, keep time.Duration,
	limit int,
) (tenant *uuid.UUID, n int64, err error) {
	p := rowsql.EventDeleteEndedParams{Begin: after == nil, Keep: db.Interval(keep), RowLimit: atMost(limit)}
	if after != nil {
		p.After = *after
	}
	var rows []rowsql.EventDeleteEndedRow
	err = d.AsWorker(ctx, "delete ended events", func(tx *db.Tx) {
		tx.PlanWithoutSort()
		db.Query(unlocked.On(tx), "delete ended events", &rows,
			func(q *rowsql.Queries) ([]rowsql.EventDeleteEndedRow, error) {
				return q.EventDeleteEnded(tx.Context(), p)
			})
	})
	if err != nil || len(rows) == 0 {
		return nil, 0, err
	}
	return &rows[0].TenantID, rows[0].Events, nil
}
