package db

import (
	"context"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db/internal/core"
)

// Transaction is any transaction of this package.
type Transaction interface {
	// Context is the context of the transaction's statements. It has no end: a client that goes away must not cut a
	// transaction.
	Context() context.Context
	// Tenant is the tenant that row-level security confines the transaction to. It comes from the lock, or from the
	// caller that began the transaction.
	Tenant() uuid.UUID
	// Now is the time by the database's clock, UTC: after the locks were granted and, without locks, when the
	// transaction began.
	Now() time.Time

	raw() *core.Tx // so that only this package makes transactions
}

// Tx is a transaction that holds no advisory lock.
type Tx struct {
	t      *core.Tx
	tenant uuid.UUID
}

func newTx(t *core.Tx) *Tx { return &Tx{t: t, tenant: t.Tenant} }

// Context is the context of the statements.
func (tx *Tx) Context() context.Context { return tx.t.Ctx }

// Tenant is the transaction's tenant.
func (tx *Tx) Tenant() uuid.UUID { return tx.tenant }

// Now is the time by the database's clock, UTC.
func (tx *Tx) Now() time.Time {
	if tx.t.Now.IsZero() {
		return tx.t.Began
	}
	return tx.t.Now
}

func (tx *Tx) raw() *core.Tx { return tx.t }

// LimitLockWait queues that the statements that are queued next wait for locks of rows for a time at most.
func (tx *Tx) LimitLockWait(limit time.Duration) { tx.t.LimitLockWait(limit) }

// AllowTime lets each statement take longer, on top of the lock timeout, than the 10 s that are usual.
func (tx *Tx) AllowTime(longest time.Duration) { tx.t.AllowTime(longest) }

// AtOneMoment has all statements of a transaction that only reads see the database at one moment.
func (tx *Tx) AtOneMoment() { tx.t.AtOneMoment() }

// PlanForValues queues that PostgreSQL plans the statements that are queued next for their values, and not once for
// any.
func (tx *Tx) PlanForValues() { tx.t.PlanForValues() }

// PlanForPages queues that PostgreSQL plans the statements that are queued next for the first rows of a list, as its
// index has them.
func (tx *Tx) PlanForPages() { tx.t.PlanForPages() }

// PlanWithoutSort queues that PostgreSQL plans the statements that are queued next without sorting: they take the first
// rows in the order of an index.
func (tx *Tx) PlanWithoutSort() { tx.t.PlanWithoutSort() }

// ReadClockInto queues the reading of the database's clock, UTC.
func (tx *Tx) ReadClockInto(now *time.Time) { tx.t.ReadClockInto(now) }

// BecomeWorker lets the statements that are queued next run as the worker's role, which sees the scheduled events and
// the changes of every tenant.
func (tx *Tx) BecomeWorker() { tx.t.BecomeWorker() }

// BecomeTenant ends what BecomeWorker began: the statements that are queued next see the rows of the tenant.
func (tx *Tx) BecomeTenant() { tx.t.BecomeApp() }

// WriteTx is a transaction that changes something, for a request or by itself. What it queues is written when the
// decision returns.
type WriteTx struct {
	Tx
	key    *core.RequestKey
	events *core.EventQueue // of the request: transactions of several requests have one for each
}

func newWriteTx(t *core.Tx, key *core.RequestKey) WriteTx {
	return WriteTx{Tx: *newTx(t), key: key, events: &t.Events}
}

// held is a transaction of the core whose locks are held, with the key of its request.
type held struct {
	t   *core.Tx
	key *core.RequestKey
}

// Respond sets the outcome of the request, which is stored with the commit as its response, unless err, the error of
// making it, isn't nil. A response whose body is that of a change that was queued before isn't stored twice: it points
// at the change.
func (tx *WriteTx) Respond(o Outcome, err error) error { return tx.key.Respond(o, err) }

// PlanEvents queues scheduled events. One that was planned before, by its kind, subject and occurrence, stays as it is.
func (tx *WriteTx) PlanEvents(events ...NewEvent) { tx.events.PlanEvents(events...) }

// MoveEvent queues a scheduled event. One that was planned before, by its kind, subject and occurrence, becomes pending
// and due at the new time, with the new data. A worker that holds it loses its lease.
func (tx *WriteTx) MoveEvent(e NewEvent) { tx.events.MoveEvent(e) }

// EndEvents queues the cancellation of what is planned for a subject, as far as it is of these kinds, for a reason,
// which is shown to the tenant as the events' last error. A worker that holds one of these events loses its lease.
func (tx *WriteTx) EndEvents(reason string, subject uuid.UUID, kinds ...string) {
	tx.events.EndEvents(reason, subject, kinds...)
}

// Wake has the workers of a kind look for work once the transaction has committed: a statement of it made an event due.
func (tx *WriteTx) Wake(kind string) { tx.events.Wake(kind) }

// Actor is who asks for the changes of the transaction.
func (tx *WriteTx) Actor() Actor { return tx.events.Actor }

// AddChange queues the record of a change.
func (tx *WriteTx) AddChange(c Change) { tx.events.AddChange(c) }

// AddWritten notes the record of a change that a statement of the transaction writes.
func (tx *WriteTx) AddWritten(c Change) { tx.events.AddWritten(c) }
