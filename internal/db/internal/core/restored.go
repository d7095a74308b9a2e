package core

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"holdfast/internal/db/internal/dbsqlc"
)

// maxSpent bounds how many transaction ids are used up to reach the stored ids. If more are missing, the stored ids are
// lowered.
const maxSpent = 1000

// MendFeed mends the feed of a database that was restored from a dump into another cluster, or of a schema that Citus
// has moved to another node. The stored transaction ids are those of the old cluster. Ids that this cluster has not
// reached yet would hide the stored changes from readers, and put new changes before them. Then all stored ids are
// lowered by one number, and all cursors expire.
func MendFeed(ctx context.Context, conn *pgx.Conn, log *slog.Logger) error {
	ahead, err := changesAhead(ctx, conn, false)
	for spent := 0; err == nil && ahead > 0 && ahead <= maxSpent && spent < maxSpent; spent++ {
		ahead--
		err = dbsqlc.New(conn).FeedSpendTransactionID(ctx)
	}
	if err == nil && ahead > 0 {
		ahead, err = changesAhead(ctx, conn, true)
	}
	if err != nil {
		return fmt.Errorf("check the feed: %w", err)
	}
	if ahead > 0 && log != nil {
		log.Warn("the database was restored from another cluster, or moved to another node: lowered the transaction ids of the changes; "+
			"cursors of /v1/events have expired",
			"by", ahead)
	}
	return nil
}

// ExpireCursors ends the validity of every cursor of the feed, of all tenants. Errors: problem.DatabaseUnavailable,
// problem.OutcomeUnknown.
func (d *DB) ExpireCursors(ctx context.Context) error {
	return d.AsWorker(ctx, "expire the cursors of the feed", func(t *Tx) {
		Exec(t, "set another epoch", func(q *dbsqlc.Queries) error { return q.FeedEpochSet(t.Ctx, uuid.New()) })
	})
}

// changesAhead returns by how many transaction ids the stored changes are ahead. With lower it lowers them.
func changesAhead(ctx context.Context, conn *pgx.Conn, lower bool) (ahead int64, err error) {
	err = pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{IsoLevel: pgx.ReadCommitted, AccessMode: pgx.ReadWrite}, func(tx pgx.Tx) error {
		q := dbsqlc.New(tx)
		if err := q.SessionWorker(ctx); err != nil {
			return err
		}
		if lower {
			if err := lockFeed(ctx, conn, q); err != nil {
				return err
			}
		}
		if ahead, err = q.ChangeAhead(ctx); err != nil || !lower || ahead <= 0 {
			return err
		}
		if err := q.ChangeLower(ctx, ahead); err != nil {
			return err
		}
		if err := q.FeedPositionLower(ctx, ahead); err != nil {
			return err
		}
		if err := q.FeedCustomerReset(ctx); err != nil {
			return err
		}
		return q.FeedEpochSet(ctx, uuid.New())
	})
	return ahead, err
}

// lockFeed keeps others from mending the feed. On Citus nobody writes before that, and a lock of a table is one of all
// nodes.
func lockFeed(ctx context.Context, conn *pgx.Conn, q *dbsqlc.Queries) error {
	if OnCitus(conn) {
		return q.FeedPositionLock(ctx)
	}
	return q.ChangeLock(ctx)
}
