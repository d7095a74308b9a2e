package store

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/db/internal/core"
)

// Write runs decide in a transaction of one tenant, in two round trips. request is what is served, nil for a change
// without a key. When decide returns an error, or queues nothing, the transaction is rolled back. decide may be run
// several times and must not have effects of its own.
//
// Errors: decide's own; problem.AlreadyExists for the email of another customer; problem.NotFound for a service's
// resource that doesn't exist; problem.LockTimeout, problem.DatabaseUnavailable and problem.RequestInProgress, after
// which nothing was written; problem.OutcomeUnknown.
func (s *Store) Write(ctx context.Context, tenant uuid.UUID, request *Request, read WriteRead,
	decide func(*WriteTx, WriteState) error,
) error {
	w := core.Write{Doing: "change the tenant's data", Request: request, Tenant: tenant}
	return s.db.Run(ctx, w, func(t *core.Tx, k *core.RequestKey) func() error {
		tx, st := &WriteTx{transaction: newTransaction(t, k), tenant: tenant}, new(WriteState)
		tx.queueReads(read, st)
		return func() error {
			st.Now = t.Now
			return decide(tx, *st)
		}
	})
}

func (tx *WriteTx) queueReads(read WriteRead, st *WriteState) {
	t := tx.t
	t.SwitchTenant(tx.tenant)
	queueCatalogReads(t, tx.tenant, read, st)
	t.ReadClock() // last: a read may have waited for a row
}
