package core

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/db/internal/dbsqlc"
)

// ReadOnly reads as a tenant in one round trip, without locks. queue queues the reads. Errors: problem.NotFound for a
// row that isn't there; problem.DatabaseUnavailable.
func (d *DB) ReadOnly(ctx context.Context, doing string, tenant uuid.UUID, queue func(t *Tx)) error {
	return d.readInOneTrip(ctx, doing, func(t *Tx) {
		t.Tenant, t.current, t.readOnly = tenant, tenant, true
		queue(t)
	})
}

// ReadMaybeStale is ReadOnly from the standby, if the context allows that and the standby is recent enough: see
// AllowStale. After any failure of the standby, also if it hasn't the row or the tenant, the primary is read, so errors
// are those of ReadOnly. The caller puts what it reads into the response and into no cache.
func (d *DB) ReadMaybeStale(ctx context.Context, doing string, tenant uuid.UUID, queue func(t *Tx)) error {
	allowed := staleReadOf(ctx)
	if allowed == nil {
		return d.ReadOnly(ctx, doing, tenant, queue)
	}
	if d.standby != nil {
		err := d.standby.read(ctx, allowed.within, tenant, queue)
		if err == nil {
			allowed.served.Store(true)
			d.metrics.staleReads.WithLabelValues(servedByStandby).Inc()
			return nil
		}
		d.log.DebugContext(ctx, "the standby doesn't serve a read: the primary does", "read", doing, "error", err)
	}
	d.metrics.staleReads.WithLabelValues(servedByPrimary).Inc()
	return d.ReadOnly(ctx, doing, tenant, queue)
}

// ReadAsLogin reads in one round trip as the login itself and not as a tenant.
func (d *DB) ReadAsLogin(ctx context.Context, doing string, queue func(t *Tx)) error {
	return d.readInOneTrip(ctx, doing, func(t *Tx) {
		t.asLogin, t.readOnly = true, true
		queue(t)
	})
}

// ReadAcross reads in one round trip as the operator's role, which sees a little of every tenant.
func (d *DB) ReadAcross(ctx context.Context, doing string, queue func(t *Tx)) error {
	return d.ReadAsLogin(ctx, doing, func(t *Tx) {
		Exec(t, "become the operator", func(q *dbsqlc.Queries) error { return q.SessionOperator(t.Ctx) })
		queue(t)
	})
}

// AsTenant runs a transaction of one batch that writes, or locks rows, as a tenant. repeatable is as for Attempts.
func (d *DB) AsTenant(ctx context.Context, doing string, repeatable bool, tenant uuid.UUID, queue func(t *Tx)) error {
	return d.inOneTrip(ctx, doing, repeatable, func(t *Tx) {
		t.Tenant, t.current = tenant, tenant
		queue(t)
	})
}

// AsWorker runs a transaction of one batch as the worker's role, which sees the scheduled events and the changes of
// every tenant.
func (d *DB) AsWorker(ctx context.Context, doing string, queue func(t *Tx)) error {
	return d.inOneTrip(ctx, doing, false, func(t *Tx) {
		t.BecomeWorker()
		queue(t)
	})
}

// AsOperator runs a transaction of one batch as the operator's role, which may change the directory of the cells. What
// it does may be done twice.
func (d *DB) AsOperator(ctx context.Context, doing string, queue func(t *Tx)) error {
	return d.inOneTrip(ctx, doing, true, func(t *Tx) {
		Exec(t, "become the operator", func(q *dbsqlc.Queries) error { return q.SessionOperator(t.Ctx) })
		queue(t)
	})
}

// BecomeWorker lets the statements that are queued next see the scheduled events and the changes of every tenant.
func (t *Tx) BecomeWorker() {
	Exec(t, "become the worker", func(q *dbsqlc.Queries) error { return q.SessionWorker(t.Ctx) })
	t.planForCitus(&t.batch)
}

// BecomeApp ends what BecomeWorker began: the statements that are queued next see the rows of the tenant.
func (t *Tx) BecomeApp() {
	Exec(t, "become the tenant again", func(q *dbsqlc.Queries) error { return q.SessionApp(t.Ctx) })
}

// LookUp looks for the stored response of a request, which Request.Outcome then returns, and reports whether there is
// one. It takes no lock and one round trip; where commits wait for a standby one more, until the standby has the
// response. Errors: problem.DatabaseUnavailable; problem.OutcomeUnknown if it isn't known whether the standby has it.
func (d *DB) LookUp(ctx context.Context, r *Request) (found bool, err error) {
	k := RequestKey{Request: r}
	err = d.ReadOnly(ctx, "read an idempotency key", r.scope, func(t *Tx) {
		k.t = t
		t.ReadResponses(&k)
	})
	if err != nil {
		return false, err
	}
	k.t.Now = k.t.Began // nothing was waited for in between
	r.stored = k.stored()
	if r.stored == nil || r.stored.unfinished {
		r.stored = nil
		return false, nil
	}
	if !k.t.synchronous {
		return true, nil
	}
	return true, d.AsTenant(ctx, "wait for the standby", true, r.scope, func(t *Tx) { t.writeToLog() })
}

// readInOneTrip runs a transaction of one batch that only reads. queue says as whom, and queues the reads.
func (d *DB) readInOneTrip(ctx context.Context, doing string, queue func(t *Tx)) error {
	attempts := d.Attempts(doing, true)
	for attempts.Next(ctx) {
		attempts.End(d.once(ctx, queue, (*Tx).ReadOnce))
	}
	return attempts.Err()
}

// inOneTrip runs a transaction of one batch that writes, or locks rows. queue says as whom, and queues the statements.
func (d *DB) inOneTrip(ctx context.Context, doing string, repeatable bool, queue func(t *Tx)) error {
	attempts := d.Attempts(doing, repeatable)
	for attempts.Next(ctx) {
		attempts.End(d.once(ctx, queue, (*Tx).Commit))
	}
	return attempts.Err()
}

func (d *DB) once(ctx context.Context, queue func(t *Tx), send func(*Tx) error) error {
	t, err := d.Connect(ctx, uuid.Nil)
	if err != nil {
		return err
	}
	defer t.End()
	queue(t)
	return send(t)
}
