package db

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/civil"

	"holdfast/internal/db/internal/core"
	"holdfast/internal/lock"
)

// DatesTx is a transaction that holds the locks of a tenant's dates.
type DatesTx struct {
	WriteTx
	keys lock.DateKeys
}

// Holds reports whether the transaction holds the locks of all of these dates.
func (tx *DatesTx) Holds(dates lock.DateKeys) bool { return tx.t.Holds(dates.Keys()) }

// Require returns an error, which is a defect of the caller, if [from, until) touches a civil date of loc whose lock
// isn't held.
func (tx *DatesTx) Require(doing string, from, until time.Time, loc *time.Location) error {
	last := civil.DateOf(until.Add(-1).In(loc))
	for d := civil.DateOf(from.In(loc)); !d.After(last); d = d.AddDays(1) {
		if !tx.keys.Covers(lock.Date(d)) {
			return fmt.Errorf("%s: the lock of %s isn't held", doing, d)
		}
	}
	return nil
}

// dates returns the transaction for what needs the locks of keys.
func (h held) dates(keys lock.DateKeys) *DatesTx {
	return &DatesTx{WriteTx: newWriteTx(h.t, h.key), keys: keys}
}

// Dates runs a transaction that holds the locks `{tenant}:{date}` of keys. request is what is served, nil for a change
// without a key. begin queues reads, which see what was committed before the locks were granted, and returns the
// decision. If the decision returns an error, or queues nothing, the transaction is rolled back; otherwise its writes
// commit together. Both may be run several times and must not have effects of their own.
//
// It costs two round trips, one of them when nothing is written. Errors: the decision's own; what failures of
// statements mean; problem.LockTimeout, problem.DatabaseUnavailable and problem.RequestInProgress, after which nothing
// was written; problem.OutcomeUnknown.
func (d *DB) Dates(ctx context.Context, request *Request, keys lock.DateKeys,
	begin func(*DatesTx) (decide func() error),
) error {
	w := core.Write{Doing: "change what is booked", Request: request, Locks: &keys.Set}
	return d.core.Run(ctx, w, func(t *core.Tx, k *core.RequestKey) func() error {
		return thenClock(t, begin(held{t, k}.dates(keys)))
	})
}
