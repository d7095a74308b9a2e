package store

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/groupcommit"
	"holdfast/internal/lock"
)

// groupSize bounds how many requests share a transaction, and so for how long it holds its locks.
const groupSize = 64

// tenantGroupWait bounds what a transaction shared with other dates may cost a request: the time that it waits in the process
// for the tenant's turn, and the time that the transaction waits in PostgreSQL for rows.
const tenantGroupWait = 100 * time.Millisecond

// groupRequest is a request in a group.
type groupRequest = groupcommit.Request[bookRequest]

// retryAlone reports whether a group's transaction decided nothing about a request.
func retryAlone(err error) bool {
	return errors.Is(err, errRetryAlone) || errors.Is(err, groupcommit.ErrAborted)
}

// tenantGroup is the key of the group of a tenant's requests for different dates.
func tenantGroup(keys lock.CalendarKeys) string {
	tenant := keys.Tenant()
	return string(tenant[:])
}

// dateGroup is the key of the group of the requests that wait for the same locks. It starts with the tenant: the numbers of
// locks are hashes, and those of two tenants may be the same.
func dateGroup(keys lock.CalendarKeys) string {
	tenant := keys.Tenant()
	key := tenant[:]
	for _, k := range keys.Keys() {
		key = binary.BigEndian.AppendUint64(key, uint64(k.ID()))
	}
	return string(key)
}

// bookInDateGroup runs a request in one transaction with the requests that want the same dates. It waits for their locks.
func (s *Store) bookInDateGroup(ctx context.Context, r bookRequest) error {
	leader, err := s.groups.Join(ctx, dateGroup(r.keys), r)
	if leader == nil {
		return err
	}
	defer leader.Abort()
	t, err := s.begin(ctx, r.keys.Set, r.start)
	if err != nil {
		return err
	}
	defer t.end()
	requests := leader.Close()
	for _, other := range requests { // the latest deadline among the requests
		if own := s.waitDeadline(other.Context(), other.Value.start); own.After(t.deadline) {
			t.deadline = own
		}
	}
	s.bookGroup(t, requests)
	return leader.End(nil)
}

// bookInTenantGroup runs a request in one transaction with the requests for other dates of its tenant. No request waits for the
// date of another one: the transaction tries the locks, and a request whose lock is held leaves the group.
func (s *Store) bookInTenantGroup(ctx context.Context, r bookRequest) error {
	leader, err := s.groups.Join(ctx, tenantGroup(r.keys), r)
	if leader == nil {
		return err
	}
	defer leader.Abort()
	tenant := uuid.UUID(r.keys.Tenant())
	limited, cancel := context.WithDeadline(ctx, r.start.Add(tenantGroupWait))
	defer cancel()
	releaseTurn, err := s.tenants.Acquire(limited, tenant)
	switch {
	case ctx.Err() != nil && err != nil:
		return fmt.Errorf("wait for the tenant's turn: %w", ctx.Err())
	case err != nil:
		return errRetryAlone
	}
	var places []int64
	t, err := s.connect(ctx, tenant, func() { s.waiters.Release(places); releaseTurn() })
	if err != nil {
		return err
	}
	defer t.end()
	var requests []*groupRequest
	var wanted []lock.Set
	for _, other := range leader.Close() {
		if !s.tryPlaces(other.Value.keys, &places) {
			other.Complete(errRetryAlone)
			continue
		}
		requests, wanted = append(requests, other), append(wanted, other.Value.keys.Set)
	}
	if len(requests) == 0 {
		return leader.End(errRetryAlone)
	}
	locks, err := lock.Union(wanted...)
	if err != nil {
		return leader.End(fmt.Errorf("book: %w", err))
	}
	t.tryLocks(locks, time.Now().Add(tenantGroupWait))
	s.bookGroup(t, requests)
	return leader.End(nil)
}

// tryPlaces takes a place in the queues of a request's locks, unless other requests are in them or the transaction would have
// too many locks.
func (s *Store) tryPlaces(keys lock.CalendarKeys, places *[]int64) bool {
	more := slices.DeleteFunc(ids(keys.Keys()), func(id int64) bool { return slices.Contains(*places, id) })
	if len(*places)+len(more) > lock.MaxKeys || !s.waiters.TryAcquire(more) {
		return false
	}
	*places = append(*places, more...)
	return true
}

// bookGroup reads what the requests ask for, lets each decide, writes what they decided, and commits.
func (s *Store) bookGroup(t *tx, requests []*groupRequest) {
	s.metrics.groupSize.Observe(float64(len(requests)))
	all := make([]*bookRequest, len(requests))
	for i, r := range requests {
		all[i] = &r.Value
	}
	rows := newBookRows(t, all...)
	t.readResponses(rows.keys...)
	rows.queueReads()
	err := t.read()
	if err == nil {
		decided := false // that there is something to commit, or to acknowledge
		for i, r := range requests {
			r.Run(func() error {
				err := rows.decide(r.Context(), i)
				decided = decided || err == nil
				return err
			}, func(panicked any) {
				s.log.Error("panic in a transaction that books", "panic", panicked, "stack", string(debug.Stack()))
			})
		}
		if decided {
			rows.queueWrites()
			err = t.commit()
		}
	}
	if err == nil {
		return // the result of each request is that of its decision
	}
	for _, r := range requests {
		r.Complete(t.errorOf(err, r.Value, len(requests) == 1))
	}
}

// waitedForLock reports whether an advisory lock wasn't granted in time.
func waitedForLock(err error) bool {
	var s *statementError
	return errors.As(err, &s) && s.name == waitForLock && sqlState(err) == sqlLockNotAvailable
}

// errorOf returns the result of a request whose group's transaction failed with err.
func (t *tx) errorOf(err error, r bookRequest, alone bool) error {
	// A lock that was only tried has not used up the lock timeout of the request.
	waited := !t.tried || sqlState(err) != sqlLockNotAvailable
	alone = alone || sqlState(err) == sqlDeadlockDetected || waitedForLock(err)
	var lost *lostError
	switch {
	case errors.As(err, &lost):
		// A request that wrote nothing has a known outcome, unless it was to acknowledge what the standby may not have.
		return &lostError{err: lost.err, committing: lost.committing && (r.wrote || t.synchronous), abandoned: lost.abandoned}
	case alone && waited:
		return err
	}
	return errRetryAlone
}
