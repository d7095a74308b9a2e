package event

import (
	"context"

	"holdfast/internal/db"
)

// Relay returns the job that plans what follows from changes and notices, of every tenant: webhook deliveries, and the
// events that plan messages. Any number of instances may run it; one at a time does the work. After an error it takes
// half as many events, because the deliveries of one change are many if its tenant has many endpoints; after a success
// it takes twice as many. A commit that records a change wakes it, and a poll that finds changes: one that a
// transaction before it hides from readers is relayed after a poll.
func Relay(d *db.DB) Job {
	limit := atOnce
	job := Job{Name: "relay the feed", Every: lookBackEvery, Woken: db.WakeFeed}
	job.Run = func(ctx context.Context) (more bool, err error) {
		n, err := RelayFeed(ctx, d, limit)
		if err != nil {
			limit = max(limit/2, 1)
			return false, err
		}
		more = n == int64(limit)
		limit = min(2*limit, atOnce)
		return more, nil
	}
	return job
}
