package nemesis

import (
	"context"
	"math/rand/v2"
	"time"

	"holdfast/tools/torture/cluster"
)

// clock kills a server and starts it with a clock that is wrong, until it is killed and started again.
type clock struct{}

func (clock) Name() string { return "server's clock wrong" }

func (clock) Strike(ctx context.Context, c *cluster.Cluster, random *rand.Rand) (func(context.Context) error, error) {
	s, err := take(c, random)
	if err != nil {
		return nil, err
	}
	offsets := []time.Duration{2 * time.Second, 90 * time.Second, 20 * time.Minute, 26 * time.Hour}
	offset := offsets[random.IntN(len(offsets))]
	if random.IntN(2) == 0 {
		offset = -offset
	}
	s.Kill()
	if err := s.StartSkewed(ctx, offset); err != nil {
		s.Release()
		return nil, err
	}
	return func(ctx context.Context) error {
		defer s.Release()
		s.Kill()
		return s.Start(ctx)
	}, nil
}
