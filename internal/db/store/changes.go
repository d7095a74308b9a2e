package store

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
)

// SubjectChange is a change as it is stored, without its position in the feed.
type SubjectChange = dbsqlc.Change

// SubjectChanges lists the changes of a subject, without notices, that follow a version, at most limit, in the order of their versions.
// before is the change before the first of them; nil if that is the first that is stored. Errors: problem.DatabaseUnavailable.
func (s *Store) SubjectChanges(ctx context.Context, tenant, subject uuid.UUID, after int64,
	limit int,
) (before *SubjectChange, list []SubjectChange, err error) {
	list, err = core.ReadOne(ctx, s.db, "list the changes of a subject", tenant,
		func(ctx context.Context, q *dbsqlc.Queries) ([]SubjectChange,
			error) {
			return q.ChangeListBySubject(ctx, dbsqlc.ChangeListBySubjectParams{
				TenantID: tenant, SubjectID: subject, AfterVersion: after, RowLimit: int32(limit + 1),
			})
		})
	if len(list) > 0 && list[0].Version <= after {
		before, list = &list[0], list[1:]
	}
	return before, list[:min(len(list), limit)], err
}
