package nemesis

import (
	"context"
	"math/rand/v2"

	"holdfast/tools/torture/cluster"
)

// freeze stops a server with SIGSTOP, with whatever locks it holds, and lets it go on with SIGCONT.
type freeze struct{}

func (freeze) Name() string { return "server frozen" }

func (freeze) Strike(_ context.Context, c *cluster.Cluster, random *rand.Rand) (func(context.Context) error, error) {
	s, err := take(c, random)
	if err != nil {
		return nil, err
	}
	s.Freeze()
	return func(context.Context) error {
		defer s.Release()
		s.Thaw()
		return nil
	}, nil
}
