package store

import (
	"bytes"
	"cmp"
	"context"
	"math"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
)

// The rows of feed_positions are named by their reader. relay is how far the relay has come. Two rows are no reader's: deleted is the last
// change that was deleted for its age, so that a cursor before it is known to have expired; the change id of epoch is part of each cursor,
// and another one once stored transaction ids were changed. The rows of the nil uuid are of all tenants. A tenant that has moved here from
// another cell has an epoch of its own, and a position of the last deleted one of the changes that came with it.

// maxFeedScan is how many changes and notices a read of the feed looks at for those that pass its filter.
const maxFeedScan = 1000

// FeedPosition is a position in the feed. The transaction id is that of the transaction that wrote the change or notice; for some of
// customers it is one that began a little later.
type FeedPosition struct {
	TransactionID int64
	ChangeID      uuid.UUID
}

// FeedBegin is the position before all changes.
func FeedBegin() FeedPosition { return FeedPosition{TransactionID: math.MinInt64} }

// Compare returns -1 if p comes before q, 1 if it comes after q, and 0 if they are one position.
func (p FeedPosition) Compare(q FeedPosition) int {
	return cmp.Or(cmp.Compare(p.TransactionID, q.TransactionID), bytes.Compare(p.ChangeID[:], q.ChangeID[:]))
}

// StoredChange is a change or notice as it is stored.
type StoredChange = dbsqlc.FeedListRow

// FeedQuery asks for a tenant's changes and notices after a position: at most Limit of them.
type FeedQuery struct {
	After FeedPosition
	// Types are patterns of LIKE; a change passes if one of them matches its type. None lets all pass.
	Types []string
	// Subject lets only changes of the subject pass; nil lets all pass.
	Subject *uuid.UUID
	Limit   int
}

// FeedPage is what a read of the feed found.
type FeedPage struct {
	Changes []StoredChange
	// Next is the position up to which the feed was read: no change before it was left out, and none will appear there.
	Next FeedPosition
	// More says that there may be more changes after Next already.
	More bool
	// End is the position before which no change can appear any more, and Deleted the last change that was deleted for its age, or
	// FeedBegin.
	End, Deleted FeedPosition
	// Epoch is another one once the positions of all changes were changed.
	Epoch uuid.UUID
}

// Feed reads a tenant's changes and notices in their order. It leaves out those of transactions that began to write no earlier than one
// that still runs: what commits later comes later. Errors: problem.DatabaseUnavailable.
func (s *Store) Feed(ctx context.Context, tenant uuid.UUID, q FeedQuery) (FeedPage, error) {
	return readFeed(tenant, q, func(queue func(*core.Tx, feedList)) error {
		return s.db.ReadOnly(ctx, "read the feed", tenant, func(t *core.Tx) {
			queue(t, func(db *dbsqlc.Queries) ([]StoredChange, error) { return listFeed(t, db, tenant, q) })
		})
	})
}

// FeedAcross is Feed for the changes and notices of all tenants; the query's subject doesn't count. It is for the operator, and reads as
// the worker's role. Errors: problem.DatabaseUnavailable.
func (s *Store) FeedAcross(ctx context.Context, q FeedQuery) (FeedPage, error) {
	return readFeed(uuid.Nil, q, func(queue func(*core.Tx, feedList)) error {
		return s.db.ReadAsLogin(ctx, "read the feed of all tenants", func(t *core.Tx) {
			t.BecomeWorker()
			queue(t, func(db *dbsqlc.Queries) ([]StoredChange, error) {
				rows, err := db.FeedListAcross(t.Ctx, dbsqlc.FeedListAcrossParams{
					Types: append([]string{}, q.Types...), ScanLimit: maxFeedScan, AfterTransaction: q.After.TransactionID,
					AfterID: q.After.ChangeID, RowLimit: int32(q.Limit),
				})
				return convert(rows, func(r dbsqlc.FeedListAcrossRow) StoredChange { return StoredChange(r) }), err
			})
		})
	})
}

// feedList lists changes of a feed.
type feedList func(*dbsqlc.Queries) ([]StoredChange, error)

// readFeed reads the feed of a tenant, or of all for uuid.Nil, in the transaction that read runs.
func readFeed(tenant uuid.UUID, q FeedQuery, read func(queue func(*core.Tx, feedList)) error) (p FeedPage, err error) {
	var end int64
	var deleted dbsqlc.FeedDeletedRow
	var rows []StoredChange
	err = read(func(t *core.Tx, list feedList) {
		// Each statement sees what was committed before it. So the end comes first: all before it is in the list. What was deleted comes
		// last: if the list lacks a change for its age, that is known.
		core.Exec(t, "plan without sorting", func(db *dbsqlc.Queries) error { return db.SessionPlanWithoutSort(t.Ctx) })
		core.Query(t, "read the end of the feed", &end, func(db *dbsqlc.Queries) (int64, error) { return db.FeedEnd(t.Ctx) })
		core.Query(t, "read the feed", &rows, list)
		core.Query(t, "read what was deleted", &deleted, func(db *dbsqlc.Queries) (dbsqlc.FeedDeletedRow, error) {
			return db.FeedDeleted(t.Ctx, tenant)
		})
	})
	if err != nil {
		return p, err
	}
	p = FeedPage{
		Next: q.After, End: FeedPosition{end - 1, uuid.Max}, Deleted: FeedPosition{deleted.TransactionID, deleted.ChangeID},
		Epoch: deleted.Epoch,
		More:  len(rows) == q.Limit,
	}
	for _, r := range rows {
		p.Next, p.More = FeedPosition{r.TransactionID, r.ChangeID}, p.More || r.Last
		if r.Passes {
			p.Changes = append(p.Changes, r)
		}
	}
	if !p.More && p.Next.Compare(p.End) < 0 {
		p.Next = p.End
	}
	return p, nil
}

func listFeed(t *core.Tx, db *dbsqlc.Queries, tenant uuid.UUID, q FeedQuery) ([]StoredChange, error) {
	types := append([]string{}, q.Types...) // an empty array and not null
	if q.Subject == nil {
		return db.FeedList(t.Ctx, dbsqlc.FeedListParams{
			TenantID: tenant, Types: types, ScanLimit: maxFeedScan, AfterTransaction: q.After.TransactionID, AfterID: q.After.ChangeID,
			RowLimit: int32(q.Limit),
		})
	}
	rows, err := db.FeedListBySubject(t.Ctx, dbsqlc.FeedListBySubjectParams{
		TenantID: tenant, SubjectID: *q.Subject, Types: types, AfterTransaction: q.After.TransactionID, AfterID: q.After.ChangeID,
		RowLimit: int32(q.Limit),
	})
	return convert(rows, func(r dbsqlc.FeedListBySubjectRow) StoredChange { return StoredChange(r) }), err
}

// relayed are the kinds of what the relay plans.
var relayed = []string{"webhook.delivery", "message.plan"}

// RelayFeed plans what follows from the next changes and notices of every tenant, at most limit of them, and returns how many it
// relayed. It returns 0 while another instance relays. Errors: problem.DatabaseUnavailable; problem.OutcomeUnknown, after which the
// next call goes on where the relay stands.
func (s *Store) RelayFeed(ctx context.Context, limit int) (n int64, err error) {
	var changes []int64 // none while another instance relays
	var planned int64
	most := int32(min(limit, 10_000))
	err = s.db.AsWorker(ctx, "relay the feed", func(t *core.Tx) {
		core.Query(t, "count the changes", &changes, func(q *dbsqlc.Queries) ([]int64, error) { return q.FeedRelayCount(t.Ctx, most) })
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

// ExpireCursors ends the validity of every cursor of the feed, of all tenants: readers get problem.CursorExpired and begin anew. It is for
// a database that lost commits. Its readers may have seen changes that are gone, and would miss new ones that have their places. Errors:
// problem.DatabaseUnavailable, problem.OutcomeUnknown.
func (s *Store) ExpireCursors(ctx context.Context) error {
	return s.db.AsWorker(ctx, "expire the cursors of the feed", func(t *core.Tx) {
		core.Exec(t, "set another epoch", func(q *dbsqlc.Queries) error {
			return q.FeedEpochSet(t.Ctx, uuid.New())
		})
	})
}

// DeleteOldChanges deletes up to limit changes and notices of every tenant in their order, as far as they are older than keep or stand
// before such a change, and returns how many. It deletes none that the relay has yet to pass; heldBack says that such a change is older
// than keep. Of changes that came with tenants from other cells it deletes up to ten times the limit besides. One instance deletes at a
// time; 0 may mean that another one does. Stored responses point at changes: keep must be longer than the life of a key. Errors:
// problem.DatabaseUnavailable, problem.OutcomeUnknown.
func (s *Store) DeleteOldChanges(ctx context.Context, keep time.Duration, limit int) (n int64, heldBack bool, err error) {
	var arrived int64
	var rows []dbsqlc.ChangeDeleteOldRow
	err = s.db.AsWorker(ctx, "delete old changes", func(t *core.Tx) {
		core.Exec(t, "plan without sorting", func(q *dbsqlc.Queries) error { return q.SessionPlanWithoutSort(t.Ctx) })
		core.Query(t, "delete old changes that came with tenants", &arrived, func(q *dbsqlc.Queries) (int64, error) {
			return q.ChangeDeleteOldArrived(t.Ctx, dbsqlc.ChangeDeleteOldArrivedParams{AllTenants: uuid.Nil, Keep: interval(keep),
				RowLimit: int32(min(limit, 10_000))})
		})
		core.Query(t, "delete old changes", &rows, func(q *dbsqlc.Queries) ([]dbsqlc.ChangeDeleteOldRow, error) {
			return q.ChangeDeleteOld(t.Ctx, dbsqlc.ChangeDeleteOldParams{AllTenants: uuid.Nil, Keep: interval(keep),
				RowLimit: int32(min(limit, 10_000))})
		})
	})
	if err != nil || len(rows) == 0 {
		return arrived, false, err
	}
	return arrived + rows[0].Changes, rows[0].HeldBack, nil
}
