package nemesis

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"

	"holdfast/tools/torture/cluster"
)

// Fault is one way to harm a cluster. To add one, write a file with a type and put it into Faults.
type Fault interface {
	// Name names it in the report.
	Name() string
	// Strike does the harm and returns what undoes it. ErrNoTarget says that there was nothing to strike.
	Strike(ctx context.Context, c *cluster.Cluster, random *rand.Rand) (undo func(context.Context) error, err error)
}

// ErrNoTarget says that another fault has what this one would strike.
var ErrNoTarget = errors.New("nothing to strike")

// Faults is all that can happen.
func Faults() []Fault {
	return []Fault{
		kill{},
		freeze{},
		restart{},
		clock{},
		crash{},
		terminate{},
		commits{name: "connections cut before COMMIT", before: 0.3},
		commits{name: "connections cut after COMMIT", after: 0.3},
		cut{name: "connections to the database cut", link: back},
		cut{name: "connections of clients cut", link: front},
		latency{name: "slow database", link: back},
		latency{name: "slow answers", link: front},
		lostRequests{},
		lostAnswers{},
		silence{},
		providerErrors{},
		providerKill{},
		webhooks{},
	}
}

func nothing(context.Context) error { return nil }

// take returns a server that no other fault has, and gives it to the caller until it is released.
func take(c *cluster.Cluster, random *rand.Rand) (*cluster.Server, error) {
	first := random.IntN(len(c.Servers))
	for i := range c.Servers {
		if s := c.Servers[(first+i)%len(c.Servers)]; s.Take() {
			return s, nil
		}
	}
	return nil, ErrNoTarget
}

func anyOf[T any](list []T, random *rand.Rand) T { return list[random.IntN(len(list))] }

// lone returns a database that has no standby. What shows commits that a standby lacks strikes no other one: clients
// would read what a promotion then loses.
func lone(c *cluster.Cluster, random *rand.Rand) (*cluster.Database, error) {
	list := slices.DeleteFunc(slices.Clone(c.Databases), (*cluster.Database).Replicated)
	if len(list) == 0 {
		return nil, ErrNoTarget
	}
	return anyOf(list, random), nil
}

// path chooses a path of any process.
type path func(*cluster.Cluster, *rand.Rand) *cluster.Link

// front is a path of clients to a server, back one of a server, or of the mover, to a database.
func front(c *cluster.Cluster, random *rand.Rand) *cluster.Link {
	return anyOf(c.Servers, random).Front
}
func back(c *cluster.Cluster, random *rand.Rand) *cluster.Link {
	return anyOf(anyOf(c.Paths(), random).Backs, random)
}

// poison adds toxics to a path and returns what takes them away.
func poison(l *cluster.Link, toxics ...cluster.Toxic) (undo func(context.Context) error, err error) {
	var cures []func() error
	undo = func(context.Context) error {
		var all error
		for _, cure := range cures {
			all = errors.Join(all, cure())
		}
		return all
	}
	for _, t := range toxics {
		cure, err := l.Poison(t)
		if err != nil {
			return nil, errors.Join(err, undo(context.Background()))
		}
		cures = append(cures, cure)
	}
	return undo, nil
}
