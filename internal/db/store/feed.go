package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
)

// The rows of feed_positions are named by their reader. relay is how far the relay has come. Two rows are no reader's:
// deleted is the last change that was deleted for its age, so that a cursor before it is known to have expired; the
// change id of epoch is part of each cursor, and another one once stored transaction ids were changed. The rows of the
// nil uuid are of all tenants. A tenant that has moved here from another cell has an epoch of its own, and a position
// of the last deleted one of the changes that came with it.

// relayed are the kinds of what the relay plans.
var relayed = []string{"webhook.delivery", "message.plan"}

// RelayFeed plans what follows from the next changes and notices of every tenant, at most limit of them, and returns
// how many it relayed. It returns 0 while another instance relays. Errors: problem.DatabaseUnavailable;
// problem.OutcomeUnknown, after which the next call goes on where the relay stands.
func (s *Store) RelayFeed(ctx context.Context, limit int) (n int64, err error) {
	var changes []int64 // none while another instance relays
	var planned int64
	most := int32(min(limit, 10_000))
	err = s.db.AsWorker(ctx, "relay the feed", func(t *core.Tx) {
		core.Query(t, "count the changes", &changes, func(q *dbsqlc.Queries) ([]int64, error) {
			return q.FeedRelayCount(t.Ctx, most)
		})
		core.Query(t, "relay the feed", &planned, func(q *dbsqlc.Queries) (int64, error) { return q.FeedRelay(t.Ctx, most) })
	})
	if err != nil {
		return 0, err
	}
	if planned > 0 {
		s.db.Wake(relayed...)
	}
	if len(changes) > 0 {
		n = changes[0]
	}
	return n, nil
}

// ExpireCursors ends the validity of every cursor of the feed, of all tenants: readers get problem.CursorExpired and
// begin anew. It is for a database that lost commits. Its readers may have seen changes that are gone, and would miss
// new ones that have their places. Errors: problem.DatabaseUnavailable, problem.OutcomeUnknown.
func (s *Store) ExpireCursors(ctx context.Context) error {
	return s.db.AsWorker(ctx, "expire the cursors of the feed", func(t *core.Tx) {
		core.Exec(t, "set another epoch", func(q *dbsqlc.Queries) error {
			return q.FeedEpochSet(t.Ctx, uuid.New())
		})
	})
}

// DeleteOldChanges deletes up to limit changes and notices of every tenant in their order, as far as they are older
// than keep or stand before such a change, and returns how many. It deletes none that the relay has yet to pass;
// heldBack says that such a change is older than keep. Of changes that came with tenants from other cells it deletes up
// to ten times the limit besides. One instance deletes at a time; 0 may mean that another one does. Stored responses
// point at changes: keep must be longer than the life of a key. Errors: problem.DatabaseUnavailable,
// problem.OutcomeUnknown.
func (s *Store) DeleteOldChanges(ctx context.Context, keep time.Duration,
	limit int,
) (n int64, heldBack bool, err error) {
	var arrived int64
	var rows []dbsqlc.ChangeDeleteOldRow
	err = s.db.AsWorker(ctx, "delete old changes", func(t *core.Tx) {
		core.Exec(t, "plan without sorting", func(q *dbsqlc.Queries) error { return q.SessionPlanWithoutSort(t.Ctx) })
		core.Query(t, "delete old changes that came with tenants", &arrived, func(q *dbsqlc.Queries) (int64, error) {
			return q.ChangeDeleteOldArrived(t.Ctx,
				dbsqlc.ChangeDeleteOldArrivedParams{AllTenants: uuid.Nil, Keep: db.Interval(keep),
					RowLimit: int32(min(limit, 10_000))})
		})
		core.Query(t, "delete old changes", &rows, func(q *dbsqlc.Queries) ([]dbsqlc.ChangeDeleteOldRow, error) {
			return q.ChangeDeleteOld(t.Ctx, dbsqlc.ChangeDeleteOldParams{AllTenants: uuid.Nil, Keep: db.Interval(keep),
				RowLimit: int32(min(limit, 10_000))})
		})
	})
	if err != nil || len(rows) == 0 {
		return arrived, false, err
	}
	return arrived + rows[0].Changes, rows[0].HeldBack, nil
}
