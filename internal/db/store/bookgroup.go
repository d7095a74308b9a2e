package store

import (
	"context"
	"fmt"
	"runtime/debug"

	"holdfast/internal/db/internal/core"
	"holdfast/internal/lock"
	"holdfast/internal/tracing"
)

// bookInDateGroup runs a request in one transaction with the requests that want the same dates. It waits for their locks.
func (s *Store) bookInDateGroup(ctx context.Context, r bookRequest) error {
	ctx, span := tracing.Start(ctx, groupSpan)
	defer span.End()
	leader, err := s.groups.Join(ctx, dateGroup(r.keys), r)
	if leader == nil {
		return err
	}
	defer leader.Abort()
	t, err := s.db.Begin(ctx, r.keys.Set, r.start)
	if err != nil {
		return err
	}
	defer t.End()
	requests := leader.Close()
	for _, other := range requests { // the latest deadline among the requests
		t.ExtendWait(other.Context(), other.Value.start)
	}
	s.bookGroup(t, requests)
	return leader.End(nil)
}

// bookInTenantGroup runs a request in one transaction with the requests for other dates of its tenant. No request waits for the
// date of another one: the transaction tries the locks, and a request whose lock is held leaves the group.
func (s *Store) bookInTenantGroup(ctx context.Context, r bookRequest) error {
	ctx, span := tracing.Start(ctx, groupSpan)
	defer span.End()
	leader, err := s.groups.Join(ctx, tenantGroup(r.keys), r)
	if leader == nil {
		return err
	}
	defer leader.Abort()
	t, err := s.db.ConnectShared(ctx, r.keys.Tenant(), r.start)
	if err != nil {
		return err
	}
	defer t.End()
	var requests []*groupRequest
	var wanted []lock.Set
	for _, other := range leader.Close() {
		if !t.TryQueues(other.Value.keys.Set) {
			other.Complete(core.ErrRetryAlone)
			continue
		}
		requests, wanted = append(requests, other), append(wanted, other.Value.keys.Set)
	}
	if len(requests) == 0 {
		return leader.End(core.ErrRetryAlone)
	}
	locks, err := lock.Union(wanted...)
	if err != nil {
		return leader.End(fmt.Errorf("book: %w", err))
	}
	t.TryLocks(locks)
	s.bookGroup(t, requests)
	return leader.End(nil)
}

// bookGroup reads what the requests ask for, lets each decide, writes what they decided, and commits.
func (s *Store) bookGroup(t *core.Tx, requests []*groupRequest) {
	s.groups.size.Observe(float64(len(requests)))
	traceGroup(t, requests)
	all := make([]*bookRequest, len(requests))
	for i, r := range requests {
		all[i] = &r.Value
	}
	rows := newBookRows(t, all...)
	t.ReadResponses(rows.keys...)
	rows.queueReads()
	err := t.Read()
	if err == nil {
		decided := false // that there is something to commit, or to acknowledge
		for i, r := range requests {
			r.Run(func() error {
				err := rows.decide(r.Context(), i)
				decided = decided || err == nil
				return err
			}, func(panicked any) {
				s.log.ErrorContext(r.Context(), "panic in a transaction that books", "panic", panicked, "stack", string(debug.Stack()))
			})
		}
		if decided {
			rows.queueWrites()
			err = t.Commit()
		}
	}
	if err == nil {
		return // the result of each request is that of its decision
	}
	for _, r := range requests {
		r.Complete(t.ErrorOf(err, r.Value.wrote, len(requests) == 1))
	}
}

// groupSpan is the span of a request in a group: until it has its result, or runs alone.
const groupSpan = "group commit"

// traceGroup has the batches of a group's transaction in the trace of the first request that is recorded, its leader's if that is.
// The spans of the other requests link to it: they wait for these batches.
func traceGroup(t *core.Tx, requests []*groupRequest) {
	var traced tracing.Span
	for _, r := range requests {
		span := tracing.Of(r.Context())
		switch {
		case !span.Recording():
			continue
		case !traced.Recording():
			traced = span
			t.TraceIn(r.Context())
		default:
			span.Link(traced)
		}
		span.Set(tracing.GroupSize.Int(len(requests)))
	}
}
