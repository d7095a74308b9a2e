package nemesis

import (
	"context"
	"errors"
	"math/rand/v2"

	"holdfast/tools/torture/cluster"
)

// restart stops the servers one after the other with SIGTERM, as a deployment does, and starts each before the next one
// is stopped. Servers that another fault has are left out.
type restart struct{}

func (restart) Name() string { return "rolling restart" }

func (restart) Strike(ctx context.Context, c *cluster.Cluster, random *rand.Rand) (func(context.Context) error, error) {
	struck := false
	for range c.Servers {
		s, err := take(c, random)
		if errors.Is(err, ErrNoTarget) {
			continue
		}
		struck = true
		err = errors.Join(s.Stop(), s.Start(ctx))
		s.Release()
		if err != nil {
			return nil, err
		}
	}
	if !struck {
		return nil, ErrNoTarget
	}
	return nothing, nil
}
