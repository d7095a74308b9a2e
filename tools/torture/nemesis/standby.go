package nemesis

import (
	"context"
	"math/rand/v2"
	"slices"

	"holdfast/tools/torture/cluster"
)

// StandbyFaults is what can happen to a database with a synchronous standby, and to all around it. What shows commits
// that the standby lacks isn't among them: the end of a session that waits in COMMIT, and a primary that crashes and
// comes back. Clients would read what a promotion then loses.
func StandbyFaults() []Fault {
	faults := slices.DeleteFunc(Faults(), func(f Fault) bool { return f == Fault(crash{}) || f == Fault(terminate{}) })
	return append(faults, standbyFaults()...)
}

func standbyFaults() []Fault { return []Fault{standbyFrozen{}, promotion{}} }

// withStandby returns the database that has a standby.
func withStandby(c *cluster.Cluster) *cluster.Database {
	return c.Databases[slices.IndexFunc(c.Databases, (*cluster.Database).Replicated)]
}

// standbyFrozen keeps the standby from confirming anything for a while.
type standbyFrozen struct{}

func (standbyFrozen) Name() string { return "standby frozen" }

func (standbyFrozen) Strike(ctx context.Context, c *cluster.Cluster, _ *rand.Rand,
) (func(context.Context) error, error) {
	database := withStandby(c)
	taken, err := database.FreezeStandby(ctx)
	if taken {
		return nil, ErrNoTarget
	}
	return func(context.Context) error { return database.ThawStandby() }, err
}

// promotion cuts the standby off, kills the primary after a while, and promotes the standby.
type promotion struct{}

func (promotion) Name() string { return "standby cut off and promoted" }

func (promotion) Strike(ctx context.Context, c *cluster.Cluster, random *rand.Rand,
) (func(context.Context) error, error) {
	database := withStandby(c)
	var taken bool
	var err error
	if random.IntN(2) == 0 {
		taken, err = database.FreezeStandby(ctx)
	} else {
		taken = database.StopStandby()
	}
	if taken {
		return nil, ErrNoTarget
	}
	return func(ctx context.Context) error { return c.Promote(ctx, database) }, err
}
