package event

import (
	"context"
	"time"

	"holdfast/internal/store"
)

// relayEvery is how often the relay looks by itself. Usually a commit that records a change wakes it.
const relayEvery = time.Second

// Relay returns the job that plans what follows from changes and notices, of every tenant: webhook deliveries, and the events that plan
// messages. Any number of
// instances may run it; one at a time does the work. After an error it takes half as many events, because the deliveries of one change
// are many if its tenant has many endpoints; after a success it takes twice as many.
func Relay(s *store.Store) Job {
	limit := atOnce
	return Job{Name: "relay the feed", Every: relayEvery, Woken: store.WakeFeed, Run: func(ctx context.Context) (more bool, err error) {
		n, err := s.RelayFeed(ctx, limit)
		if err != nil {
			limit = max(limit/2, 1)
			return false, err
		}
		more = n == int64(limit)
		limit = min(2*limit, atOnce)
		return more, nil
	}}
}
