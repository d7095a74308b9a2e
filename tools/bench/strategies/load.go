package strategies

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Load is a number of clients that each do one thing after the other.
type Load struct {
	Clients int
	// What ends in the first WarmUp isn't counted; what ends in the Window after it is. The window lasts until
	// something has ended in it.
	WarmUp, Window time.Duration
	// Pause is what each client waits between two operations.
	Pause time.Duration
	// OnBegin and OnEnd run at the two ends of the window; nil does nothing.
	OnBegin, OnEnd func()
}

// Result is what a load came to in its window.
type Result struct {
	// Latencies are those of the operations, in ascending order.
	Latencies []time.Duration
	// Refused is how many of them returned ErrTaken. GaveUp is how many more returned ErrGaveUp, which isn't counted as
	// an operation.
	Refused, GaveUp int
	// Elapsed is how long the window was.
	Elapsed time.Duration
}

// NewResult returns what operations came to that took as long as given.
func NewResult(latencies []time.Duration) Result {
	return Result{Latencies: slices.Sorted(slices.Values(latencies))}
}

// Rate is operations per second.
func (r Result) Rate() float64 { return float64(len(r.Latencies)) / r.Elapsed.Seconds() }

// Quantile returns the latency that a share q of the operations kept to.
func (r Result) Quantile(q float64) time.Duration {
	if len(r.Latencies) == 0 {
		return 0
	}
	return r.Latencies[min(int(q*float64(len(r.Latencies))), len(r.Latencies)-1)]
}

// operation is one that a client has ended.
type operation struct {
	ended time.Time
	took  time.Duration
	err   error
}

// expected is for how many operations a client has room from the start, so that the measured process allocates nothing
// for the measurement.
const expected = 1 << 13

// Drive runs op, which is given the number of its client, until the window is over. The first error but
// ErrTaken and ErrGaveUp ends it.
func (l Load) Drive(ctx context.Context, op func(ctx context.Context, client int) error) (Result, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	over := make(chan struct{})
	done := make([][]operation, l.Clients)
	var from atomic.Pointer[time.Time] // nil before the window
	counted := make(chan struct{})
	count := sync.OnceFunc(func() { close(counted) })
	var clients sync.WaitGroup
	for client := range l.Clients {
		done[client] = make([]operation, 0, expected)
		clients.Go(func() {
			for {
				select {
				case <-over:
					return
				case <-ctx.Done():
					return
				default:
				}
				start := time.Now()
				err := op(ctx, client)
				if err != nil && !errors.Is(err, ErrTaken) && !errors.Is(err, ErrGaveUp) {
					cancel(err)
					return
				}
				ended := time.Now()
				done[client] = append(done[client], operation{ended, ended.Sub(start), err})
				if began := from.Load(); began != nil && ended.After(*began) && !errors.Is(err, ErrGaveUp) {
					count()
				}
				if l.Pause > 0 {
					time.Sleep(l.Pause)
				}
			}
		})
	}
	pause(ctx, l.WarmUp)
	if l.OnBegin != nil {
		l.OnBegin()
	}
	began := time.Now()
	from.Store(&began)
	pause(ctx, l.Window)
	select {
	case <-counted:
	case <-ctx.Done():
	}
	until := time.Now()
	if l.OnEnd != nil {
		l.OnEnd()
	}
	close(over)
	clients.Wait()
	if ctx.Err() != nil {
		return Result{}, context.Cause(ctx)
	}
	r := Result{Elapsed: until.Sub(began)}
	for _, o := range slices.Concat(done...) {
		switch {
		case !o.ended.After(began) || o.ended.After(until):
		case errors.Is(o.err, ErrGaveUp):
			r.GaveUp++
		default:
			r.Latencies = append(r.Latencies, o.took)
			if o.err != nil {
				r.Refused++
			}
		}
	}
	slices.Sort(r.Latencies)
	return r, nil
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
