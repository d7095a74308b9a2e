package core

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/db/internal/dbsqlc"
	"holdfast/internal/lock"
)

// ErrLockLost says that the session that is about to delete doesn't hold the session lock, so that another one may.
var ErrLockLost = errors.New("the session doesn't hold the cleanup's lock any more")

// Time limits of the cleanup's session.
const (
	sessionTimeout     = 10 * time.Second // to open it and to ask for the lock
	sessionIdleTimeout = 30 * time.Second // a client that doesn't speak for so long is gone, or frozen
)

// Cleanup is the right to delete expired idempotency keys, which one session of a database has at a time. Only
// DB.Cleanup makes a useful one.
type Cleanup struct {
	conn *pgx.Conn
}

// Cleanup runs work while a connection of its own, to Config.DirectURL, holds the session lock
// lock.IdempotencyCleanup. It doesn't wait for the lock: held is false when another session has it, which means that
// somebody else is cleaning up and not that there is nothing to do. The lock is released when work returns or panics.
//
// Errors: work's own; ErrPooled when the connection can't hold a session lock; others as they came.
func (d *DB) Cleanup(ctx context.Context, work func(*Cleanup) error) (held bool, err error) {
	opening, cancel := context.WithTimeout(ctx, sessionTimeout)
	defer cancel()
	conn, err := d.openSession(opening, "cleanup")
	if err != nil {
		return false, fmt.Errorf("open the cleanup's session: %w", err)
	}
	q := dbsqlc.New(conn)
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishTimeout)
		defer cancel()
		_ = conn.Close(closing) // whatever it held is free now
	}()
	if err := q.CleanupSession(opening, milliseconds(sessionIdleTimeout)); err != nil {
		return false, fmt.Errorf("set up the cleanup's session: %w", err)
	}
	locked, err := q.CleanupTryLock(opening, lock.IdempotencyCleanup.ID())
	if err != nil || !locked {
		return false, err
	}
	defer func() {
		releasing, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishTimeout)
		defer cancel()
		released, unlockErr := q.CleanupUnlock(releasing, lock.IdempotencyCleanup.ID())
		if unlockErr != nil || !released {
			d.log.Warn("release the cleanup's lock", "held", released, "error", unlockErr)
		}
	}()
	return true, work(&Cleanup{conn: conn})
}

// DeleteExpired deletes at most limit idempotency keys of any tenant whose life is over by the database's clock, the
// oldest first, in one transaction, and returns how many. It leaves unfinished keys, and keys that a request is
// writing at this moment. The end of ctx doesn't cut it off: it ends by itself, within seconds.
//
// Before it deletes it asks, in the same transaction, whether this very session still holds the lock, and returns
// ErrLockLost if not. Other errors as they came: when the session is lost, nothing is deleted, unless it was lost
// during the commit, which can't be known.
func (c *Cleanup) DeleteExpired(ctx context.Context, limit int) (deleted int, err error) {
	const lockWait = 2 * time.Second // for the table; rows that are locked are left out
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lockWait+statementTimeout)
	defer cancel()
	options := pgx.TxOptions{IsoLevel: pgx.ReadCommitted, AccessMode: pgx.ReadWrite}
	err = pgx.BeginTxFunc(ctx, c.conn, options, func(tx pgx.Tx) error {
		q := dbsqlc.New(tx)
		began, err := q.CleanupBegin(ctx, dbsqlc.CleanupBeginParams{
			LockTimeout: milliseconds(lockWait), StatementTimeout: milliseconds(lockWait + statementTimeout),
			IdleTimeout: milliseconds(idleTimeout), Key: lock.IdempotencyCleanup.ID(),
		})
		switch {
		case err != nil:
			return err
		case !began.Locked:
			return ErrLockLost
		}
		rows, err := q.CleanupDeleteExpired(ctx, int32(min(limit, 1_000_000)))
		deleted = int(rows)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("delete expired idempotency keys: %w", err)
	}
	return deleted, nil
}
