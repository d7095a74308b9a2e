package main

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"holdfast/tools/bench/strategies"
)

// overloadFactor is how many times the load that saturates the server is sent.
const overloadFactor = 4

// recoveryLimit bounds the wait for idle latency.
const recoveryLimit = time.Minute

// overloaded is what the server does when it is sent several times what it can do, without waiting for its answers.
type overloaded struct {
	connections int     // over which it is sent
	peak        float64 // bookings per second with as many clients as saturate it, before and after
	crowd       float64 // bookings per second with several times as many clients
	offered     float64 // requests per second that were to be sent
	goodput     float64 // bookings per second that were made and answered meanwhile
	shed        float64 // requests per second that were refused for now
	unsent      float64 // requests per second for which no connection was free
	// generating and generatingPeak are the generator's shares of the processors meanwhile, and at the peak.
	generating, generatingPeak float64
	failed                     int // requests without an answer, or with a wrong one
	waiting                    int // most requests that waited for an answer at the same time
	// booked and shedding are latencies, in ascending order, of what was answered meanwhile.
	booked, shedding strategies.Result
	resident         int64 // bytes, at most
	// idle is a lone client's median latency before, and recovery how long after the last request one is at most twice that.
	idle, recovery time.Duration
}

// kept is goodput as a share of the peak.
func (o overloaded) kept() float64 { return o.goodput / o.peak }

func (b *bench) overload(ctx context.Context, connections int) (o overloaded, err error) {
	quiet, err := b.calls(ctx, 1, neighbourPause, b.duration, b.neighbourOrder)
	if err != nil {
		return o, err
	}
	var before, after strategies.Result
	o.generatingPeak = generating(func() { before, err = b.saturate(ctx, 1) })
	if err != nil {
		return o, err
	}
	crowd, err := b.saturate(ctx, overloadFactor)
	if err != nil {
		return o, err
	}
	o.connections, o.idle, o.crowd, o.offered = connections, quiet.Quantile(0.5), crowd.Rate(), overloadFactor*before.Rate()
	watched, stop := context.WithCancel(ctx)
	defer stop()
	resident := make(chan int64, 1)
	go func() { resident <- b.watchMemory(watched) }()

	over, closeAll := b.connections(connections)
	defer closeAll()
	if err := b.connect(ctx, over); err != nil {
		return o, err
	}
	s := storm{bench: b, began: time.Now()}
	o.generating = generating(func() { s.send(ctx, over, o.offered) })
	o.recovery, err = b.recovered(ctx, 2*o.idle)
	s.clients.Wait() // for those who still wait for an answer
	stop()
	o.resident = <-resident
	if err != nil {
		return o, err
	}
	// A machine's speed changes with time.
	if after, err = b.saturate(ctx, 1); err != nil {
		return o, err
	}
	o.peak = (before.Rate() + after.Rate()) / 2

	seconds := b.overloadFor.Seconds()
	o.goodput, o.shed, o.unsent = float64(len(s.booked))/seconds, float64(len(s.shed))/seconds, float64(s.unsent)/seconds
	o.failed, o.waiting = s.failed, s.mostWaiting
	o.booked, o.shedding = strategies.NewResult(s.booked), strategies.NewResult(s.shed)
	return o, nil
}

// saturate has so many times the clients that saturate the server book, each after its last answer.
func (b *bench) saturate(ctx context.Context, times int) (strategies.Result, error) {
	return b.calls(ctx, times*2*clients, 0, b.overloadFor/2, b.anyOrder)
}

// generating runs do and returns the share of the processors that this process took meanwhile.
func generating(do func()) float64 {
	began, used := time.Now(), selfCPU()
	do()
	return (selfCPU() - used).Seconds() / time.Since(began).Seconds() / float64(runtime.NumCPU())
}

// connect opens connections and makes them known to the server, so that what is measured afterwards is requests.
func (b *bench) connect(ctx context.Context, connections []client) error {
	connecting, ctx := errgroup.WithContext(ctx)
	connecting.SetLimit(clients)
	for i := range connections {
		connecting.Go(func() error { return b.expect(ctx, &connections[i], get("/healthz", ""), http.StatusOK) })
	}
	return connecting.Wait()
}

// storm is requests that are sent as they are due, each on a connection that is free.
type storm struct {
	*bench
	began       time.Time
	clients     sync.WaitGroup
	waiting     atomic.Int64
	mostWaiting int
	unsent      int

	mu           sync.Mutex
	booked, shed []time.Duration // of what was answered before the last request was sent
	failed       int
}

// send sends requests over the connections at a rate and returns when the last one is sent.
func (s *storm) send(ctx context.Context, connections []client, rate float64) {
	due := make(chan time.Time)
	defer close(due)
	for i := range connections {
		s.clients.Go(func() {
			for at := range due {
				s.waiting.Add(1)
				err := s.bookThrough(ctx, &connections[i], s.anyOrder())
				s.waiting.Add(-1)
				s.count(at, err)
			}
		})
	}
	every := time.NewTicker(time.Millisecond)
	defer every.Stop()
	for sent := 0; time.Since(s.began) < s.overloadFor && ctx.Err() == nil; <-every.C {
		for ; sent < int(rate*time.Since(s.began).Seconds()); sent++ {
			select {
			case due <- time.Now():
			default:
				s.unsent++
			}
		}
		s.mostWaiting = max(s.mostWaiting, int(s.waiting.Load()))
	}
}

func (s *storm) count(at time.Time, err error) {
	ended := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	switch meanwhile := ended.Sub(s.began) <= s.overloadFor; {
	case err == nil && meanwhile:
		s.booked = append(s.booked, ended.Sub(at))
	case errors.Is(err, strategies.ErrGaveUp) && meanwhile:
		s.shed = append(s.shed, ended.Sub(at))
	case err != nil && !errors.Is(err, strategies.ErrGaveUp) && !errors.Is(err, strategies.ErrTaken):
		s.failed++
	}
}

// watchMemory returns the most memory that the server has resident until ctx ends.
func (b *bench) watchMemory(ctx context.Context) (most int64) {
	every := time.NewTicker(20 * time.Millisecond)
	defer every.Stop()
	for {
		most = max(most, residentBytes(b.server.PID()))
		select {
		case <-ctx.Done():
			return most
		case <-every.C:
		}
	}
}

// recovered returns how long it takes from now until ten bookings of a lone client, one after the other, keep to a latency
// in their median.
func (b *bench) recovered(ctx context.Context, within time.Duration) (time.Duration, error) {
	const window = 10
	c := client{addr: b.server.addr}
	defer c.close()
	began := time.Now()
	var last []time.Duration
	for time.Since(began) < recoveryLimit {
		start := time.Now()
		err := b.bookThrough(ctx, &c, b.neighbourOrder())
		took := time.Since(start)
		switch {
		case ctx.Err() != nil:
			return 0, ctx.Err()
		case err != nil: // refused for now, or cut off
			took = recoveryLimit
		}
		if last = append(last, took); len(last) > window {
			last = last[1:]
		}
		if r := strategies.NewResult(last); len(last) == window && r.Quantile(0.5) <= within {
			return time.Since(began), nil
		}
		time.Sleep(neighbourPause)
	}
	return recoveryLimit, nil
}
