package nemesis

import (
	"context"
	"math/rand/v2"

	"holdfast/tools/torture/cluster"
)

// half of the connections are struck by what loses messages: the other half shows what came of it.
const half = 0.5

// lostRequests resets connections of clients when they send.
type lostRequests struct{}

func (lostRequests) Name() string { return "requests lost" }

func (lostRequests) Strike(_ context.Context, c *cluster.Cluster, random *rand.Rand,
) (func(context.Context) error, error) {
	return poison(front(c, random),
		cluster.Toxic{Type: "reset_peer", Stream: "upstream", Toxicity: half,
			Attributes: map[string]int64{"timeout": random.Int64N(100)}})
}

// lostAnswers resets connections of clients when they are answered, or after a part of the answer.
type lostAnswers struct{}

func (lostAnswers) Name() string { return "answers lost" }

func (lostAnswers) Strike(_ context.Context, c *cluster.Cluster, random *rand.Rand,
) (func(context.Context) error, error) {
	t := cluster.Toxic{Type: "reset_peer", Stream: "downstream", Toxicity: half,
		Attributes: map[string]int64{"timeout": random.Int64N(500)}}
	if random.IntN(2) == 0 {
		t.Type, t.Attributes = "limit_data", map[string]int64{"bytes": random.Int64N(600)}
	}
	return poison(front(c, random), t)
}
