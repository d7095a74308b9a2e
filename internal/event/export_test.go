package event

import (
	"context"
	"time"

	"holdfast/internal/store"
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

// WithLease returns the kind with leases of some length, and attempts of half of it.
func (k Kind) WithLease(lease time.Duration) Kind {
	k.Timeout, k.margin = lease/2, lease-lease/2
	return k
}
