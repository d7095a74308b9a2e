package store

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
)

// Page bounds a list: at most Limit rows that follow the id After.
type Page struct {
	After uuid.UUID
	Limit int
}

// readByKey runs a query for one row as a tenant.
func readByKey[K, T any](ctx context.Context, s *Store, doing string, tenant uuid.UUID, key K,
	get func(*dbsqlc.Queries, context.Context, uuid.UUID, K) (T, error),
) (T, error) {
	return core.ReadOne(ctx, s.db, doing, tenant, func(ctx context.Context, q *dbsqlc.Queries) (T, error) {
		return get(q, ctx, tenant, key)
	})
}
