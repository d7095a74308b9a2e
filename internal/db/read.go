package db

import (
	"context"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db/internal/core"
)

// Read reads as a tenant in one round trip, without locks. queue queues the reads; it may be called several times.
// Errors: problem.NotFound for a single row that isn't there; problem.DatabaseUnavailable.
func (d *DB) Read(ctx context.Context, doing string, tenant uuid.UUID, queue func(tx *Tx)) error {
	return d.core.ReadOnly(ctx, doing, tenant, func(t *core.Tx) { queue(newTx(t)) })
}

// Clock returns the time by the database's clock, UTC, in one round trip as a tenant. Errors:
// problem.DatabaseUnavailable.
func (d *DB) Clock(ctx context.Context, tenant uuid.UUID) (now time.Time, err error) {
	err = d.core.ReadOnly(ctx, "read the clock", tenant, func(t *core.Tx) { t.ReadClockInto(&now) })
	return now, err
}

// ReadTwice reads as a tenant in two round trips, without locks. All reads see the database at one moment. first queues
// the first reads. then queues the others, when the first are there; its error ends the reading. Both may be called
// several times. Errors: those of DB.Read and of then.
func (d *DB) ReadTwice(ctx context.Context, doing string, tenant uuid.UUID, first func(tx *Tx),
	then func(tx *Tx) error,
) error {
	attempts := d.core.Attempts(doing, true)
	for attempts.Next(ctx) {
		attempts.End(d.readTwice(ctx, tenant, first, then))
	}
	return attempts.Err()
}

func (d *DB) readTwice(ctx context.Context, tenant uuid.UUID, first func(tx *Tx), then func(tx *Tx) error) error {
	t, err := d.core.Connect(ctx, tenant)
	if err != nil {
		return err
	}
	defer t.End()
	t.AtOneMoment()
	tx := newTx(t)
	first(tx)
	if err := t.Read(); err != nil {
		return err
	}
	if err := then(tx); err != nil {
		return err
	}
	return t.ReadOnce()
}

// ReadOne runs one query as a tenant. Errors: those of DB.Read.
func ReadOne[Q, T any](ctx context.Context, d *DB, statements Statements[Q, Transaction], doing string,
	tenant uuid.UUID,
	run func(*Tx, Q) (T, error),
) (result T, err error) {
	err = d.Read(ctx, doing, tenant, func(tx *Tx) {
		Query(statements.On(tx), doing, &result, func(q Q) (T, error) { return run(tx, q) })
	})
	return result, err
}

// ReadMaybeStale is Read from the standby, if the context allows that and the standby is recent enough. After any
// failure of the standby the primary is read. The caller puts what it reads into the response and into no cache.
func (d *DB) ReadMaybeStale(ctx context.Context, doing string, tenant uuid.UUID, queue func(tx *Tx)) error {
	return d.core.ReadMaybeStale(ctx, doing, tenant, func(t *core.Tx) { queue(newTx(t)) })
}

// ReadOneMaybeStale is ReadOne by ReadMaybeStale.
func ReadOneMaybeStale[Q, T any](ctx context.Context, d *DB, statements Statements[Q, Transaction], doing string,
	tenant uuid.UUID,
	run func(*Tx, Q) (T, error),
) (result T, err error) {
	err = d.ReadMaybeStale(ctx, doing, tenant, func(tx *Tx) {
		Query(statements.On(tx), doing, &result, func(q Q) (T, error) { return run(tx, q) })
	})
	return result, err
}

// ReadAsLogin reads in one round trip as the login itself, which sees what PostgreSQL shows it of its sessions and
// locks. Row-level security hides the rows of tenants from it. Errors: those of Read.
func (d *DB) ReadAsLogin(ctx context.Context, doing string, queue func(tx *Tx)) error {
	return d.core.ReadAsLogin(ctx, doing, func(t *core.Tx) { queue(newTx(t)) })
}

// ReadAcross reads in one round trip as the operator's role, which sees a little of every tenant. Errors: those of
// Read.
func (d *DB) ReadAcross(ctx context.Context, doing string, queue func(tx *Tx)) error {
	return d.core.ReadAcross(ctx, doing, func(t *core.Tx) { queue(newTx(t)) })
}

// ReadAsWorker reads in one round trip as the worker's role, which sees the scheduled events and the changes of every
// tenant. Errors: those of Read.
func (d *DB) ReadAsWorker(ctx context.Context, doing string, queue func(tx *Tx)) error {
	return d.core.ReadAsLogin(ctx, doing, func(t *core.Tx) {
		t.BecomeWorker()
		queue(newTx(t))
	})
}
