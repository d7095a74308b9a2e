package event

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/tenant"
)

const (
	// changedAtOnce is how many events of a tenant are changed in one transaction.
	changedAtOnce = 500
	// maxSelected is how many events one command changes.
	maxSelected = 1_000_000
)

// Operator has the use cases of the operator, who sees the events of all tenants. It is safe for concurrent use.
type Operator struct {
	db *db.DB
}

// NewOperator returns the use cases on the database d.
func NewOperator(d *db.DB) *Operator { return &Operator{db: d} }

// AcrossFilter bounds a list of events of all tenants. The zero value of a field matches all.
type AcrossFilter struct {
	// Tenant is a tenant's slug or id.
	Tenant string
	IDs    []uuid.UUID
	Kind   string
	Status Status
	// Subject is the id of what events are about.
	Subject uuid.UUID
	// DueBefore is excluded.
	DueBefore time.Time
}

// query returns the filter as the statements take it.
func (op *Operator) query(ctx context.Context, f AcrossFilter) (q acrossQuery, err error) {
	q.EventIds = f.IDs
	if f.Tenant != "" {
		id, err := tenant.IDOf(ctx, op.db, f.Tenant)
		if err != nil {
			return q, err
		}
		q.Tenant = &id
	}
	if f.Kind != "" {
		q.Kind = &f.Kind
	}
	if f.Status != "" {
		q.Statuses = []string{string(f.Status)}
	}
	if f.Subject != uuid.Nil {
		q.Subject = &f.Subject
	}
	if !f.DueBefore.IsZero() {
		q.DueBefore = &f.DueBefore
	}
	return q, nil
}

// List returns at most limit events that pass a filter, by tenant and due time; more says that there are others.
// Errors: problem.DatabaseUnavailable, an unknown tenant.
func (op *Operator) List(ctx context.Context, f AcrossFilter, limit int,
) (list []OperatorEventBody, more bool, err error) {
	q, err := op.query(ctx, f)
	if err != nil {
		return nil, false, err
	}
	q.RowLimit = int32(limit + 1)
	rows, err := listAcross(ctx, op.db, q)
	if len(rows) > limit {
		rows, more = rows[:limit], true
	}
	list = make([]OperatorEventBody, len(rows))
	for i, r := range rows {
		list[i] = operatorBody(r)
	}
	return list, more, err
}

// Stats counts the events that pass a filter, by kind and status. It looks at all of these events. Errors:
// problem.DatabaseUnavailable, an unknown tenant.
func (op *Operator) Stats(ctx context.Context, f AcrossFilter) ([]EventStatsBody, error) {
	q, err := op.query(ctx, f)
	if err != nil {
		return nil, err
	}
	rows, err := statsAcross(ctx, op.db, q)
	list := make([]EventStatsBody, len(rows))
	for i, r := range rows {
		list[i] = EventStatsBody{
			Kind:         r.Kind,
			Status:       Status(r.Status),
			Events:       r.Events,
			Due:          r.Due,
			LagSeconds:   r.Lag,
			Attempts:     r.Attempts,
			MostAttempts: int(r.MostAttempts),
		}
	}
	return list, err
}

// Selection is the events that a change is to be made to.
type Selection struct {
	change Transition
	events map[uuid.UUID][]eventVersion // by tenant, as they were selected
	count  int
}

// Len returns how many events are selected.
func (s Selection) Len() int { return s.count }

// Select returns the events that pass a filter and can make the transition. If the filter has ids, each must name such
// an event.
//
// Errors: problem.InvalidState and an unknown id, of filters with ids; too many events; an unknown tenant;
// problem.DatabaseUnavailable.
func (op *Operator) Select(ctx context.Context, c Transition, f AcrossFilter) (s Selection, err error) {
	s = Selection{change: c, events: make(map[uuid.UUID][]eventVersion)}
	q, err := op.query(ctx, f)
	if err != nil {
		return s, err
	}
	if len(f.IDs) == 0 && q.Statuses == nil {
		for _, status := range c.statuses() {
			q.Statuses = append(q.Statuses, string(status))
		}
	}
	missing := slices.Clone(f.IDs)
	for q.RowLimit = maxScan; ; {
		rows, err := listAcross(ctx, op.db, q)
		if err != nil {
			return s, err
		}
		for _, r := range rows {
			missing = slices.DeleteFunc(missing, func(id uuid.UUID) bool { return id == r.EventID })
			err := c.check(r.Kind, Status(r.Status))
			switch {
			case err == nil:
				s.events[r.TenantID] = append(s.events[r.TenantID],
					eventVersion{EventID: r.EventID, Version: r.Version})
				s.count++
			case len(f.IDs) > 0:
				return s, fmt.Errorf("event %s: %w", r.EventID, err)
			}
		}
		switch {
		case s.count > maxSelected:
			return s, fmt.Errorf("more than %d events: narrow the filter", maxSelected)
		case len(rows) == maxScan:
			last := rows[len(rows)-1]
			q.AfterTenant, q.AfterDue, q.AfterID = last.TenantID, last.DueAt, last.EventID
		case len(missing) > 0:
			return s, fmt.Errorf("there is no event %s that passes the filters", missing[0])
		default:
			return s, nil
		}
	}
}

// Apply changes the selected events, as their tenants and in transactions of bounded size, and returns how many it
// changed. An event that can't be cancelled any more, or that changed before its replay, stays as it is. After an error
// the rest is unchanged, and may be selected again. Errors: problem.DatabaseUnavailable, problem.LockTimeout,
// problem.OutcomeUnknown.
func (op *Operator) Apply(ctx context.Context, s Selection) (changed int, err error) {
	for tenant, events := range s.events {
		for batch := range slices.Chunk(events, changedAtOnce) {
			done, err := op.apply(ctx, s.change, tenant, batch)
			changed += done
			if err != nil {
				return changed, err
			}
		}
	}
	return changed, nil
}

// apply makes a transition of events of a tenant in one transaction. A cancel goes by the statuses, because a worker
// may have leased an event meanwhile; a replay goes by the versions, because somebody may have cancelled or replayed
// it.
func (op *Operator) apply(ctx context.Context, c Transition, tenant uuid.UUID,
	events []eventVersion,
) (changed int, err error) {
	if c == Replay {
		return replayAll(ctx, op.db, tenant, events)
	}
	ids := make([]uuid.UUID, len(events))
	for i, e := range events {
		ids[i] = e.EventID
	}
	var statuses []string
	for _, status := range c.statuses() {
		statuses = append(statuses, string(status))
	}
	return cancelAll(ctx, op.db, tenant, ids, statuses)
}
