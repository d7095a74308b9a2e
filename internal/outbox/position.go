package outbox

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/store"
)

// Position returns the place in a tenant's feed that a cursor stands for. Errors: those of Page.
func (s *Service) Position(ctx context.Context, tenant uuid.UUID, text string) (store.OutboxPosition, error) {
	c, err := parseCursor(text)
	if err != nil {
		return store.OutboxPosition{}, err
	}
	read, err := s.store.Outbox(ctx, tenant, store.OutboxQuery{After: c.at})
	if err != nil {
		return store.OutboxPosition{}, err
	}
	return c.at, c.check(read)
}

// Cursor returns the cursor of a place in a tenant's feed. Errors: problem.DatabaseUnavailable.
func (s *Service) Cursor(ctx context.Context, tenant uuid.UUID, at store.OutboxPosition) (string, error) {
	read, err := s.store.Outbox(ctx, tenant, store.OutboxQuery{After: at})
	return cursor{epochOf(read.Epoch), at}.String(), err
}
