package nemesis

import (
	"context"
	"math/rand/v2"
	"slices"

	"holdfast/tools/torture/cluster"
)

// StandbyFaults is what can happen to a database with a synchronous standby, and to all around it. What shows commits that the standby
// lacks isn't among them: the end of a session that waits in COMMIT, and a primary that crashes and comes back. Clients would read what a
// promotion then loses.
func StandbyFaults() []Fault {
	faults := slices.DeleteFunc(Faults(), func(f Fault) bool { return f == Fault(crash{}) || f == Fault(terminate{}) })
	return append(faults, standbyFrozen{}, promotion{})
}

// standbyFrozen keeps the standby from confirming anything for a while.
type standbyFrozen struct{}

func (standbyFrozen) Name() string { return "standby frozen" }

func (standbyFrozen) Strike(ctx context.Context, c *cluster.Cluster, _ *rand.Rand) (func(context.Context) error, error) {
	taken, err := c.Database.FreezeStandby(ctx)
	if taken {
		return nil, ErrNoTarget
	}
	return func(context.Context) error { return c.Database.ThawStandby() }, err
}

// promotion cuts the standby off, kills the primary after a while, and promotes the standby.
type promotion struct{}

func (promotion) Name() string { return "standby cut off and promoted" }

func (promotion) Strike(ctx context.Context, c *cluster.Cluster, random *rand.Rand) (func(context.Context) error, error) {
	var taken bool
	var err error
	if random.IntN(2) == 0 {
		taken, err = c.Database.FreezeStandby(ctx)
	} else {
		taken = c.Database.StopStandby()
	}
	if taken {
		return nil, ErrNoTarget
	}
	return c.Promote, err
}
