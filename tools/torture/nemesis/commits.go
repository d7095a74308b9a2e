package nemesis

import (
	"context"
	"math/rand/v2"

	"holdfast/tools/torture/cluster"
)

// commits cuts connections of all processes around COMMIT: before the database gets it, or when its answer is on the
// way back.
type commits struct {
	name          string
	before, after float64
}

func (f commits) Name() string { return f.name }

func (f commits) Strike(_ context.Context, c *cluster.Cluster, _ *rand.Rand) (func(context.Context) error, error) {
	for _, p := range c.Paths() {
		p.Commits.Endanger(f.before, f.after)
	}
	return func(context.Context) error {
		for _, p := range c.Paths() {
			p.Commits.Endanger(0, 0)
		}
		return nil
	}, nil
}
