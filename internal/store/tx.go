package store

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"holdfast/internal/lock"
	"holdfast/internal/store/internal/dbsqlc"
)

// Explicit, so that a database whose default is another level can't weaken the locks: under REPEATABLE READ the
// snapshot of the first statement, older than the lock, would serve the reads that the lock protects.
const beginWrite = "begin isolation level read committed read write"

// beginSnapshot begins a transaction without locks whose statements all see the database as the first one does.
const beginSnapshot = "begin isolation level repeatable read read only"

// waitForLock is the name of the statement that takes a lock.
const waitForLock = "wait for the lock"

// tx is one database transaction of at most two batches, and so of two round trips. The first batch begins the transaction,
// makes its settings, takes its locks and reads. The second batch writes and commits. A transaction without a decision
// in between needs one batch. If it only reads, and needn't see one moment, it needs neither BEGIN nor COMMIT: the statements of a batch are one transaction
// (PostgreSQL manual, "Pipelining" under "Message Flow").
//
// It knows no bookings and no payments: the domain's transactions (CalendarTx, BalanceTx, WriteTx) are small types on it.
type tx struct {
	store   *Store
	conn    *pgxpool.Conn
	release func() // ends the places in the process's queues
	ended   bool   // the connection and the places are given back

	ctx         context.Context //nolint:containedctx // of the statements: a client that goes away must not cut a transaction
	tenant      uuid.UUID       // row-level security confines the transaction to it, as it begins
	current     uuid.UUID       // row-level security confines the statements that are queued next to it
	asLogin     bool            // the transaction runs as the login itself and not as a tenant
	readOnly    bool
	snapshot    bool // with readOnly: all statements see the database at one moment
	begun       bool // the first batch was sent
	synchronous bool // commits wait for a standby; known after the first batch
	batch       batch
	keys        []*requestKey // whose responses are stored with the commit
	events      eventQueue    // written with the commit

	locks    []lock.Key
	kind     string        // of the locks, for metrics; empty without locks
	tried    bool          // the locks are tried and not waited for
	granted  []bool        // of locks that are tried: for each, whether it was granted
	deadline time.Time     // until when locks, also locks of rows, are waited for
	longest  time.Duration // that statements may take on top of the lock timeout
	began    time.Time     // by the database's clock, before the locks
	now      time.Time     // by the database's clock, after the locks; set by the statement that reads the clock
	queued   time.Duration
	locked   time.Time // by the clock of this process
}

// begin waits for this process's turn at the locks, then for a connection, and returns a transaction of their tenant that has
// sent nothing yet. start is since when the caller waits. The caller defers end.
//
// Errors: lock.ErrNoKeys; problem.LockTimeout and problem.DatabaseUnavailable; the context's error when the client gave up.
func (s *Store) begin(ctx context.Context, locks lock.Set, start time.Time) (*tx, error) {
	if len(locks.Keys()) == 0 {
		return nil, lock.ErrNoKeys
	}
	release, err := s.waitForTurn(ctx, locks, start)
	if err != nil {
		return nil, err
	}
	t, err := s.connect(ctx, locks.Tenant(), release)
	if err != nil {
		return nil, err
	}
	t.locks, t.kind, t.queued, t.deadline = locks.Keys(), locks.Kind(), time.Since(start), s.waitDeadline(ctx, start)
	return t, nil
}

// connect returns a transaction without locks. If there is no connection, it calls release.
func (s *Store) connect(ctx context.Context, tenant uuid.UUID, release func()) (*tx, error) {
	conn, err := s.acquire(ctx)
	if err != nil {
		release()
		return nil, err
	}
	return &tx{
		store: s, conn: conn, release: release, ctx: context.WithoutCancel(ctx), tenant: tenant, current: tenant,
		events: eventQueue{actor: actorOf(ctx)}, longest: statementTimeout,
	}, nil
}

// tryLocks has the first batch try locks instead of waiting for them. holds tells which of them were granted.
func (t *tx) tryLocks(locks lock.Set, deadline time.Time) {
	t.locks, t.kind, t.deadline = locks.Keys(), locks.Kind(), deadline
	t.tried, t.granted = true, make([]bool, len(t.locks))
}

// holds reports whether the transaction holds all of the locks. Two names with one key are one lock.
func (t *tx) holds(keys []lock.Key) bool {
	for _, k := range keys {
		held := false
		for i, own := range t.locks {
			held = held || own.ID() == k.ID() && (!t.tried || t.granted[i])
		}
		if !held {
			return false
		}
	}
	return true
}

// read sends the first batch with the reads that are queued.
func (t *tx) read() error {
	if err := t.send(false); err != nil {
		if !t.tried && t.kind != "" && sqlState(err) == sqlLockNotAvailable {
			t.store.metrics.lockTimeouts.WithLabelValues(t.kind).Inc()
		}
		return err
	}
	if t.kind != "" {
		t.locked = time.Now()
		t.store.metrics.lockWait.WithLabelValues(t.kind).Observe((t.queued + max(t.now.Sub(t.began), 0)).Seconds())
	}
	return nil
}

// readOnce sends the only batch of a transaction that only reads.
func (t *tx) readOnce() error {
	err := t.send(true)
	if isComplete(err) {
		t.giveBack()
	}
	return err
}

// isComplete reports whether all statements of a last batch have run: one may have found no row.
func isComplete(err error) bool { return err == nil || errors.Is(err, pgx.ErrNoRows) }

// commit sends what is queued, with the stored responses, and commits. If nothing is queued after read, it does nothing, and
// end rolls back; but where commits wait for a standby, it waits until the standby has what was read: the caller acknowledges that.
func (t *tx) commit() error {
	t.queueEvents()
	t.queueResponses()
	if t.begun && len(t.batch.statements) == 0 {
		if !t.synchronous {
			return nil
		}
		t.writeToLog()
	}
	return t.sendCommit()
}

// sendCommit sends what is queued and commits, also if the batch before has written all.
func (t *tx) sendCommit() error {
	takeWarning(t.conn.Conn())
	err := t.send(true)
	if !isComplete(err) {
		return err
	}
	warning := takeWarning(t.conn.Conn())
	t.giveBack()
	if warning != nil {
		t.store.log.Warn("COMMIT ended with a warning: whether the change is on the standby is unknown", "warning", warning.Message, "detail", warning.Detail)
		return &lostError{err: &warnedError{warning}, committing: true}
	}
	t.events.tell(t)
	return err
}

// end gives back the connection and the places in the queues, in the background, unless commit did. The caller defers it, so
// that a panic keeps neither locks nor the connection.
func (t *tx) end() {
	if !t.ended {
		t.rollBack()
	}
	if !t.locked.IsZero() {
		t.store.metrics.lockHold.WithLabelValues(t.kind).Observe(time.Since(t.locked).Seconds())
	}
}

// send sends the queued statements, after BEGIN in the first batch and before COMMIT in the last. After the last batch the transaction has
// ended, and the caller gives the connection back; if it failed, send has done so. A row that isn't there fails no last batch.
func (t *tx) send(last bool) error {
	wait := t.store.lockTimeout
	if t.kind != "" {
		// The time that was spent waiting in the process is not available again in PostgreSQL.
		wait = max(time.Until(t.deadline), 50*time.Millisecond)
	}
	b := t.batch
	t.batch = batch{}
	if !t.begun {
		b = t.beginning(wait, b)
	}
	limit := wait*time.Duration(max(len(t.locks), 1)) + t.longest
	if last && t.isBlock() {
		b.addSQL("commit")
		limit = t.store.commitTimeout + t.longest - statementTimeout
	}
	t.begun = true
	ctx, cancel := context.WithTimeout(t.ctx, limit)
	defer cancel()
	err := b.send(ctx, t.conn)
	if err != nil && !(last && isComplete(err)) {
		return t.abort(err, last && !t.readOnly, ctx.Err() != nil)
	}
	t.ended = last
	return err
}

// beginning returns what every transaction starts with, and then reads.
func (t *tx) beginning(wait time.Duration, reads batch) batch {
	var b batch
	readOnly := "on"
	switch {
	case t.snapshot:
		b.addSQL(beginSnapshot)
	case !t.readOnly:
		b.addSQL(beginWrite)
		readOnly = "off"
	}
	query(&b, "settings", &t.began, func(q *dbsqlc.Queries) (time.Time, error) {
		if t.asLogin {
			row, err := q.LocksBegin(t.ctx, milliseconds(statementTimeout))
			return row.Now, err
		}
		if !t.isBlock() {
			row, err := q.SessionBeginRead(t.ctx, t.tenant.String(), milliseconds(wait+t.longest))
			t.synchronous = row.Synchronous
			return row.Now, err
		}
		row, err := q.SessionBegin(t.ctx, dbsqlc.SessionBeginParams{
			TenantID:         t.tenant.String(),
			ReadOnly:         readOnly,
			LockTimeout:      milliseconds(wait),
			StatementTimeout: milliseconds(wait + t.longest),
			IdleTimeout:      milliseconds(idleTimeout),
		})
		t.synchronous = row.Synchronous
		return row.Now, err
	})
	if !t.tried {
		for _, k := range t.locks {
			exec(&b, waitForLock, func(q *dbsqlc.Queries) error { return q.SessionLock(t.ctx, k.ID()) })
		}
	} else {
		for i, k := range t.locks {
			query(&b, "try the lock", &t.granted[i], func(q *dbsqlc.Queries) (bool, error) { return q.SessionTryLock(t.ctx, k.ID()) })
		}
	}
	b.statements = append(b.statements, reads.statements...)
	return b
}

// readClock queues the reading of the database's clock into now.
func (t *tx) readClock() { t.readClockInto(&t.now) }

func (t *tx) readClockInto(now *time.Time) {
	query(&t.batch, "read the clock", now, func(q *dbsqlc.Queries) (time.Time, error) { return q.SessionClock(t.ctx) })
}

// switchTenant lets the statements that are queued next see the rows of another tenant, and only those.
func (t *tx) switchTenant(to uuid.UUID) {
	if t.current == to {
		return
	}
	t.current = to
	exec(&t.batch, "switch the tenant", func(q *dbsqlc.Queries) error { return q.SessionTenant(t.ctx, to.String()) })
}

// abort ends a transaction whose batch failed and returns the error, as a lostError if the connection is gone.
// abandoned says that it failed because the server didn't answer in time.
func (t *tx) abort(err error, committing, abandoned bool) error {
	if t.conn.Conn().IsClosed() {
		t.ended = true
		t.giveBack()
		return &lostError{err: err, committing: committing, abandoned: committing && abandoned}
	}
	if t.store.prepared.lost(err) {
		t.store.pool.Reset() // connections that prepare statements are replaced as they come back
	}
	t.rollBack()
	return err
}

// giveBack gives back the connection and the places in the queues.
func (t *tx) giveBack() {
	t.conn.Release() // closes the connection if it is still in a transaction
	t.release()
}

// isBlock reports whether the transaction has a BEGIN, and so needs an end. Another one ends with its batch.
func (t *tx) isBlock() bool { return !t.readOnly || t.snapshot }

// rollBack ends a transaction that wrote nothing, in the background: its caller knows the response already.
func (t *tx) rollBack() {
	t.ended = true
	if !t.isBlock() {
		t.giveBack()
		return
	}
	t.store.background.Go(func() {
		defer t.giveBack()
		ctx, cancel := context.WithTimeout(context.Background(), finishTimeout)
		defer cancel()
		if _, err := t.conn.Exec(ctx, "rollback"); err != nil {
			t.store.log.Warn("roll back", "error", err)
		}
	})
}

// waitForTurn waits for this process's turn at the locks. Errors: problem.LockTimeout when the lock timeout ends first; the
// context's error when the client gave up.
func (s *Store) waitForTurn(ctx context.Context, locks lock.Set, start time.Time) (release func(), err error) {
	limited, cancel := context.WithDeadline(ctx, start.Add(s.lockTimeout))
	defer cancel()
	release, err = s.waiters.Acquire(limited, ids(locks.Keys())...)
	switch {
	case err == nil:
		return release, nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("wait for the %s lock: %w", locks.Kind(), ctx.Err())
	}
	s.metrics.lockTimeouts.WithLabelValues(locks.Kind()).Inc()
	return nil, lockTimeout(err)
}

// waitDeadline returns start + the lock timeout, or the context's deadline if that is sooner.
func (s *Store) waitDeadline(ctx context.Context, start time.Time) time.Time {
	until := start.Add(s.lockTimeout)
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

func (s *Store) acquire(ctx context.Context) (*pgxpool.Conn, error) {
	limited, cancel := context.WithTimeout(ctx, acquireTimeout)
	defer cancel()
	conn, err := s.pool.Acquire(limited)
	switch {
	case err == nil:
		return conn, nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("wait for a connection: %w", ctx.Err())
	}
	return nil, unavailable(fmt.Errorf("wait for a connection: %w", err))
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(max(d.Milliseconds(), 1), 10) }
