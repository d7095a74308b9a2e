package db

import (
	"context"

	"github.com/google/uuid"
)

// WorkerTx is a transaction that records what became of work for several tenants. Its own statements run as the
// worker's role, after BecomeWorker; those of a tenant come before them, by ForTenant.
type WorkerTx struct{ Tx }

// ForTenant returns the transaction for statements that see the rows of a tenant, and only those: those that are queued
// until the next call of ForTenant or BecomeWorker. It doesn't fail if the tenant moves: a move waits until no worker
// works for its tenant, so there is nothing to record of that one.
func (tx *WorkerTx) ForTenant(tenant uuid.UUID) *Tx {
	tx.t.SwitchTenantUnfenced(tenant)
	return &Tx{t: tx.t, tenant: tenant}
}

// ReadClock queues the reading of the database's clock, which Now returns then.
func (tx *WorkerTx) ReadClock() { tx.t.ReadClock() }

// Send sends what is queued, in one round trip, so that its results are there. Errors are for Record.
func (tx *WorkerTx) Send() error { return tx.t.Read() }

// Record runs a transaction in which a worker records what became of its work. record queues statements, and sends them
// as often as what follows depends on their results. If it returns an error, the transaction is rolled back; otherwise
// what is queued is sent, and all of it commits. record may be run several times and must not have effects of its own.
//
// It costs one round trip and one for each Send. Errors: record's own; what failures of statements mean;
// problem.LockTimeout and problem.DatabaseUnavailable, after which nothing was written; problem.OutcomeUnknown.
func (d *DB) Record(ctx context.Context, doing string, record func(*WorkerTx) error) error {
	attempts := d.core.Attempts(doing, false)
	for attempts.Next(ctx) {
		attempts.End(d.recordOnce(ctx, record))
	}
	return attempts.Err()
}

func (d *DB) recordOnce(ctx context.Context, record func(*WorkerTx) error) error {
	t, err := d.core.Connect(ctx, uuid.Nil)
	if err != nil {
		return err
	}
	defer t.End()
	if err := record(&WorkerTx{*newTx(t)}); err != nil {
		return err
	}
	return t.SendCommit() // also if nothing is queued: what was sent before is written already
}
