package store

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
)

// UserNames returns the names of users, also of those who were removed, by their ids. Errors: problem.DatabaseUnavailable.
func (s *Store) UserNames(ctx context.Context, tenant uuid.UUID, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	rows, err := core.ReadOne(ctx, s.db, "read the names of users", tenant,
		func(ctx context.Context, q *dbsqlc.Queries) ([]dbsqlc.UserNamesRow, error) {
			return q.UserNames(ctx, tenant, ids)
		})
	names := make(map[uuid.UUID]string, len(rows))
	for _, row := range rows {
		names[row.UserID] = row.Name
	}
	return names, err
}
