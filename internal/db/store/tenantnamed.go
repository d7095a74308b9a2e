package store

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
)

// TenantNamed returns the id of the tenant that has a text as its slug or as its id. It is for the operator, and takes
// no lock. Errors: one that says so if there is no such tenant, or two; problem.DatabaseUnavailable.
func (s *Store) TenantNamed(ctx context.Context, slugOrID string) (uuid.UUID, error) {
	var parsed *uuid.UUID
	if u, err := uuid.Parse(slugOrID); err == nil {
		parsed = &u
	}
	var ids []uuid.UUID
	err := s.db.ReadAcross(ctx, "find the tenant", func(t *core.Tx) {
		core.Query(t, "find the tenant", &ids, func(q *dbsqlc.Queries) ([]uuid.UUID, error) {
			return q.EventTenantList(t.Ctx, slugOrID, parsed)
		})
	})
	switch {
	case err != nil:
		return uuid.Nil, err
	case len(ids) == 0:
		return uuid.Nil, fmt.Errorf("there is no tenant %q", slugOrID)
	case len(ids) > 1:
		return uuid.Nil, fmt.Errorf("%q is the slug of one tenant and the id of another: give the tenant's other name",
			slugOrID)
	}
	return ids[0], nil
}
