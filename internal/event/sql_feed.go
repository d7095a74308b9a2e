package event

import (
	"context"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/event/internal/rowsql"
)

// The rows of feed_positions are named by their reader. relay is how far the relay has come. Two rows are no reader's:
// deleted is the last change that was deleted for its age, so that a cursor before it is known to have expired; the
// change id of epoch is part of each cursor, and another one once stored transaction ids were changed. The rows of the
// nil uuid are of all tenants. A tenant that has moved here from another cell has an epoch of its own, and a position
// of the last deleted one of the changes that came with it.

// relayed are the kinds of what the relay plans.
var relayed = []string{"webhook.delivery", "message.plan"}

// maxFeedRows bounds how many changes one transaction relays or deletes.
const maxFeedRows = 10_000

// RelayFeed plans what follows from the next changes and notices of every tenant, at most limit of them, and returns
// how many it relayed. It returns 0 while another instance relays. Errors: problem.DatabaseUnavailable;
// problem.OutcomeUnknown, after which the next call goes on where the relay stands.
func RelayFeed(ctx context.Context, d *db.DB, limit int) (n int64, err error) {
	var changes []int64 // none while another instance relays
	var planned int64
	most := int32(min(limit, maxFeedRows))
	err = d.AsWorker(ctx, "relay the feed", func(tx *db.Tx) {
		db.Query(unlocked.On(tx), "count the changes", &changes, func(q *rowsql.Queries) ([]int64, error) {
			return q.FeedRelayCount(tx.Context(), most)
		})
		db.Query(unlocked.On(tx), "relay the feed", &planned, func(q *rowsql.Queries) (int64, error) {
			return q.FeedRelay(tx.Context(), most)
		})
	})
	if err != nil {
		return 0, err
	}
	if planned > 0 {
		d.Wake(relayed...)
	}
	if len(changes) > 0 {
		n = changes[0]
	}
	return n, nil
}

// DeleteOldChanges deletes up to limit changes and notices of every tenant in their order, as far as they are older
// than keep or stand before such a change, and returns how many. It deletes none that the relay has yet to pass;
// heldBack says that such a change is older than keep. Of changes that came with tenants from other cells it deletes up
// to ten times the limit besides. One instance deletes at a time; 0 may mean that another one does. Stored responses
// point at changes: keep must be longer than the life of a key. Errors: problem.DatabaseUnavailable,
// problem.OutcomeUnknown.
func DeleteOldChanges(ctx context.Context, d *db.DB, keep time.Duration,
	limit int,
) (n int64, heldBack bool, err error) {
	var arrived int64
	var rows []rowsql.ChangeDeleteOldRow
	most := int32(min(limit, maxFeedRows))
	err = d.AsWorker(ctx, "delete old changes", func(tx *db.Tx) {
		tx.PlanWithoutSort()
		db.Query(unlocked.On(tx), "delete old changes that came with tenants", &arrived,
			func(q *rowsql.Queries) (int64, error) {
				return q.ChangeDeleteOldArrived(tx.Context(), rowsql.ChangeDeleteOldArrivedParams{
					AllTenants: uuid.Nil, Keep: db.Interval(keep), RowLimit: most,
				})
			})
		db.Query(unlocked.On(tx), "delete old changes", &rows,
			func(q *rowsql.Queries) ([]rowsql.ChangeDeleteOldRow, error) {
				return q.ChangeDeleteOld(tx.Context(), rowsql.ChangeDeleteOldParams{
					AllTenants: uuid.Nil, Keep: db.Interval(keep), RowLimit: most,
				})
			})
	})
	if err != nil || len(rows) == 0 {
		return arrived, false, err
	}
	return arrived + rows[0].Changes, rows[0].HeldBack, nil
}
