package core

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"holdfast/internal/db/internal/dbsqlc"
	"holdfast/internal/lock"
)

// Explicit, so that a database whose default is another level can't weaken the locks: under REPEATABLE READ the
// snapshot of the first statement, older than the lock, would serve the reads that the lock protects.
const beginWrite = "begin isolation level read committed read write"

// beginSnapshot begins a transaction without locks whose statements all see the database as the first one does.
const beginSnapshot = "begin isolation level repeatable read read only"

// Begin waits in the queues of the locks, then for a connection, and returns a transaction of their tenant that has
// sent nothing yet. start is since when the caller waits. The caller defers End.
//
// Errors: lock.ErrNoKeys; problem.LockTimeout and problem.DatabaseUnavailable; the context's error when the client gave
// up.
func (d *DB) Begin(ctx context.Context, locks lock.Set, start time.Time) (*Tx, error) {
	if len(locks.Keys()) == 0 {
		return nil, lock.ErrNoKeys
	}
	release, err := d.acquirePermits(ctx, locks, start)
	if err != nil {
		return nil, err
	}
	t, err := d.connect(ctx, locks.Tenant(), release)
	if err != nil {
		return nil, err
	}
	t.locks, t.kind, t.queued, t.deadline = locks.Keys(), locks.Kind(), time.Since(start), d.waitDeadline(ctx, start)
	return t, nil
}

// Connect returns a transaction of a tenant, without locks. The caller defers End. Errors: problem.DatabaseUnavailable;
// the context's error when the client gave up.
func (d *DB) Connect(ctx context.Context, tenant uuid.UUID) (*Tx, error) {
	return d.connect(ctx, tenant, func() {})
}

// connect is Connect with what gives back the permits of the process's queues. It calls release if there is no
// connection.
func (d *DB) connect(ctx context.Context, tenant uuid.UUID, release func()) (*Tx, error) {
	conn, err := d.acquireConn(ctx)
	if err != nil {
		release()
		return nil, err
	}
	return &Tx{
		db:      d,
		conn:    conn,
		release: release,
		Ctx:     context.WithoutCancel(ctx),
		Tenant:  tenant,
		current: tenant,
		Events:  EventQueue{Actor: actorOf(ctx)},
		longest: statementTimeout,
	}, nil
}

// Read sends the first batch with the reads that are queued.
func (t *Tx) Read() error {
	if err := t.send(false); err != nil {
		return err
	}
	if t.kind != "" {
		t.locked = time.Now()
		t.db.metrics.lockWait.WithLabelValues(t.kind).Observe((t.queued + max(t.Now.Sub(t.Began), 0)).Seconds())
	}
	return nil
}

// ReadOnce sends the only batch of a transaction that only reads.
func (t *Tx) ReadOnce() error {
	err := t.send(true)
	if isComplete(err) {
		t.giveBack()
	}
	return err
}

// isComplete reports whether all statements of a last batch have run: one may have found no row.
func isComplete(err error) bool { return err == nil || errors.Is(err, pgx.ErrNoRows) }

// End gives back the connection and the permits of the queues, in the background, unless commit did. The caller defers
// it, so that a panic keeps neither locks nor the connection.
func (t *Tx) End() {
	if !t.ended {
		t.rollBack()
	}
	if !t.locked.IsZero() {
		t.db.metrics.lockHold.WithLabelValues(t.kind).Observe(time.Since(t.locked).Seconds())
	}
}

// send sends the queued statements, after BEGIN in the first batch and before COMMIT in the last. After the last batch
// the transaction has ended, and the caller gives the connection back; if it failed, send has done so. A row that isn't
// there fails no last batch.
func (t *Tx) send(last bool) error {
	wait := t.db.lockTimeout
	if t.kind != "" {
		// The time that was spent waiting in the process is not available again in PostgreSQL.
		wait = max(time.Until(t.deadline), 50*time.Millisecond)
	}
	b := t.batch
	t.batch = batch{}
	if !t.begun {
		b = t.beginning(wait, b)
	}
	limit := min(wait*time.Duration(max(len(t.locks), 1)), longestBatch) + t.longest
	if last && t.isBlock() {
		b.addSQL(commitSQL)
		limit = t.db.commitTimeout + t.longest - statementTimeout
	}
	span, first := t.startBatch(last), !t.begun
	t.begun = true
	ctx, cancel := context.WithTimeout(t.Ctx, limit)
	defer cancel()
	started := time.Now()
	err := b.send(ctx, t.conn)
	span.end(t, b, first, err)
	t.countTimeout(err, time.Since(started))
	if err != nil && !(last && isComplete(err)) {
		return t.abort(err, last && !t.readOnly, ctx.Err() != nil)
	}
	t.ended = last
	return err
}

// countTimeout counts a batch that gave up waiting for a lock, whichever it was, and for how long it waited. A lock
// that was only tried is waited for when the request runs alone.
func (t *Tx) countTimeout(err error, took time.Duration) {
	if StateOf(err) != LockNotAvailable || t.tried {
		return
	}
	switch kind := lockKind(err); kind {
	case "":
		t.db.metrics.timedOut(t.kind, t.queued+took)
	default:
		t.db.metrics.timedOut(kind, took)
	}
}

// beginning returns what every transaction starts with, and then reads.
func (t *Tx) beginning(wait time.Duration, reads batch) batch {
	var b batch
	readOnly := "on"
	switch {
	case t.snapshot:
		b.addSQL(beginSnapshot)
	case !t.readOnly:
		b.addSQL(beginWrite)
		readOnly = "off"
	}
	if !t.asLogin {
		t.becomeAppFirst(&b)
	}
	query(&b, own, "settings", &t.Began, func(q *dbsqlc.Queries) (time.Time, error) {
		if t.asLogin {
			row, err := q.LoginBegin(t.Ctx, milliseconds(statementTimeout))
			return row.Now, err
		}
		if !t.isBlock() {
			row, err := q.SessionBeginRead(t.Ctx, milliseconds(wait+t.longest), t.Tenant)
			t.synchronous = row.Synchronous
			return row.Now, cmp.Or(err, fenced(row.Fence))
		}
		row, err := q.SessionBegin(t.Ctx, dbsqlc.SessionBeginParams{
			TenantID:         t.Tenant,
			ReadOnly:         readOnly,
			LockTimeout:      milliseconds(wait),
			StatementTimeout: milliseconds(wait + t.longest),
			IdleTimeout:      milliseconds(idleTimeout),
		})
		t.synchronous = row.Synchronous
		return row.Now, cmp.Or(err, fenced(row.Fence))
	})
	if !t.asLogin {
		t.planForCitus(&b)
	}
	if !t.tried {
		var locked string // a void
		for _, k := range t.locks {
			query(&b, own, waitForLock, &locked, func(q *dbsqlc.Queries) (string, error) {
				got, err := q.TransactionLock(t.Ctx, k.ID(), t.Tenant)
				return got, tenantMissing(err)
			})
		}
	} else {
		for i, k := range t.locks {
			query(&b, own, "try the lock", &t.granted[i], func(q *dbsqlc.Queries) (bool, error) {
				got, err := q.TransactionTryLock(t.Ctx, k.ID(), t.Tenant)
				return got, tenantMissing(err)
			})
		}
	}
	b.statements = append(b.statements, reads.statements...)
	return b
}

// abort ends a transaction whose batch failed and returns the error, as a lostError if the connection is gone.
// abandoned says that it failed because the server didn't answer in time.
func (t *Tx) abort(err error, committing, abandoned bool) error {
	if t.conn.Conn().IsClosed() {
		t.ended = true
		t.giveBack()
		return &lostError{err: err, committing: committing, abandoned: committing && abandoned}
	}
	if t.leftNode(err) {
		t.db.pool.Reset() // connections are made to the node that has the schema now
		t.rollBack()
		return &lostError{err: err, committing: committing && !isBeforeCommit(err)}
	}
	if t.db.prepared.lost(err) {
		t.db.pool.Reset() // connections that prepare statements are replaced as they come back
	}
	t.rollBack()
	return err
}

// giveBack gives back the connection and the permits of the queues.
func (t *Tx) giveBack() {
	t.conn.Release() // closes the connection if it is still in a transaction
	t.release()
}

// rollBack ends a transaction that wrote nothing, in the background: its caller knows the response already.
func (t *Tx) rollBack() {
	t.ended = true
	if !t.isBlock() {
		t.giveBack()
		return
	}
	t.db.background.Go(func() {
		defer t.giveBack()
		ctx, cancel := context.WithTimeout(context.Background(), finishTimeout)
		defer cancel()
		if _, err := t.conn.Exec(ctx, "rollback"); err != nil {
			t.db.log.WarnContext(t.Ctx, "roll back", "error", err)
		}
	})
}
