package nemesis

import (
	"context"
	"math/rand/v2"

	"holdfast/tools/torture/cluster"
)

// silence loses all that the database sends to a process, and breaks the connection a while later.
type silence struct{}

func (silence) Name() string { return "database silent" }

func (silence) Strike(_ context.Context, c *cluster.Cluster, random *rand.Rand) (func(context.Context) error, error) {
	return poison(back(c, random),
		cluster.Toxic{Type: "timeout", Stream: "downstream", Toxicity: half,
			Attributes: map[string]int64{"timeout": 200 + random.Int64N(2000)}})
}
