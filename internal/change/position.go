package change

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/db/store"
)

// Position returns the position in a tenant's feed that a cursor stands for. Errors: those of Page.
func (s *Service) Position(ctx context.Context, tenant uuid.UUID, text string) (store.FeedPosition, error) {
	c, err := parseCursor(text)
	if err != nil {
		return store.FeedPosition{}, err
	}
	read, err := s.store.Feed(ctx, tenant, store.FeedQuery{After: c.at})
	if err != nil {
		return store.FeedPosition{}, err
	}
	return c.at, c.check(read)
}

// Cursor returns the cursor of a position in a tenant's feed. Errors: problem.DatabaseUnavailable.
func (s *Service) Cursor(ctx context.Context, tenant uuid.UUID, at store.FeedPosition) (string, error) {
	read, err := s.store.Feed(ctx, tenant, store.FeedQuery{After: at})
	return cursor{epochOf(read.Epoch), at}.String(), err
}
