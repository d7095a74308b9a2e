package catalog

import (
	"context"

	"holdfast/internal/db/store"
	"holdfast/internal/idempotency"
	"holdfast/internal/tenant"
)

// Service has the use cases of the catalog. It is safe for concurrent use.
type Service struct {
	store *store.Store
}

// NewService returns the use cases on s.
func NewService(s *store.Store) *Service {
	return &Service{store: s}
}

// writeOnce runs a change of the catalog that needs an idempotency key: check, then queue in a transaction that stores the response.
func (s *Service) writeOnce(ctx context.Context, t tenant.Tenant, r idempotency.Request, check func() error, read store.WriteRead,
	queue func(*store.WriteTx, store.WriteState) (idempotency.Outcome, error),
) (idempotency.Outcome, error) {
	request := r.Of(t.ID)
	if err := check(); err != nil {
		return idempotency.Outcome{}, err
	}
	return request.Outcome(s.store.Write(ctx, t.ID, request, read, func(tx *store.WriteTx, st store.WriteState) error {
		return tx.Respond(queue(tx, st))
	}))
}

func noCheck() error { return nil }
