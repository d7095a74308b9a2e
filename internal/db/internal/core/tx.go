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

// Tx is one database transaction of at most two batches, and so of two round trips. The first batch begins the
// transaction, makes its settings, takes its locks and reads. The second batch writes and commits. A transaction
// without a decision in between needs one batch. If it only reads, and needn't see one moment, it needs neither BEGIN
// nor COMMIT: the statements of a batch are one transaction (PostgreSQL manual, "Pipelining" under "Message Flow").
//
// It knows no bookings and no payments: the domain's transactions are small types on it, which add statements with
// ExecOf, QueryOf and OptionalOf.
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

// isBlock reports whether the transaction has a BEGIN, and so needs an end. Another one ends with its batch.
func (t *Tx) isBlock() bool { return !t.readOnly || t.snapshot }

// RequestKey is the idempotency key of one request in a transaction, with the response that is stored under it. A
// change without a key has one without a Request.
type RequestKey struct {
	Request *Request
	t       *Tx
	phased  bool                       // an unfinished request is continued
	row     *dbsqlc.IdempotencyListRow // as it was read; nil if the key is free
	events  *EventQueue                // of the request
	storing *newResponse               // stored with the commit; nil stores nothing
}

// newResponse is the response to an outcome, to be stored.
type newResponse struct {
	Outcome
	change *Change // whose data are the body; nil if the body is stored by itself
}
