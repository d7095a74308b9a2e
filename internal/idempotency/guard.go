package idempotency

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/maypok86/otter/v2"

	"holdfast/internal/store"
)

const (
	// longestWait is how long a request waits for a request with the same key that this process is working on.
	longestWait = 2 * time.Second
	// knownKeys is how many keys the process remembers to have a stored response.
	knownKeys = 50_000
)

// Guard lets one request of a key at a time through this process. Across processes the locks and the key's unique index do the
// same. The guard spares them the work, and knows when a request with the same key is still running.
type Guard struct {
	store *store.Store
	seen  *otter.Cache[scopedKey, struct{}]

	mu      sync.Mutex
	running map[scopedKey]*turn
}

type scopedKey struct {
	scope uuid.UUID
	key   string
}

// turn is the right to work on a key.
type turn struct {
	free     chan struct{} // holds one token while no request has the turn
	requests int           // that have the turn or wait for it
}

// NewGuard returns a guard that looks stored responses up in s.
func NewGuard(s *store.Store) *Guard {
	return &Guard{
		store:   s,
		seen:    otter.Must(&otter.Options[scopedKey, struct{}]{MaximumSize: knownKeys}),
		running: make(map[scopedKey]*turn),
	}
}

// Handler does a request's work. It reads the key's stored response in its own transaction, and stores a new one there.
type Handler func(ctx context.Context) (Response, error)

// Do returns the stored response of the request's key, or runs handle. If this process remembers that the key has a stored
// response, Do looks it up first, in one round trip. Otherwise handle finds it, under its locks.
//
// Errors: those of handle; problem.RequestInProgress if a request with the same key still runs after 2 s;
// problem.IdempotencyKeyReused; problem.DatabaseUnavailable.
func (g *Guard) Do(ctx context.Context, scope uuid.UUID, r Request, handle Handler) (Response, error) {
	id := scopedKey{scope: scope, key: r.key}
	done, err := g.acquire(ctx, id)
	if err != nil {
		return Response{}, err
	}
	defer done()
	if _, ok := g.seen.GetIfPresent(id); ok {
		if resp, err := g.lookUp(ctx, scope, r); err != nil || resp != nil {
			return deref(resp), err
		}
	}
	resp, err := handle(ctx)
	var early *errorBeforeLookup
	if errors.As(err, &early) {
		if resp, lookUpErr := g.lookUp(ctx, scope, r); lookUpErr != nil || resp != nil {
			return deref(resp), lookUpErr
		}
		return Response{}, early.err
	}
	if err == nil {
		g.seen.Set(id, struct{}{})
	}
	return resp, err
}

// errorBeforeLookup is an error of a handler that has not read the key's stored response.
type errorBeforeLookup struct{ err error }

func (e *errorBeforeLookup) Error() string { return e.err.Error() }
func (e *errorBeforeLookup) Unwrap() error { return e.err }

// BeforeLookup marks an error of a handler that has not read the key's stored response. Do then looks for a stored response
// first: a request that succeeded once gets its response again, even if it would be refused by now.
func BeforeLookup(err error) error { return &errorBeforeLookup{err: err} }

func (g *Guard) lookUp(ctx context.Context, scope uuid.UUID, r Request) (*Response, error) {
	a, err := g.store.StoredResponse(ctx, scope, r.key)
	if err != nil || a == nil || a.Unfinished { // the handler continues an unfinished request
		return nil, err
	}
	resp, err := r.Replay(a)
	return &resp, err
}

func deref(r *Response) Response {
	if r == nil {
		return Response{}
	}
	return *r
}

// acquire waits for the turn at a key. done ends the turn.
func (g *Guard) acquire(ctx context.Context, id scopedKey) (done func(), err error) {
	g.mu.Lock()
	t := g.running[id]
	if t == nil {
		t = &turn{free: make(chan struct{}, 1)}
		t.free <- struct{}{}
		g.running[id] = t
	}
	t.requests++
	g.mu.Unlock()

	leave := func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		t.requests--
		if t.requests == 0 {
			delete(g.running, id)
		}
	}
	limit := time.NewTimer(longestWait)
	defer limit.Stop()
	select {
	case <-t.free:
		return func() {
			t.free <- struct{}{}
			leave()
		}, nil
	case <-limit.C:
		leave()
		return nil, inProgress()
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
}
