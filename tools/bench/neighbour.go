package main

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"holdfast/tools/bench/strategies"
)

// stormClients storm one date. The neighbour, another tenant, has few clients that ask now and then.
const (
	stormClients     = 64
	neighbourClients = 4
	neighbourPause   = 10 * time.Millisecond
)

// neighbour measures what a tenant notices, through HTTP, of a storm on another tenant's date.
func (b *bench) neighbour(ctx context.Context) ([]figure, error) {
	window := 2 * b.duration // few clients have few latencies
	quiet, err := b.calls(ctx, neighbourClients, neighbourPause, window, b.neighbourOrder)
	if err != nil {
		return nil, err
	}
	var stormed, storm strategies.Result
	both, ctx := errgroup.WithContext(ctx)
	both.Go(func() (err error) {
		storm, err = b.calls(ctx, stormClients, 0, window, b.hot())
		return err
	})
	both.Go(func() (err error) {
		stormed, err = b.calls(ctx, neighbourClients, neighbourPause, window, b.neighbourOrder)
		return err
	})
	if err := both.Wait(); err != nil {
		return nil, err
	}
	var figures []figure
	for _, q := range []float64{0.5, 0.99} {
		before, meanwhile := quiet.Quantile(q).Seconds()*1000, stormed.Quantile(q).Seconds()*1000
		name := fmt.Sprintf("p%.0f of the neighbour", 100*q)
		figures = append(figures, figure{name + " without the storm, ms", "%.1f", before},
			figure{name + " with it, ms", "%.1f", meanwhile},
			figure{name + ": with the storm, of that without", "%.1f", meanwhile / before})
	}
	return append(figures,
		figure{"the neighbour's requests that were refused for now", "%.0f", float64(stormed.GaveUp)},
		figure{fmt.Sprintf("answers/s that the storm of %d clients got", stormClients), "%.0f", storm.Rate()}), nil
}

// neighbourOrder is one of the third seller, over many dates. hot storms the second one.
func (b *bench) neighbourOrder() strategies.Order {
	return b.orderOf(&b.fixture.Uncontended[2])
}

// calls books through HTTP, for a third of the window before it too.
func (b *bench) calls(
	ctx context.Context, clients int, pause, window time.Duration, order func() strategies.Order,
) (strategies.Result, error) {
	connections, closeAll := b.connections(clients)
	defer closeAll()
	return strategies.Load{Clients: clients, WarmUp: window / 3, Window: window, Pause: pause}.Drive(ctx,
		func(ctx context.Context, i int) error { return b.bookThrough(ctx, &connections[i], order()) })
}
