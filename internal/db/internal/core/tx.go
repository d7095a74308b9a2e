package core

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"holdfast/internal/db/internal/dbsqlc"
	"holdfast/internal/lock"
)

// Explicit, so that a database whose default is another level can't weaken the locks: under REPEATABLE READ the
// snapshot of the first statement, older than the lock, would serve the reads that the lock protects.
const beginWrite = "begin isolation level read committed read write"

// beginSnapshot begins a transaction without locks whose statements all see the database as the first one does.
const beginSnapshot = "begin isolation level repeatable read read only"

// waitForLock is the name of the statement that takes a lock.
const waitForLock = "wait for the lock"

// Tx is one database transaction of at most two batches, and so of two round trips. The first batch begins the
// transaction, makes its settings, takes its locks and reads. The second batch writes and commits. A transaction
// without a decision in between needs one batch. If it only reads, and needn't see one moment, it needs neither BEGIN
// nor COMMIT: the statements of a batch are one transaction (PostgreSQL manual, "Pipelining" under "Message Flow").
//
// It knows no bookings and no payments: the domain's transactions are small types on it, which add statements with
// Exec, Query and Optional.
type Tx struct {
	// Ctx is the context of the statements. It has no end: a client that goes away must not cut a transaction.
	Ctx context.Context //nolint:containedctx // statements are queued now and sent later, and none may get the client's own context
	// Tenant is the tenant that row-level security confines the transaction to, as it begins.
	Tenant uuid.UUID
	// Began is the time by the database's clock before the locks, Now the time after them, set by the statement that
	// reads the clock.
	Began, Now time.Time
	// ReadsClock says that a query of the first batch sets Now.
	ReadsClock bool
	// Events are written with the commit.
	Events EventQueue

	db      *DB
	conn    *pgxpool.Conn
	release func()  // gives back the permits of the process's queues
	queues  []int64 // of locks, of which a shared transaction has a permit
	ended   bool    // the connection and the permits are given back

	current     uuid.UUID // row-level security confines the statements that are queued next to it
	asLogin     bool      // the transaction runs as the login itself and not as a tenant
	readOnly    bool
	snapshot    bool // with readOnly: all statements see the database at one moment
	begun       bool // the first batch was sent
	synchronous bool // commits wait for a standby; known after the first batch
	batch       batch
	keys        []*RequestKey // whose responses are stored with the commit

	locks    []lock.Key
	kind     string        // of the locks, for metrics; empty without locks
	tried    bool          // the locks are tried and not waited for
	granted  []bool        // of locks that are tried: for each, whether it was granted
	deadline time.Time     // until when locks, also locks of rows, are waited for
	longest  time.Duration // that statements may take on top of the lock timeout
	queued   time.Duration // in the process, for the locks
	locked   time.Time     // by the clock of this process
}

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

// Holds reports whether the transaction holds all of the locks. Two names with one key are one lock.
func (t *Tx) Holds(keys []lock.Key) bool {
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

// errTenantMissing says that a lock wasn't taken, because the tenant whose row its statement reads isn't there.
var errTenantMissing = errors.New("db: no lock was taken: the tenant is missing")

// tenantMissing turns a lock's row that isn't there into an error that ends the transaction. A row of another statement
// may be missing.
func tenantMissing(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return errTenantMissing
	}
	return err
}

// ReadClock queues the reading of the database's clock into now.
func (t *Tx) ReadClock() { t.ReadClockInto(&t.Now) }

// ReadClockInto queues the reading of the database's clock.
func (t *Tx) ReadClockInto(now *time.Time) {
	query(&t.batch, own, "read the clock", now, func(q *dbsqlc.Queries) (time.Time, error) {
		return q.SessionClock(t.Ctx)
	})
}

// AtOneMoment has the transaction only read, and all its statements see the database at one moment.
func (t *Tx) AtOneMoment() { t.readOnly, t.snapshot = true, true }

// AllowTime lets each statement take longer, on top of the lock timeout, than the 10 s that are usual.
func (t *Tx) AllowTime(longest time.Duration) { t.longest = longest }

// LimitLockWait queues that the statements that are queued next wait for locks of rows for a time at most.
func (t *Tx) LimitLockWait(limit time.Duration) {
	exec(&t.batch, own, "limit the wait for locks", func(q *dbsqlc.Queries) error {
		return q.SessionLockTimeout(t.Ctx, milliseconds(limit))
	})
}

// PlanForValues queues that PostgreSQL plans the statements that are queued next for their values, and not once for
// any.
func (t *Tx) PlanForValues() {
	exec(&t.batch, own, "plan for the values", func(q *dbsqlc.Queries) error { return q.SessionPlanForValues(t.Ctx) })
}

// PlanForPages queues that PostgreSQL plans the statements that are queued next for the first rows of a list, as its
// index has them.
func (t *Tx) PlanForPages() {
	exec(&t.batch, own, "plan for a page", func(q *dbsqlc.Queries) error { return q.SessionPlanForPages(t.Ctx) })
}

// PlanWithoutSort queues that PostgreSQL plans the statements that are queued next without sorting.
func (t *Tx) PlanWithoutSort() {
	exec(&t.batch, own, "plan without sorting",
		func(q *dbsqlc.Queries) error { return q.SessionPlanWithoutSort(t.Ctx) })
}

// SwitchTenant lets the statements that are queued next see the rows of another tenant, and only those. The transaction
// fails if the tenant is moving to another cell, or has moved.
func (t *Tx) SwitchTenant(to uuid.UUID) {
	if t.current == to {
		return
	}
	t.current = to
	var settings string
	query(&t.batch, own, "switch the tenant", &settings, func(q *dbsqlc.Queries) (string, error) {
		row, err := q.SessionTenant(t.Ctx, to)
		return row.Settings, cmp.Or(err, fenced(row.Fence))
	})
}

// SwitchTenantUnfenced is SwitchTenant for a transaction that records what became of work for several tenants: it must
// not fail because one of them moves. A move waits until no worker works for its tenant, so there is nothing to record
// of that one.
func (t *Tx) SwitchTenantUnfenced(to uuid.UUID) {
	t.current = to
	exec(&t.batch, own, "switch the tenant", func(q *dbsqlc.Queries) error {
		return q.SessionTenantUnfenced(t.Ctx, to.String())
	})
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

// isBlock reports whether the transaction has a BEGIN, and so needs an end. Another one ends with its batch.
func (t *Tx) isBlock() bool { return !t.readOnly || t.snapshot }

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
