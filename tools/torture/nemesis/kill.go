package nemesis

import (
	"context"
	"math/rand/v2"

	"holdfast/tools/torture/cluster"
)

// kill ends a server with SIGKILL. It is started again when the fault is undone.
type kill struct{}

func (kill) Name() string { return "server killed" }

func (kill) Strike(_ context.Context, c *cluster.Cluster, random *rand.Rand) (func(context.Context) error, error) {
	s, err := take(c, random)
	if err != nil {
		return nil, err
	}
	s.Kill()
	return func(ctx context.Context) error {
		defer s.Release()
		return s.Start(ctx)
	}, nil
}
