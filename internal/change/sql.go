package change

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/change/internal/rowsql"
	"holdfast/internal/db"
)

// unlocked are the statements that read changes and notices, and who made them.
var unlocked = db.UnderNothing(rowsql.New)

type (
	// Record is a change or notice as it is stored.
	Record = rowsql.Change
	// feedRow is a record that a read of the feed looked at. Passes says that it passes the filter. Last marks the
	// record at which the scan limit was reached.
	feedRow = rowsql.FeedListRow
)

// maxFeedScan is how many changes and notices a read of the feed looks at for those that pass its filter.
const maxFeedScan = 1000

// ReadFeed reads a tenant's changes and notices in their order. It leaves out those of transactions that began to write
// no earlier than one that still runs: what commits later comes later. Errors: problem.DatabaseUnavailable.
func ReadFeed(ctx context.Context, d *db.DB, tenant uuid.UUID, ask FeedQuery) (FeedPage, error) {
	return readFeed(ask, func(queue func(*db.Tx, listFeed)) error {
		return d.Read(ctx, "read the feed", tenant, func(tx *db.Tx) {
			queue(tx, func(q *rowsql.Queries) ([]feedRow, error) { return listTenant(tx, q, ask) })
		})
	})
}

// readFeedAcross is ReadFeed for the changes and notices of all tenants; the query's subject doesn't count. It is for
// the operator, and reads as the worker's role. Errors: problem.DatabaseUnavailable.
func readFeedAcross(ctx context.Context, d *db.DB, ask FeedQuery) (FeedPage, error) {
	return readFeed(ask, func(queue func(*db.Tx, listFeed)) error {
		return d.ReadAsWorker(ctx, "read the feed of all tenants", func(tx *db.Tx) {
			queue(tx, func(q *rowsql.Queries) ([]feedRow, error) {
				rows, err := q.FeedListAcross(tx.Context(), rowsql.FeedListAcrossParams{
					Types: append([]string{}, ask.Types...), ScanLimit: maxFeedScan,
					AfterTransaction: ask.After.TransactionID,
					AfterID:          ask.After.ChangeID, RowLimit: int32(ask.Limit),
				})
				return db.Convert(rows, func(r rowsql.FeedListAcrossRow) feedRow { return feedRow(r) }), err
			})
		})
	})
}

// listFeed lists records of a feed.
type listFeed func(*rowsql.Queries) ([]feedRow, error)

// readFeed reads a feed in the transaction that read runs, whose tenant is that of the feed, or uuid.Nil for the feed
// of all tenants.
func readFeed(ask FeedQuery, read func(queue func(*db.Tx, listFeed)) error) (FeedPage, error) {
	var end int64
	var deleted rowsql.FeedDeletedRow
	var rows []feedRow
	err := read(func(tx *db.Tx, list listFeed) {
		// Each statement sees what was committed before it. So the end comes first: all before it is in the list. What
		// was deleted comes last: if the list lacks a change for its age, that is known.
		tx.PlanWithoutSort()
		db.Query(unlocked.On(tx), "read the end of the feed", &end, func(q *rowsql.Queries) (int64, error) {
			return q.FeedEnd(tx.Context())
		})
		db.Query(unlocked.On(tx), "read the feed", &rows, list)
		db.Query(unlocked.On(tx), "read what was deleted", &deleted, func(q *rowsql.Queries) (rowsql.FeedDeletedRow,
			error) {
			return q.FeedDeleted(tx.Context(), tx.Tenant())
		})
	})
	if err != nil {
		return FeedPage{}, err
	}
	return pageOf(ask, rows, FeedPage{
		End: Position{end - 1, uuid.Max}, Deleted: Position{deleted.TransactionID, deleted.ChangeID},
		Epoch: deleted.Epoch,
	}), nil
}

func listTenant(tx *db.Tx, q *rowsql.Queries, ask FeedQuery) ([]feedRow, error) {
	types := append([]string{}, ask.Types...) // an empty array and not null
	if ask.Subject == nil {
		return q.FeedList(tx.Context(), rowsql.FeedListParams{
			TenantID: tx.Tenant(), Types: types, ScanLimit: maxFeedScan, AfterTransaction: ask.After.TransactionID,
			AfterID: ask.After.ChangeID, RowLimit: int32(ask.Limit),
		})
	}
	rows, err := q.FeedListBySubject(tx.Context(), rowsql.FeedListBySubjectParams{
		TenantID: tx.Tenant(), SubjectID: *ask.Subject, Types: types, AfterTransaction: ask.After.TransactionID,
		AfterID: ask.After.ChangeID, RowLimit: int32(ask.Limit),
	})
	return db.Convert(rows, func(r rowsql.FeedListBySubjectRow) feedRow { return feedRow(r) }), err
}

// OfSubject lists the changes of a subject, without notices, that follow a version, at most limit, in the order of
// their versions. before is the change before the first of them; nil if that is the first that is stored. Errors:
// problem.DatabaseUnavailable.
func OfSubject(ctx context.Context, d *db.DB, tenant, subject uuid.UUID, after int64,
	limit int,
) (before *Record, list []Record, err error) {
	list, err = db.ReadOne(ctx, d, unlocked, "list the changes of a subject", tenant,
		func(tx *db.Tx, q *rowsql.Queries) ([]Record, error) {
			return q.ChangeListBySubject(tx.Context(), rowsql.ChangeListBySubjectParams{
				TenantID: tx.Tenant(), SubjectID: subject, AfterVersion: after, RowLimit: int32(limit + 1),
			})
		})
	if len(list) > 0 && list[0].Version <= after {
		before, list = &list[0], list[1:]
	}
	return before, list[:min(len(list), limit)], err
}

// userNames returns the names of users, also of those who were removed, by their ids. Errors:
// problem.DatabaseUnavailable.
func (s *Service) userNames(ctx context.Context, tenant uuid.UUID, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	rows, err := db.ReadOne(ctx, s.db, unlocked, "read the names of users", tenant,
		func(tx *db.Tx, q *rowsql.Queries) ([]rowsql.UserNamesRow, error) {
			return q.UserNames(tx.Context(), tx.Tenant(), ids)
		})
	names := make(map[uuid.UUID]string, len(rows))
	for _, row := range rows {
		names[row.UserID] = row.Name
	}
	return names, err
}
