package catalog

import (
	"context"

	"holdfast/internal/db"
	"holdfast/internal/idempotency"
	"holdfast/internal/tenant"
)

// Service has the use cases of the catalog. It is safe for concurrent use.
type Service struct {
	db *db.DB
}

// NewService returns the use cases on d.
func NewService(d *db.DB) *Service {
	return &Service{db: d}
}

// writeOnce runs a change of the catalog that needs an idempotency key, in a transaction that stores the response.
// begin queues reads and returns the decision.
func (s *Service) writeOnce(ctx context.Context, t tenant.Tenant, r idempotency.Request,
	begin func(*db.WriteTx) func() (idempotency.Outcome, error),
) (idempotency.Outcome, error) {
	request := r.DBRequest(t.ID)
	return request.Outcome(s.db.Write(ctx, changing, t.ID, request, func(tx *db.WriteTx) func() error {
		decide := begin(tx)
		return func() error { return tx.Respond(decide()) }
	}))
}
