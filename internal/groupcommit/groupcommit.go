// Package groupcommit lets requests that arrive at the same time share one commit. It knows neither SQL nor bookings.
//
// Requests with one key form a group. The first request of a group is its leader: its goroutine runs the commit, and the
// other requests wait for their results. The leader closes the group when the commit can begin, for example once it has a
// connection; requests join until then. A leader that ends before it closes the group hands over to the next request.
package groupcommit

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// ErrAborted is the result of requests whose leader panicked in the middle of the commit. Whether the commit happened is
// unknown to this package.
var ErrAborted = errors.New("group commit: the leader panicked")

// Groups are the open groups of a process, by key. It is safe for concurrent use.
type Groups[V any] struct {
	size int
	mu   sync.Mutex
	open map[string]*group[V]
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

// Commit serves a group on the leader's goroutine. It calls closeGroup at most once, and serves the requests that closeGroup
// returns, the leader among them. If Commit returns an error, it is the result of each of these requests that isn't complete,
// or of the leader alone if the group wasn't closed. If Commit returns nil, the result of a request is that of its Run.
type Commit[V any] func(leader *Request[V], closeGroup func() []*Request[V]) error

// Do adds a request to the open group of key and returns its result. commit is called if the request leads.
//
// Errors: those of commit, Run and Complete; ctx's error if ctx ends before the group is closed; ErrAborted. A panic of the
// request's Run, or of commit if the request leads, goes on in Do.
func (g *Groups[V]) Do(ctx context.Context, key string, value V, commit Commit[V]) error {
	r := &Request[V]{Value: value, ctx: ctx, lead: make(chan struct{}, 1), done: make(chan struct{})}
	joined, leads := g.join(key, r)
	if !leads {
		select {
		case <-r.lead:
			leads = true
		case <-r.done:
		case <-ctx.Done():
			if g.leave(joined, r) {
				return ctx.Err()
			}
		}
	}
	if leads {
		if closed, err := g.serve(joined, r, commit); !closed {
			return err
		}
	}
	return r.wait()
}

// serve runs commit and completes the group's requests, also if commit panics.
func (g *Groups[V]) serve(led *group[V], leader *Request[V], commit Commit[V]) (closed bool, err error) {
	var requests []*Request[V]
	err = ErrAborted
	defer func() {
		closed = !g.leave(led, leader)
		for _, r := range requests {
			if err != nil {
				r.Complete(err)
			}
			r.Complete(r.err)
		}
	}()
	err = commit(leader, func() []*Request[V] {
		requests = g.close(led)
		return requests
	})
	return closed, err
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

// close ends the joining and returns the group's requests.
func (g *Groups[V]) close(led *group[V]) []*Request[V] {
	g.mu.Lock()
	defer g.mu.Unlock()
	led.closed = true
	g.forget(led)
	return led.requests
}

func (g *Groups[V]) forget(closed *group[V]) {
	if g.open[closed.key] == closed {
		delete(g.open, closed.key)
	}
}
