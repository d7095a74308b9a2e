package nemesis

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"holdfast/tools/torture/cluster"
)

const (
	// movePause is between two tries to move a tenant.
	movePause = 200 * time.Millisecond
	// killedWithin is when a move is killed at the latest: most are through by then.
	killedWithin = 2500 * time.Millisecond
)

// move moves a tenant to another cell, or all tenants of a cell. killed has the command killed at some moment.
type move struct {
	name        string
	all, killed bool
}

func (f move) Name() string { return f.name }

func (f move) Strike(ctx context.Context, c *cluster.Cluster, random *rand.Rand) (func(context.Context) error, error) {
	if !c.Mover.Take() {
		return nil, ErrNoTarget
	}
	places, err := c.Places(ctx)
	if err != nil || len(places) == 0 {
		c.Mover.Release()
		return nil, ErrNoTarget // the home cell is down
	}
	from := places[random.IntN(len(places))]
	to := anotherCell(c, random, from.Cell)
	args := []string{"move", from.Tenant, "--to", to}
	if f.all {
		args = []string{"move", "--all", "--cell", from.Cell, "--to", to}
	}
	limit, aborted := undoLimit, false
	if f.killed {
		limit, aborted = time.Duration(random.Int64N(int64(killedWithin))), random.IntN(2) == 0
	}
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	first := make(chan error, 1)
	go func() { first <- c.Mover.Run(limited, args...) }()
	return func(ctx context.Context) error {
		defer c.Mover.Release()
		defer cancel()
		stop := context.AfterFunc(ctx, cancel)
		defer stop()
		err := <-first
		if err != nil && aborted && c.Mover.Run(ctx, "abort", from.Tenant) == nil {
			return nil // the tenant goes on where it was
		}
		return moveUntil(ctx, c, err, args)
	}, nil
}

// moveUntil repeats a move that failed with err until it is through: an operator does so once what stopped it is over.
func moveUntil(ctx context.Context, c *cluster.Cluster, err error, args []string) error {
	for err != nil && ctx.Err() == nil {
		wait(ctx, movePause)
		err = c.Mover.Run(ctx, args...)
	}
	return errors.Join(err, ctx.Err())
}

func anotherCell(c *cluster.Cluster, random *rand.Rand, than string) string {
	for {
		if name := c.Databases[random.IntN(len(c.Databases))].Name; name != than {
			return name
		}
	}
}

// away cuts all paths to the database of a cell for a while.
type away struct{}

func (away) Name() string { return "cell unreachable" }

func (away) Strike(_ context.Context, c *cluster.Cluster, random *rand.Rand) (func(context.Context) error, error) {
	number := random.IntN(len(c.Databases))
	for _, p := range c.Paths() {
		p.Backs[number].Refuse()
	}
	return func(context.Context) error {
		var all error
		for _, p := range c.Paths() {
			all = errors.Join(all, p.Backs[number].Allow())
		}
		return all
	}, nil
}

// CellFaults is what can happen to cells of which one has a synchronous standby, and to all around them.
func CellFaults() []Fault {
	return append(append(Faults(), standbyFaults()...), onlyCellFaults()...)
}

// FewCellFaults are some of CellFaults, for a short run: cells go away, fail over, and are left.
func FewCellFaults() []Fault { return append(onlyCellFaults(), kill{}, crash{}, promotion{}) }

func onlyCellFaults() []Fault {
	return []Fault{
		away{},
		move{name: "tenant moved"},
		move{name: "move killed", killed: true},
		move{name: "all tenants of a cell moved", all: true},
	}
}
