package db

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"holdfast/internal/db/internal/core"
	"holdfast/internal/groupcommit"
	"holdfast/internal/lock"
	"holdfast/internal/tracing"
)

// maxGroup bounds how many requests share a transaction, and so for how long it holds its locks.
const maxGroup = 64

// Group runs requests for dates in transactions that several requests share, each as if the requests before it had just
// committed. R is what a request asks for. It is safe for concurrent use.
type Group[R any] struct {
	core   *core.DB
	begin  func(tx *Tx, requests []R) Work
	groups *groupcommit.Groups[grouped[R]]
}

// Work is what the requests of one transaction have read, and what they write.
type Work interface {
	// Decide lets a request decide, by its position, in a transaction that holds the request's locks and has its key.
	// It may run in another goroutine than the request's, and again in another transaction, and must not have effects
	// of its own.
	Decide(request int, tx *DatesTx) error
	// Write queues what the requests have decided. The transaction holds the locks of all of them.
	Write(tx *DatesTx)
}

// grouped is a request with what its transaction needs of it.
type grouped[R any] struct {
	value   R
	request *Request // nil without a key
	keys    lock.DateKeys
	start   time.Time // since when it waits
	wrote   bool      // it decided something, which is written
}

// NewGroup returns a group whose transactions begin with what begin queues to read for all of their requests. Panics of
// decisions are logged, and go on in the request's own goroutine.
func NewGroup[R any](d *DB, begin func(tx *Tx, requests []R) Work) *Group[R] {
	groups := groupcommit.New[grouped[R]](maxGroup)
	d.core.AddGroup(groups.Requests)
	return &Group[R]{core: d.core, begin: begin, groups: groups}
}

// Run runs a request in a transaction that holds the locks `{tenant}:{date}` of keys. doing says in errors what it
// does. request is what is served, nil for a change without a key. When the request's decision returns an error, or
// queues nothing, nothing of it is written.
//
// A request whose dates no other request of this process wants joins its tenant's group, whose transaction tries the
// locks of many dates. If one of its locks is held, or the group's transaction fails, it joins the group of the
// requests that wait for the same locks. If that transaction fails too, it runs alone, so that no request fails because
// of another one. Without groups, runAlone would do, and be slower.
//
// It costs two round trips, one of them when nothing is written, and one more if another transaction holds a lock.
//
// Errors: the decision's own; what failures of statements mean; problem.LockTimeout, problem.DatabaseUnavailable and
// problem.RequestInProgress, after which nothing was written; problem.OutcomeUnknown; ctx's error when it ends while
// the request waits in the process.
func (g *Group[R]) Run(ctx context.Context, doing string, request *Request, keys lock.DateKeys, value R) error {
	attempts := g.core.Attempts(doing, request != nil)
	for attempts.Next(ctx) {
		attempts.End(g.runOnce(ctx, grouped[R]{value: value, request: request, keys: keys, start: time.Now()}))
	}
	return request.CheckResponse(attempts.Err())
}

// runOnce runs a request in a group, or alone if no group's transaction can serve it.
func (g *Group[R]) runOnce(ctx context.Context, r grouped[R]) error {
	err := core.ErrRetryAlone
	if g.core.QueuesEmpty(r.keys.Set) {
		err = g.runInTenantGroup(ctx, r)
	}
	if retryAlone(err) {
		err = g.runInDateGroup(ctx, r)
	}
	if retryAlone(err) {
		err = g.runAlone(ctx, r)
	}
	return err
}

// retryAlone reports whether a request leaves its group, for the next of the date group and then alone: the group's
// transaction decided nothing about it, or was aborted. What that transaction wrote then shows by the request's key.
func retryAlone(err error) bool {
	return errors.Is(err, core.ErrRetryAlone) || errors.Is(err, groupcommit.ErrAborted)
}

// tenantGroup is the key of the group of a tenant's requests for different dates.
func tenantGroup(keys lock.DateKeys) string {
	tenant := keys.Tenant()
	return string(tenant[:])
}

// dateGroup is the key of the group of the requests that wait for the same locks. It starts with the tenant: the
// numbers of locks are hashes, and those of two tenants may be the same.
func dateGroup(keys lock.DateKeys) string {
	tenant := keys.Tenant()
	key := tenant[:]
	for _, k := range keys.Keys() {
		key = binary.BigEndian.AppendUint64(key, uint64(k.ID()))
	}
	return string(key)
}

// groupSpan is the span of a request in a group: until it has its result, or runs alone.
const groupSpan = "group commit"

// runInTenantGroup runs a request in one transaction with the requests for other dates of its tenant. No request waits
// for the date of another one: the transaction tries the locks, and a request whose lock is held leaves the group.
func (g *Group[R]) runInTenantGroup(ctx context.Context, r grouped[R]) error {
	ctx, span := tracing.Start(ctx, groupSpan)
	defer span.End()
	leader, err := g.groups.Join(ctx, tenantGroup(r.keys), r)
	if leader == nil {
		return err
	}
	defer leader.Abort()
	t, err := g.core.ConnectShared(ctx, r.keys.Tenant(), r.start)
	if err != nil {
		return err
	}
	defer t.End()
	var requests []*groupcommit.Request[grouped[R]]
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
		return leader.End(fmt.Errorf("share a transaction: %w", err))
	}
	t.TryLocks(locks)
	g.commit(t, requests)
	return leader.End(nil)
}

// runInDateGroup runs a request in one transaction with the requests that want the same dates. It waits for their
// locks.
func (g *Group[R]) runInDateGroup(ctx context.Context, r grouped[R]) error {
	ctx, span := tracing.Start(ctx, groupSpan)
	defer span.End()
	leader, err := g.groups.Join(ctx, dateGroup(r.keys), r)
	if leader == nil {
		return err
	}
	defer leader.Abort()
	t, err := g.core.Begin(ctx, r.keys.Set, r.start)
	if err != nil {
		return err
	}
	defer t.End()
	requests := leader.Close()
	for _, other := range requests { // the latest deadline among the requests
		t.ExtendWait(other.Context(), other.Value.start)
	}
	g.commit(t, requests)
	return leader.End(nil)
}

// runAlone runs a request in a transaction of its own. It waits for the request's locks.
func (g *Group[R]) runAlone(ctx context.Context, r grouped[R]) error {
	t, err := g.core.Begin(ctx, r.keys.Set, r.start)
	if err != nil {
		return err
	}
	defer t.End()
	s := g.share(t, &r)
	if err := t.Read(); err != nil {
		return err
	}
	if err := s.decide(ctx, 0); err != nil {
		return err
	}
	s.work.Write(newDatesTx(t))
	return t.Commit()
}

// commit reads what the requests ask for, lets each decide, writes what they decided, and commits.
func (g *Group[R]) commit(t *core.Tx, requests []*groupcommit.Request[grouped[R]]) {
	g.core.GroupShared(len(requests))
	all := make([]*grouped[R], len(requests))
	contexts := make([]context.Context, len(requests))
	for i, r := range requests {
		all[i], contexts[i] = &r.Value, r.Context()
	}
	traceGroup(t, contexts)
	s := g.share(t, all...)
	err := t.Read()
	if err == nil {
		decided := false // that there is something to commit, or to acknowledge
		for i, r := range requests {
			r.Run(func() error {
				err := s.decide(r.Context(), i)
				decided = decided || err == nil
				return err
			}, func(panicked any) {
				g.core.Log().ErrorContext(r.Context(), "panic in a transaction that requests share", "panic", panicked,
					"stack",
					string(debug.Stack()))
			})
		}
		if decided {
			s.work.Write(newDatesTx(t))
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

// shared is a transaction with the requests that share it.
type shared[R any] struct {
	t        *core.Tx
	requests []*grouped[R]
	keys     []*core.RequestKey // of each request
	work     Work
}

// share queues the reading of the stored responses of requests, and of what they ask for.
func (g *Group[R]) share(t *core.Tx, requests ...*grouped[R]) *shared[R] {
	s := &shared[R]{t: t, requests: requests}
	values := make([]R, len(requests))
	for i, r := range requests {
		s.keys, values[i] = append(s.keys, t.KeyOf(r.request)), r.value
	}
	t.ReadResponses(s.keys...)
	s.work = g.begin(newTx(t), values)
	thenClock(t, nil)
	return s
}

// decide lets request i decide and keeps what it queued. ctx is the context of its client.
func (s *shared[R]) decide(ctx context.Context, i int) error {
	r, key := s.requests[i], s.keys[i]
	switch {
	case ctx.Err() != nil: // the client has gone while the locks were waited for
		return ctx.Err()
	case !s.t.Holds(r.keys.Keys()):
		return core.ErrRetryAlone
	}
	return key.Decide(func() error {
		tx := &DatesTx{WriteTx: WriteTx{Tx: *newTx(s.t), key: key, events: key.OwnEvents(ctx)}, keys: r.keys}
		if err := s.work.Decide(i, tx); err != nil {
			return err
		}
		r.wrote = true
		s.t.Events.Add(tx.events)
		return nil
	})
}

// newDatesTx returns the transaction for what the requests that share it have decided.
// It serves no request of its own.
func newDatesTx(t *core.Tx) *DatesTx { return held{t, t.KeyOf(nil)}.dates(lock.DateKeys{}) }

// traceGroup has the batches of a group's transaction in the trace of the first request that is recorded, its leader's
// if that is. The spans of the other requests link to it: they wait for these batches.
func traceGroup(t *core.Tx, requests []context.Context) {
	var traced tracing.Span
	for _, ctx := range requests {
		span := tracing.Of(ctx)
		switch {
		case !span.Recording():
			continue
		case !traced.Recording():
			traced = span
			t.TraceIn(ctx)
		default:
			span.Link(traced)
		}
		span.Set(tracing.GroupSize.Int(len(requests)))
	}
}
