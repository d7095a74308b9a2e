// Package groupcommit lets requests that arrive at the same time share one commit. It knows neither SQL nor bookings.
//
// Requests with one key form a group. The first request of a group is its leader: its goroutine commits, and the other
// requests wait for their results. The leader closes the group when the commit can begin, for example once it has a
// connection; requests join until then. A leader that ends before it closes the group hands over to the next request.
//
//	leader, err := groups.Join(ctx, key, value)
//	if leader == nil {
//		return err // another request led, and this is the result
//	}
//	defer leader.Abort()
//	// Wait for what the commit needs.
//	for _, request := range leader.Close() {
//		request.Run(…)
//	}
//	return leader.End(commit())
package groupcommit

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
)

// ErrAborted is the result of requests whose leader ended in the middle of the commit, by a panic. Whether the commit
// happened is unknown to this package.
var ErrAborted = errors.New("group commit: the leader panicked")

// Groups are the open groups of a process, by key. It is safe for concurrent use.
type Groups[V any] struct {
	size     int
	requests atomic.Int64 // that lead a group or wait for their result
	mu       sync.Mutex
	open     map[string]*group[V]
}

type group[V any] struct {
	key      string
	requests []*Request[V] // in the order of their arrival; the first one leads
	closed   bool
}

// New returns groups of at most size requests. A request that finds a full group leads a new one.
func New[V any](size int) *Groups[V] {
	return &Groups[V]{size: size, open: make(map[string]*group[V])}
}

// Requests returns how many requests lead a group or wait for their result.
func (g *Groups[V]) Requests() int64 { return g.requests.Load() }

// Join adds a request to the open group of key. It returns a leader if the request leads. Otherwise it waits for the
// request's result and returns that.
//
// Errors: those of Leader.End, Request.Run and Request.Complete; ctx's error if ctx ends before the group is closed;
// ErrAborted. A panic of the request's Run goes on in Join.
func (g *Groups[V]) Join(ctx context.Context, key string, value V) (leader *Leader[V], err error) {
	g.requests.Add(1)
	defer func() {
		if leader == nil {
			g.requests.Add(-1)
		}
	}()
	r := &Request[V]{Value: value, ctx: ctx, lead: make(chan struct{}, 1), done: make(chan struct{})}
	joined, leads := g.join(key, r)
	if !leads {
		select {
		case <-r.lead:
		case <-r.done:
			return nil, r.result()
		case <-ctx.Done():
			if g.leave(joined, r) {
				return nil, ctx.Err()
			}
			return nil, r.result()
		}
	}
	return &Leader[V]{groups: g, group: joined, request: r}, nil
}

// join adds a request to the open group of key, and reports whether the request leads it.
func (g *Groups[V]) join(key string, r *Request[V]) (joined *group[V], leads bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	joined = g.open[key]
	if leads = joined == nil || len(joined.requests) == g.size; leads {
		joined = &group[V]{key: key}
		g.open[key] = joined
	}
	joined.requests = append(joined.requests, r)
	return joined, leads
}

// leave removes a request from its group, unless the group is closed. When the leader leaves, the next request leads.
func (g *Groups[V]) leave(joined *group[V], r *Request[V]) (left bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if joined.closed {
		return false
	}
	led := joined.requests[0] == r
	joined.requests = slices.DeleteFunc(joined.requests, func(other *Request[V]) bool { return other == r })
	switch {
	case len(joined.requests) == 0:
		g.forget(joined)
	case led:
		joined.requests[0].lead <- struct{}{}
	}
	return true
}

// forget keeps requests from joining a group. The lock must be held.
func (g *Groups[V]) forget(closed *group[V]) {
	if g.open[closed.key] == closed {
		delete(g.open, closed.key)
	}
}
