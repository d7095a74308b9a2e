package store

import (
	"github.com/google/uuid"

	"holdfast/internal/db/internal/core"
)

// transaction is what the transactions of the domain have in common.
type transaction struct {
	t *core.Tx
	k *core.RequestKey // of the request that is served
	q *core.EventQueue // what the request plans and records
}

func newTransaction(t *core.Tx, k *core.RequestKey) transaction {
	return transaction{t: t, k: k, q: &t.Events}
}

// Respond sets the outcome of the request, which is stored with the commit as its response, unless err, the error of
// making it, isn't nil. A response whose body is that of a change that was queued before isn't stored twice: it points
// at the change.
func (tx transaction) Respond(o Outcome, err error) error { return tx.k.Respond(o, err) }

// PlanEvents queues scheduled events. One that was planned before, by its kind, subject and occurrence, stays as it is.
func (tx transaction) PlanEvents(events ...NewEvent) { tx.q.PlanEvents(events...) }

// MoveEvent queues a scheduled event. One that was planned before, by its kind, subject and occurrence, becomes pending and due at
// the new time, with the new data. A worker that holds it loses its lease.
func (tx transaction) MoveEvent(e NewEvent) { tx.q.MoveEvent(e) }

// EndEvents queues the cancellation of what is planned for a subject, as far as it is of these kinds, for a reason, which is shown to the
// tenant as the events' last error. A worker that holds one of these events loses its lease.
func (tx transaction) EndEvents(reason string, subject uuid.UUID, kinds ...string) {
	tx.q.EndEvents(reason, subject, kinds...)
}

// AddChange queues the record of a change.
func (tx transaction) AddChange(c Change) { tx.q.AddChange(c) }
