package nemesis

import (
	"context"
	"math/rand/v2"

	"holdfast/tools/torture/cluster"
)

// terminate ends some or all sessions of the database with pg_terminate_backend.
type terminate struct{}

func (terminate) Name() string { return "backends terminated" }

func (terminate) Strike(ctx context.Context, c *cluster.Cluster, random *rand.Rand,
) (func(context.Context) error, error) {
	share := 1.0
	if random.IntN(2) == 0 {
		share = random.Float64()
	}
	database, err := lone(c, random)
	if err != nil {
		return nil, err
	}
	if n, err := database.Terminate(ctx, share); err != nil || n == 0 {
		return nil, ErrNoTarget // the database is down, or had none
	}
	return nothing, nil
}
