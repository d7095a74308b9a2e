package core

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"holdfast/internal/lock"
	"holdfast/internal/tracing"
)

// acquirePermits waits in the queues of the locks until it has a permit of each. Errors: problem.LockTimeout when the
// lock timeout ends first; the context's error when the client gave up.
func (d *DB) acquirePermits(ctx context.Context, locks lock.Set, start time.Time) (release func(), err error) {
	limited, cancel := context.WithDeadline(ctx, start.Add(d.lockTimeout))
	defer cancel()
	_, span := tracing.Start(ctx, spanLockQueue)
	defer span.End()
	release, err = d.lockQueues.Acquire(limited, ids(locks.Keys())...)
	span.FailWith(err)
	switch {
	case err == nil:
		return release, nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("wait for the %s lock: %w", locks.Kind(), ctx.Err())
	}
	d.metrics.timedOut(locks.Kind(), time.Since(start))
	return nil, lockTimeout(err)
}

// waitDeadline returns start + the lock timeout, or the context's deadline if that is sooner.
func (d *DB) waitDeadline(ctx context.Context, start time.Time) time.Time {
	until := start.Add(d.lockTimeout)
	if deadline, ok := ctx.Deadline(); ok && deadline.Before(until) {
		return deadline
	}
	return until
}

// ids returns the numbers that PostgreSQL locks. Two names with one number are one lock.
func ids(keys []lock.Key) []int64 {
	list := make([]int64, len(keys))
	for i, k := range keys {
		list[i] = k.ID()
	}
	return list
}

// acquireConn waits for a connection. Errors: problem.DatabaseUnavailable; the context's error when the client gave up.
func (d *DB) acquireConn(ctx context.Context) (*pgxpool.Conn, error) {
	limited, cancel := context.WithTimeout(ctx, acquireTimeout)
	defer cancel()
	_, span := tracing.Start(ctx, spanConnection)
	defer span.End()
	conn, err := d.pool.Acquire(limited)
	span.FailWith(err)
	switch {
	case err == nil:
		return conn, nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("wait for a connection: %w", ctx.Err())
	case d.pool.Stat().AcquiredConns() == d.pool.Stat().MaxConns():
		return nil, interrupted(fmt.Errorf("wait for a connection: %w", err),
			"All of the server's connections to the database are in use.")
	}
	return nil, Unavailable(fmt.Errorf("wait for a connection: %w", err))
}
