package app

import (
	"context"
	"errors"
	"sync"

	"holdfast/internal/httpapi/edge"
)

// edges end their work together. They are safe for concurrent use.
type edges struct {
	mu        sync.Mutex
	list      []*edge.Edge
	announced bool
}

// add adds an edge, which is announced at once if the server is shutting down.
func (e *edges) add(one *edge.Edge) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.list = append(e.list, one)
	if e.announced {
		one.Announce()
	}
}

func (e *edges) announce() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.announced = true
	for _, one := range e.list {
		one.Announce()
	}
}

// drain refuses new requests on all edges and returns when those that run are answered, or with ctx's error.
func (e *edges) drain(ctx context.Context) error {
	e.mu.Lock()
	list := e.list
	e.mu.Unlock()
	results := make(chan error, len(list))
	for _, one := range list {
		go func() { results <- one.Drain(ctx) }()
	}
	var failed error
	for range list {
		failed = errors.Join(failed, <-results)
	}
	return failed
}
