package core

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/lock"
	"holdfast/internal/tracing"
)

// sharedWait bounds what a transaction shared with other locks may cost a request: the time that it waits in the
// process, in the queue of its tenant, and the time that the transaction waits in PostgreSQL for rows.
const sharedWait = 100 * time.Millisecond

// ErrRetryAlone says that a shared transaction can't serve a request: another transaction holds its lock, or the shared
// transaction failed, perhaps because of another request. Run it alone.
var ErrRetryAlone = errors.New("db: run the request alone")

// QueuesEmpty reports whether no request of this process holds one of the locks or is queued for it.
func (d *DB) QueuesEmpty(locks lock.Set) bool { return d.lockQueues.Empty(ids(locks.Keys())) }

// ConnectShared waits a short time in the tenant's queue, then for a connection, and returns a transaction without
// locks that requests for different locks of the tenant can share: see TryQueues and TryLocks. start is since when the
// caller waits. The caller defers End.
//
// Errors: ErrRetryAlone; problem.DatabaseUnavailable; the context's error when the client gave up.
func (d *DB) ConnectShared(ctx context.Context, tenant uuid.UUID, start time.Time) (*Tx, error) {
	limited, cancel := context.WithDeadline(ctx, start.Add(sharedWait))
	defer cancel()
	_, span := tracing.Start(ctx, spanTenantQueue)
	releaseTenant, err := d.tenantQueues.Acquire(limited, tenant)
	span.FailWith(err)
	span.End()
	switch {
	case ctx.Err() != nil && err != nil:
		return nil, fmt.Errorf("wait in the tenant's queue: %w", ctx.Err())
	case err != nil:
		return nil, ErrRetryAlone
	}
	t, err := d.connect(ctx, tenant, releaseTenant)
	if err != nil {
		return nil, err
	}
	t.release = func() { d.lockQueues.Release(t.queues); releaseTenant() }
	return t, nil
}

// TryQueues takes a permit of each queue of a request's locks, unless other requests are in them or the transaction
// would have too many locks.
func (t *Tx) TryQueues(locks lock.Set) bool {
	more := slices.DeleteFunc(ids(locks.Keys()), func(id int64) bool { return slices.Contains(t.queues, id) })
	if len(t.queues)+len(more) > lock.MaxKeys || !t.db.lockQueues.TryAcquire(more) {
		return false
	}
	t.queues = append(t.queues, more...)
	return true
}

// TryLocks has the first batch try the locks instead of waiting for them. Holds tells which of them were granted.
func (t *Tx) TryLocks(locks lock.Set) {
	t.locks, t.kind, t.deadline = locks.Keys(), locks.Kind(), time.Now().Add(sharedWait)
	t.tried, t.granted = true, make([]bool, len(t.locks))
}

// ExtendWait lets the transaction wait for its locks as long as one more request may that shares it: ctx is the
// request's, and start since when it waits.
func (t *Tx) ExtendWait(ctx context.Context, start time.Time) {
	if until := t.db.waitDeadline(ctx, start); until.After(t.deadline) {
		t.deadline = until
	}
}

// ErrorOf returns the result of a request whose shared transaction failed with err. wrote says that the request queued
// writes, alone that it shared the transaction with no other one.
func (t *Tx) ErrorOf(err error, wrote, alone bool) error {
	// A lock that was only tried has not used up the lock timeout of the request.
	waited := !t.tried || StateOf(err) != LockNotAvailable
	alone = alone || StateOf(err) == DeadlockDetected || waitedForLock(err)
	var lost *lostError
	switch {
	case errors.As(err, &lost):
		// A request that wrote nothing has a known outcome, unless it was to acknowledge what the standby may not have.
		return &lostError{err: lost.err, committing: lost.committing && (wrote || t.synchronous),
			abandoned: lost.abandoned}
	case alone && waited:
		return err
	}
	return ErrRetryAlone
}
