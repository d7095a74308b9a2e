package store

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"holdfast/internal/store/internal/dbsqlc"
)

// maxSpent bounds how many transaction ids are used up to reach the stored ids. If more are missing, the stored ids are lowered.
const maxSpent = 1000

// lowerRestoredChanges mends the feed of a database that was restored from a dump into another cluster. The stored transaction ids are
// those of the old cluster. Ids that this cluster has not reached yet would hide the stored changes from readers, and put new changes
// before them. Then all stored ids are lowered by one number, and all cursors expire.
func lowerRestoredChanges(ctx context.Context, url string, log *slog.Logger) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return fmt.Errorf("connect to check the feed: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
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
		log.Warn("the database was restored from another cluster: lowered the transaction ids of the changes; cursors of /v1/events "+
			"have expired",
			"by", ahead)
	}
	return nil
}

// changesAhead returns by how many transaction ids the stored changes are ahead. With lower it lowers them.
func changesAhead(ctx context.Context, conn *pgx.Conn, lower bool) (ahead int64, err error) {
	err = pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{IsoLevel: pgx.ReadCommitted, AccessMode: pgx.ReadWrite}, func(tx pgx.Tx) error {
		q := dbsqlc.New(tx)
		if err := q.SessionWorker(ctx); err != nil {
			return err
		}
		if lower {
			if err := q.ChangeLock(ctx); err != nil {
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
