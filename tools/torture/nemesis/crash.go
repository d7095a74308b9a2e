package nemesis

import (
	"context"
	"math/rand/v2"
	"time"

	"holdfast/tools/torture/cluster"
)

const reachablePoll = 50 * time.Millisecond

// crash shuts PostgreSQL down immediately. Its supervisor starts it again.
type crash struct{}

func (crash) Name() string { return "database crashed" }

func (crash) Strike(_ context.Context, c *cluster.Cluster, random *rand.Rand) (func(context.Context) error, error) {
	database, err := lone(c, random)
	if err != nil {
		return nil, err
	}
	if err := database.Crash(); err != nil {
		return nil, ErrNoTarget // it is down
	}
	return func(ctx context.Context) error {
		for !database.Reachable(ctx) {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			time.Sleep(reachablePoll)
		}
		return nil
	}, nil
}
