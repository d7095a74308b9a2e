package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"holdfast/tools/bench/strategies"
)

// overloadFactor is how many times the load that saturates the server is sent.
const overloadFactor = 4

// wrongAnswers is the figure of an overload that should be zero.
const wrongAnswers = "requests without a right answer"

// overload sends the server several times what it can do, without waiting for its answers.
func (b *bench) overload(ctx context.Context) ([]figure, error) {
	before, err := b.saturate(ctx)
	if err != nil {
		return nil, err
	}
	connections, closeAll := b.connections(b.overloadOver)
	defer closeAll()
	if err := b.connect(ctx, connections); err != nil {
		return nil, err
	}
	s, offered := storm{bench: b}, overloadFactor*before.Rate()
	s.send(ctx, connections, offered)
	after, err := b.saturate(ctx) // a machine's speed changes with time
	if err != nil {
		return nil, err
	}
	peak, seconds, booked := (before.Rate()+after.Rate())/2, b.overloadFor.Seconds(), strategies.NewResult(s.booked)
	return []figure{
		{fmt.Sprintf("most bookings/s, with %d clients", 2*clients), "%.0f", peak},
		{fmt.Sprintf("requests/s that were due, %d times as many", overloadFactor), "%.0f", offered},
		{"bookings/s that were made meanwhile", "%.0f", float64(len(s.booked)) / seconds},
		{"of the most", "%.2f", float64(len(s.booked)) / seconds / peak},
		{"requests/s that were refused for now", "%.0f", float64(s.refused) / seconds},
		{"requests/s for which no connection was free", "%.0f", float64(s.unsent) / seconds},
		{wrongAnswers, "%.0f", float64(s.failed)},
		{"p50 of what was booked, ms", "%.1f", booked.Quantile(0.5).Seconds() * 1000},
		{"p99 of what was booked, ms", "%.1f", booked.Quantile(0.99).Seconds() * 1000},
	}, nil
}

// saturate has as many clients as saturate the server book, each after its last answer.
func (b *bench) saturate(ctx context.Context) (strategies.Result, error) {
	return b.calls(ctx, 2*clients, 0, b.overloadFor/2, b.anyOrder)
}

// connect opens connections and makes them known to the server, so that what is measured afterwards is requests.
func (b *bench) connect(ctx context.Context, connections []client) error {
	connecting, ctx := errgroup.WithContext(ctx)
	connecting.SetLimit(clients)
	for i := range connections {
		connecting.Go(func() error { return expect(ctx, &connections[i], get("/healthz", ""), http.StatusOK) })
	}
	return connecting.Wait()
}

// storm is requests that are sent as they are due, each on a connection that is free.
type storm struct {
	*bench
	unsent int

	mu      sync.Mutex
	booked  []time.Duration // of what was answered before the last request was sent
	refused int             // likewise
	failed  int
}

// send sends requests over the connections at a rate and returns when the last one is answered.
func (s *storm) send(ctx context.Context, connections []client, rate float64) {
	began, due := time.Now(), make(chan time.Time)
	var sending sync.WaitGroup
	for i := range connections {
		sending.Go(func() {
			for at := range due {
				err := s.bookThrough(ctx, &connections[i], s.anyOrder())
				s.count(err, time.Since(at), time.Since(began) <= s.overloadFor)
			}
		})
	}
	every := time.NewTicker(time.Millisecond)
	defer every.Stop()
	for sent := 0; time.Since(began) < s.overloadFor && ctx.Err() == nil; <-every.C {
		for ; sent < int(rate*time.Since(began).Seconds()); sent++ {
			select {
			case due <- time.Now():
			default:
				s.unsent++
			}
		}
	}
	close(due)
	sending.Wait()
}

// count counts an answer. Bookings and refusals count only meanwhile, before the last request is sent.
func (s *storm) count(err error, took time.Duration, meanwhile bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err == nil && meanwhile:
		s.booked = append(s.booked, took)
	case errors.Is(err, strategies.ErrGaveUp) && meanwhile:
		s.refused++
	case err != nil && !errors.Is(err, strategies.ErrGaveUp) && !errors.Is(err, strategies.ErrTaken):
		s.failed++
	}
}
