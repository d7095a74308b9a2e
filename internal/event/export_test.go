package event

import (
	"context"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db"
)

// Sample is what the worker does for its metrics every 30 s.
var Sample = (*Worker).sample

// HeldEvent is an event whose lease Renew renews.
type HeldEvent = renewable

// What runs the statements of workers and operators.
var (
	Renew        = renew
	PollWork     = pollWork
	WithAttempts = withAttempts
	CancelAll    = cancelAll
)

// ReplayAt makes an event pending and due at a time, in a transaction that has locked its row.
func ReplayAt(tx *db.WriteTx, id uuid.UUID, kind string, due time.Time) {
	queueChanged(tx, kind, changedRow{EventID: id, Status: string(Pending), DueAt: due})
}

// Record is what the worker does with the results of events that it holds, all together.
func Record(ctx context.Context, w *Worker, leased []LeasedEvent, results []Result) {
	batch := make([]attempt, len(leased))
	for i, c := range leased {
		batch[i] = attempt{leased: c, event: fromLeased(c), result: results[i]}
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
