package nemesis

import (
	"context"
	"math/rand/v2"

	"holdfast/tools/torture/cluster"
)

// cut breaks all connections of a path at once. New ones work.
type cut struct {
	name string
	link path
}

func (f cut) Name() string { return f.name }

func (f cut) Strike(_ context.Context, c *cluster.Cluster, random *rand.Rand) (func(context.Context) error, error) {
	return nothing, f.link(c, random).Cut()
}
