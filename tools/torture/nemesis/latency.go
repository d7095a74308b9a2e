package nemesis

import (
	"context"
	"math/rand/v2"

	"holdfast/tools/torture/cluster"
)

// latency delays all that goes over a path, in both directions, some of it more than the rest.
type latency struct {
	name string
	link path
}

func (f latency) Name() string { return f.name }

func (f latency) Strike(_ context.Context, c *cluster.Cluster, random *rand.Rand) (func(context.Context) error, error) {
	delay := 5 + random.Int64N(120) // milliseconds
	attributes := map[string]int64{"latency": delay, "jitter": delay / 2}
	return poison(f.link(c, random),
		cluster.Toxic{Type: "latency", Stream: "upstream", Toxicity: 1, Attributes: attributes},
		cluster.Toxic{Type: "latency", Stream: "downstream", Toxicity: 1, Attributes: attributes})
}
