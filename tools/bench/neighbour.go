package main

import (
	"context"
	"errors"
	"time"

	"holdfast/tools/bench/strategies"
)

// stormClients storm one date. The neighbour, another tenant, has few clients that ask now and then.
const (
	stormClients     = 64
	neighbourClients = 4
	neighbourPause   = 10 * time.Millisecond
)

// neighbourRound is what a tenant noticed, through HTTP, of a storm on another tenant's date.
type neighbourRound struct {
	quiet, stormed strategies.Result
	storm          float64 // answers per second that the storm got
}

func (b *bench) neighbour(ctx context.Context) (n neighbourRound, err error) {
	window := 2 * b.duration // few clients have few latencies
	if n.quiet, err = b.calls(ctx, neighbourClients, neighbourPause, window, b.neighbourOrder); err != nil {
		return n, err
	}
	storm := make(chan error, 1)
	var stormed strategies.Result
	go func() {
		r, err := b.calls(ctx, stormClients, 0, window, b.hot())
		stormed = r
		storm <- err
	}()
	n.stormed, err = b.calls(ctx, neighbourClients, neighbourPause, window, b.neighbourOrder)
	err = errors.Join(err, <-storm)
	n.storm = stormed.Rate()
	return n, err
}

// neighbourOrder is one of the third seller, over many dates. hot storms the second one.
func (b *bench) neighbourOrder() strategies.Order {
	o := b.anyOrder()
	o.Seller = &b.fixture.Uncontended[2]
	return o
}

// calls books through HTTP, for a third of the window before it too.
func (b *bench) calls(ctx context.Context, clients int, pause, window time.Duration, order func() strategies.Order) (strategies.Result, error) {
	connections, closeAll := b.connections(clients)
	defer closeAll()
	return strategies.Load{Clients: clients, WarmUp: window / 3, Window: window, Pause: pause}.Drive(ctx,
		func(ctx context.Context, i int) error { return b.bookThrough(ctx, &connections[i], order()) })
}
