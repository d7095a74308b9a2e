// Package nemesis harms a cluster while clients work with it: one fault after the other and up to two at a time, chosen
// by the run's seed, each undone after a while.
package nemesis

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"holdfast/tools/torture/cluster"
)

const (
	atOnce = 2
	// shortest and longest are how long a fault lasts; every tenth lasts four times as long, which a frozen server's
	// transactions don't outlive.
	shortest, longest = 200 * time.Millisecond, 3 * time.Second
	oftenLong         = 10
	// meanPause is between one strike and the next.
	meanPause = 600 * time.Millisecond
	// undoLimit is how long it may take until a fault is undone. A server that starts needs its database, and gives up
	// after 10 s without it; on a busy machine it starts several times.
	undoLimit = 5 * time.Minute
)

// Run strikes until load ends, then undoes all faults and returns how often each struck. ctx cuts it off.
func Run(ctx, load context.Context, c *cluster.Cluster, faults []Fault, seed uint64) (map[string]int, error) {
	n := &nemesis{
		cluster: c, struck: map[string]int{}, turns: make(chan struct{}, atOnce),
		random: rand.New(rand.NewPCG(seed, 1<<32)), //nolint:gosec // repeatable on purpose
	}
	for load.Err() == nil && len(faults) > 0 {
		// In rounds, so that a short run has each of them too.
		for _, i := range n.random.Perm(len(faults)) {
			n.strike(ctx, load, faults[i])
			wait(load, time.Duration(n.random.Int64N(int64(2*meanPause))))
		}
	}
	n.all.Wait()
	ctx, cancel := context.WithTimeout(ctx, undoLimit)
	defer cancel()
	return n.struck, errors.Join(append(n.failed, Heal(ctx, c))...)
}

type nemesis struct {
	cluster *cluster.Cluster
	random  *rand.Rand
	turns   chan struct{}
	all     sync.WaitGroup

	mu     sync.Mutex
	struck map[string]int
	failed []error
}

// strike has a fault happen beside those that go on, once there are fewer than atOnce.
func (n *nemesis) strike(ctx, load context.Context, f Fault) {
	lasts := shortest + time.Duration(n.random.Int64N(int64(longest-shortest)))
	if n.random.IntN(oftenLong) == 0 {
		lasts *= 4
	}
	random := rand.New(rand.NewPCG(n.random.Uint64(), n.random.Uint64())) //nolint:gosec // repeatable on purpose
	select {
	case n.turns <- struct{}{}:
	case <-load.Done():
		return
	}
	n.all.Go(func() {
		defer func() { <-n.turns }()
		n.note(f, n.live(ctx, load, f, random, lasts))
	})
}

// live is a fault from its strike to its end.
func (n *nemesis) live(ctx, load context.Context, f Fault, random *rand.Rand, lasts time.Duration) error {
	striking, cancel := context.WithTimeout(ctx, undoLimit)
	defer cancel()
	undo, err := f.Strike(striking, n.cluster, random)
	if err != nil {
		return err
	}
	wait(load, lasts)
	undoing, cancel := context.WithTimeout(ctx, undoLimit)
	defer cancel()
	return undo(undoing)
}

func (n *nemesis) note(f Fault, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case errors.Is(err, ErrNoTarget):
	case err != nil:
		n.failed = append(n.failed, fmt.Errorf("%s: %w", f.Name(), err))
	default:
		n.struck[f.Name()]++
	}
}

func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
