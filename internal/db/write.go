package db

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/db/internal/core"
)

// Write runs a transaction of one tenant that holds no advisory lock, in two round trips. doing says in errors what it
// does. request is what is served, nil for a change without a key. begin queues reads, which may lock rows, and returns
// the decision. If that returns an error, or queues nothing, the transaction is rolled back; otherwise its writes
// commit together. Both may be run several times and must not have effects of their own.
//
// Errors: the decision's own; what failures of statements mean; problem.LockTimeout, problem.DatabaseUnavailable and
// problem.RequestInProgress, after which nothing was written; problem.OutcomeUnknown.
func (d *DB) Write(ctx context.Context, doing string, tenant uuid.UUID, request *Request,
	begin func(*WriteTx) (decide func() error),
) error {
	w := core.Write{Doing: doing, Request: request, Tenant: tenant}
	return d.core.Run(ctx, w, func(t *core.Tx, k *core.RequestKey) func() error {
		t.SwitchTenant(tenant) // a request of an administrator began without one
		tx := newWriteTx(t, k)
		tx.tenant = tenant
		return thenClock(t, begin(&tx))
	})
}

// thenClock queues the reading of the clock after all reads, unless one of them reads it: one of them may have waited
// for a row.
func thenClock(t *core.Tx, decide func() error) func() error {
	if !t.ReadsClock {
		t.ReadClock()
	}
	return decide
}

// WriteOnce runs a transaction of one batch as a tenant: it decides nothing between reading and writing. repeatable
// says that it may run again after its commit was cut off. Errors: what failures of statements mean; problem.NotFound
// for a single row that isn't there; problem.LockTimeout, problem.DatabaseUnavailable; problem.OutcomeUnknown.
func (d *DB) WriteOnce(ctx context.Context, doing string, repeatable bool, tenant uuid.UUID, queue func(tx *Tx)) error {
	return d.core.AsTenant(ctx, doing, repeatable, tenant, func(t *core.Tx) { queue(newTx(t)) })
}

// AsWorker is WriteOnce as the worker's role, which sees the scheduled events and the changes of every tenant.
func (d *DB) AsWorker(ctx context.Context, doing string, queue func(tx *Tx)) error {
	return d.core.AsWorker(ctx, doing, func(t *core.Tx) { queue(newTx(t)) })
}

// WriteAsOperator is WriteOnce as the operator's role, which may change the directory of the cells. tenant is the one
// that the statements name, uuid.Nil for several. What it does may be done twice.
func (d *DB) WriteAsOperator(ctx context.Context, doing string, tenant uuid.UUID, queue func(tx *Tx)) error {
	return d.core.AsOperator(ctx, doing, func(t *core.Tx) { queue(&Tx{t: t, tenant: tenant}) })
}

// Wake notifies the workers of all instances that events of some kinds are due.
func (d *DB) Wake(kinds ...string) { d.core.Wake(kinds...) }
