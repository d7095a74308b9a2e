package event

import (
	"context"
	"time"

	"holdfast/internal/db/store"
)

// Sample is what the worker does for its metrics every 30 s.
var Sample = (*Worker).sample

// Record is what the worker does with the results of events that it holds, all together.
func Record(ctx context.Context, w *Worker, claimed []store.ClaimedEvent, results []Result) {
	batch := make([]attempt, len(claimed))
	for i, c := range claimed {
		batch[i] = attempt{claim: c, event: fromClaim(c), result: results[i]}
	}
	w.record(ctx, batch)
	w.late.Wait()
}

// HeldFor returns the kind with events that may be held for so long, and attempts of half of it.
func (k Kind) HeldFor(longest time.Duration) Kind {
	k.Timeout, k.margin = longest/2, longest-longest/2
	return k
}

// WithLease returns the configuration of a worker with leases of some length.
func (c Config) WithLease(lease time.Duration) Config {
	c.lease = lease
	return c
}

// Holds reports whether the worker renews leases.
func (w *Worker) Holds() bool { return w.held.any() }
