package store

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/store/internal/dbsqlc"
)

// readOnly reads as a tenant in one round trip, without locks. queue queues the reads. Errors: problem.NotFound for a row that isn't
// there; problem.DatabaseUnavailable.
func (s *Store) readOnly(ctx context.Context, doing string, tenant uuid.UUID, queue func(t *tx)) error {
	return s.readInOneTrip(ctx, doing, func(t *tx) {
		t.tenant, t.current, t.readOnly = tenant, tenant, true
		queue(t)
	})
}

// readAsLogin reads in one round trip as the login itself and not as a tenant.
func (s *Store) readAsLogin(ctx context.Context, doing string, queue func(t *tx)) error {
	return s.readInOneTrip(ctx, doing, func(t *tx) {
		t.asLogin, t.readOnly = true, true
		queue(t)
	})
}

// readAcross reads in one round trip as the operator's role, which sees a little of every tenant.
func (s *Store) readAcross(ctx context.Context, doing string, queue func(t *tx)) error {
	return s.readAsLogin(ctx, doing, func(t *tx) {
		exec(&t.batch, "become the operator", func(q *dbsqlc.Queries) error { return q.LocksBecomeOperator(t.ctx) })
		queue(t)
	})
}

// readInOneTrip runs a transaction of one batch that only reads. queue says as whom, and queues the reads.
func (s *Store) readInOneTrip(ctx context.Context, doing string, queue func(t *tx)) error {
	return s.retry(ctx, doing, true, func() error {
		t, err := s.connect(ctx, uuid.Nil, func() {})
		if err != nil {
			return err
		}
		defer t.end()
		queue(t)
		return t.readOnce()
	})
}

// inOneTrip runs a transaction of one batch that writes, or locks rows. queue says as whom, and queues the statements.
func (s *Store) inOneTrip(ctx context.Context, doing string, resumable bool, queue func(t *tx)) error {
	return s.retry(ctx, doing, resumable, func() error {
		t, err := s.connect(ctx, uuid.Nil, func() {})
		if err != nil {
			return err
		}
		defer t.end()
		queue(t)
		return t.commit()
	})
}
