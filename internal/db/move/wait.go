package move

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
)

// waitPause is how often a move looks whether what it waits for is over.
const waitPause = 20 * time.Millisecond

// waitFor waits until what is waited for is over.
func waitFor(ctx context.Context, what string, over func() (bool, error)) error {
	for {
		if done, err := over(); done || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w", what, ctx.Err())
		case <-time.After(waitPause):
		}
	}
}

// waitForTransactions waits until each transaction has ended that runs in this database now. One that begins later sees
// what was committed before this call. A transaction has its virtual id before it takes its first snapshot, so none is
// missed.
func waitForTransactions(ctx context.Context, d *db.DB) error {
	ids, err := core.Of(d.Core()).Queries().MoveTransactions(ctx)
	if err != nil {
		return core.Unavailable(fmt.Errorf("list the transactions that run: %w", err))
	}
	return waitFor(ctx, "transactions that began earlier", func() (bool, error) {
		left, err := core.Of(d.Core()).Queries().MoveTransactionsLeft(ctx, ids)
		if err != nil {
			return false, core.Unavailable(fmt.Errorf("look for transactions that still run: %w", err))
		}
		return left == 0, nil
	})
}

// waitForEvents waits until no worker holds an event of the tenant. Leases that end are taken back by the monitor of
// any server.
func waitForEvents(ctx context.Context, d *db.DB, tenant uuid.UUID) error {
	return waitFor(ctx, "events of the tenant that are handled", func() (bool, error) {
		underWay, err := askAsWorker(ctx, d, "look for events that are handled", tenant,
			(*dbsqlc.Queries).MoveEventsUnderWay)
		return !underWay, err
	})
}

// waitForRelay waits until the relay has passed the tenant's last change. relay relays the next ones.
func waitForRelay(ctx context.Context, d *db.DB, tenant uuid.UUID, relay func(context.Context) error) error {
	return waitFor(ctx, "the relay", func() (bool, error) {
		if err := relay(ctx); err != nil {
			return false, err
		}
		behind, err := askAsWorker(ctx, d, "compare the tenant's changes with the relay's position", tenant,
			(*dbsqlc.Queries).MoveRelayBehind)
		return !behind, err
	})
}

// askAsWorker asks about a tenant that may be moving.
func askAsWorker(ctx context.Context, d *db.DB, doing string, tenant uuid.UUID,
	ask func(*dbsqlc.Queries, context.Context, uuid.UUID) (bool, error),
) (answer bool, err error) {
	err = core.Of(d.Core()).AsWorker(ctx, doing, func(t *core.Tx) {
		core.Query(t, doing, &answer, func(q *dbsqlc.Queries) (bool, error) { return ask(q, t.Ctx, tenant) })
	})
	return answer, err
}
