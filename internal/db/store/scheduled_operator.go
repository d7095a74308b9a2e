package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
)

// AcrossFilter bounds a list of scheduled events of all tenants. Nil matches all.
type AcrossFilter struct {
	Tenant   *uuid.UUID
	EventIDs []uuid.UUID
	Kind     *string
	Statuses []string
	// Subject is the id of what events are about.
	Subject *uuid.UUID
	// DueBefore is excluded.
	DueBefore *time.Time
	// After is the last event of the page before; its zero value begins the list.
	After EventPosition
	Limit int
}

// EventPosition is the position of an event in a list of all tenants' events.
type EventPosition struct {
	TenantID uuid.UUID
	DueAt    time.Time
	EventID  uuid.UUID
}

type (
	// OperatorEvent is a scheduled event with its tenant.
	OperatorEvent = dbsqlc.EventListAcrossRow
	// EventStats are the numbers of events of one kind and status. Lag is in seconds.
	EventStats = dbsqlc.EventStatsRow
	// EventSample is what metrics show of one kind. OldestDue is in seconds.
	EventSample = dbsqlc.EventSampleRow
)

// TenantNamed returns the id of the tenant that has a text as its slug or as its id. It is for the operator, as all reads across tenants
// here, and takes no lock. Errors: one that says so if there is no such tenant, or two; problem.DatabaseUnavailable.
func (s *Store) TenantNamed(ctx context.Context, slugOrID string) (uuid.UUID, error) {
	var parsed *uuid.UUID
	if u, err := uuid.Parse(slugOrID); err == nil {
		parsed = &u
	}
	var ids []uuid.UUID
	err := s.db.ReadAcross(ctx, "find the tenant", func(t *core.Tx) {
		core.Query(t, "find the tenant", &ids, func(q *dbsqlc.Queries) ([]uuid.UUID, error) {
			return q.EventTenantList(t.Ctx, slugOrID, parsed)
		})
	})
	switch {
	case err != nil:
		return uuid.Nil, err
	case len(ids) == 0:
		return uuid.Nil, fmt.Errorf("there is no tenant %q", slugOrID)
	case len(ids) > 1:
		return uuid.Nil, fmt.Errorf("%q is the slug of one tenant and the id of another: give the tenant's other name", slugOrID)
	}
	return ids[0], nil
}

// EventsAcross lists scheduled events of all tenants by tenant, due time and id. A list with rare statuses may look through all events,
// for as long as a statement may run. Errors: problem.DatabaseUnavailable.
func (s *Store) EventsAcross(ctx context.Context, f AcrossFilter) (list []OperatorEvent, err error) {
	err = s.db.ReadAcross(ctx, "list the events of all tenants", func(t *core.Tx) {
		core.Exec(t, "plan for the filters", func(q *dbsqlc.Queries) error { return q.SessionPlanForValues(t.Ctx) })
		core.Query(t, "list the events of all tenants", &list, func(q *dbsqlc.Queries) ([]OperatorEvent, error) {
			return q.EventListAcross(t.Ctx, dbsqlc.EventListAcrossParams{
				Tenant: f.Tenant, EventIds: f.EventIDs, Kind: f.Kind, Statuses: f.Statuses, Subject: f.Subject, DueBefore: f.DueBefore,
				AfterTenant: f.After.TenantID, AfterDue: f.After.DueAt, AfterID: f.After.EventID, RowLimit: int32(f.Limit),
			})
		})
	})
	return list, err
}

// EventStats counts the scheduled events that pass a filter by kind and status; it ignores the filter's ids, position and limit. It looks
// at all of these events. Errors: problem.DatabaseUnavailable.
func (s *Store) EventStats(ctx context.Context, f AcrossFilter) (stats []EventStats, err error) {
	err = s.db.ReadAcross(ctx, "count the events of all tenants", func(t *core.Tx) {
		core.Exec(t, "plan for the filters", func(q *dbsqlc.Queries) error { return q.SessionPlanForValues(t.Ctx) })
		core.Query(t, "count the events of all tenants", &stats, func(q *dbsqlc.Queries) ([]EventStats, error) {
			return q.EventStats(t.Ctx, dbsqlc.EventStatsParams{
				Tenant: f.Tenant, Kind: f.Kind, Statuses: f.Statuses, Subject: f.Subject, DueBefore: f.DueBefore,
			})
		})
	})
	return stats, err
}

// EventVersion is an event as it was read.
type EventVersion struct {
	EventID uuid.UUID
	Version int64
}

// CancelEvents cancels those of a tenant's events that are in one of the statuses, and returns how many. A worker that holds one loses
// its lease. Workers are woken. It runs as the tenant, in one transaction.
// Errors: problem.DatabaseUnavailable, problem.LockTimeout, problem.OutcomeUnknown.
func (s *Store) CancelEvents(ctx context.Context, tenant uuid.UUID, ids []uuid.UUID, statuses []string) (changed int, err error) {
	var kinds []string
	err = s.db.AsTenant(ctx, "cancel events", true, tenant, func(t *core.Tx) {
		core.Query(t, "cancel events", &kinds, func(q *dbsqlc.Queries) ([]string, error) {
			return q.EventCancelAll(t.Ctx, dbsqlc.EventCancelAllParams{TenantID: tenant, EventIds: ids, Statuses: statuses})
		})
	})
	if err != nil {
		return 0, err
	}
	s.db.Wake(kinds...)
	return len(kinds), nil
}

// ReplayEvents makes those of a tenant's events due now that have not changed since they were read, wakes the workers, and returns how
// many. It runs as the tenant, in one transaction. Errors: problem.DatabaseUnavailable, problem.LockTimeout, problem.OutcomeUnknown.
func (s *Store) ReplayEvents(ctx context.Context, tenant uuid.UUID, events []EventVersion) (changed int, err error) {
	p := dbsqlc.EventReplayAllParams{TenantID: tenant}
	for _, e := range events {
		p.EventIds, p.Versions = append(p.EventIds, e.EventID), append(p.Versions, e.Version)
	}
	var kinds []string
	err = s.db.AsTenant(ctx, "replay events", true, tenant, func(t *core.Tx) {
		core.Query(t, "replay events", &kinds, func(q *dbsqlc.Queries) ([]string, error) { return q.EventReplayAll(t.Ctx, p) })
	})
	if err != nil {
		return 0, err
	}
	s.db.Wake(kinds...)
	return len(kinds), nil
}

// SampleEvents counts what is due, dead and being handled of some kinds, of each at most limit, for metrics. relayLag is how old, in
// seconds, the oldest change is that the relay hasn't passed, 0 if there is none. It reads as the worker. Errors:
// problem.DatabaseUnavailable.
func (s *Store) SampleEvents(ctx context.Context, limit int, kinds []string) (samples []EventSample, relayLag float64, err error) {
	err = s.db.AsWorker(ctx, "count events for metrics", func(t *core.Tx) {
		core.Query(t, "count events for metrics", &samples, func(q *dbsqlc.Queries) ([]EventSample, error) {
			return q.EventSample(t.Ctx, int32(min(limit, 10_000)), kinds)
		})
		core.Query(t, "read the relay's lag", &relayLag, func(q *dbsqlc.Queries) (float64, error) { return q.FeedRelayLag(t.Ctx) })
	})
	return samples, relayLag, err
}
