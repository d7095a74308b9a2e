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
	// patience is how long a request waits for one with the same key that this process is working on.
	patience = 2 * time.Second
	// remembered is how many keys the process remembers to have answered.
	remembered = 50_000
)

// Gate lets one request of a key at a time through this process. Across processes the locks and the key's
// uniqueness do the same; the gate spares them the work and knows when to say "still running".
type Gate struct {
	store *store.Store
	seen  *otter.Cache[scopedKey, struct{}]

	mu      sync.Mutex
	running map[scopedKey]*turn
}

type scopedKey struct {
	scope uuid.UUID
	key   string
}

type turn struct {
	free  chan struct{} // holds one token while nobody runs
	users int
}

// NewGate returns a gate that looks answers up in s.
func NewGate(s *store.Store) *Gate {
	return &Gate{
		store:   s,
		seen:    otter.Must(&otter.Options[scopedKey, struct{}]{MaximumSize: remembered}),
		running: make(map[scopedKey]*turn),
	}
}

// Work does a request's work. It reads the key's answer in its own transaction and stores the new one there.
type Work func(ctx context.Context) (Response, error)

// Do runs work unless the request has been answered, and returns the answer. A key that this process remembers
// is looked up first, in one round trip; any other is found by work, under its locks.
//
// Errors: work's own; problem.RequestInProgress when a request with the same key is still running after a
// short wait; problem.IdempotencyKeyReused; problem.DatabaseUnavailable.
func (g *Gate) Do(ctx context.Context, scope uuid.UUID, r Request, work Work) (Response, error) {
	id := scopedKey{scope: scope, key: r.key}
	done, err := g.enter(ctx, id)
	if err != nil {
		return Response{}, err
	}
	defer done()
	if _, ok := g.seen.GetIfPresent(id); ok {
		if resp, err := g.lookUp(ctx, scope, r); err != nil || resp != nil {
			return deref(resp), err
		}
	}
	resp, err := work(ctx)
	var early *earlyRefusal
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

// earlyRefusal is a refusal by work that came before it could read the key's answer.
type earlyRefusal struct{ err error }

func (e *earlyRefusal) Error() string { return e.err.Error() }
func (e *earlyRefusal) Unwrap() error { return e.err }

// Early marks a refusal that work came to before it read the key's answer. Do then looks for an answer first:
// what was done must be told again even if it would be refused by now.
func Early(err error) error { return &earlyRefusal{err: err} }

func (g *Gate) lookUp(ctx context.Context, scope uuid.UUID, r Request) (*Response, error) {
	a, err := g.store.StoredResponse(ctx, scope, r.key)
	if err != nil || a == nil || a.Unfinished { // work goes on with what is unfinished
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

// enter waits for the turn of a request with the given key and returns what ends it.
func (g *Gate) enter(ctx context.Context, id scopedKey) (done func(), err error) {
	g.mu.Lock()
	t := g.running[id]
	if t == nil {
		t = &turn{free: make(chan struct{}, 1)}
		t.free <- struct{}{}
		g.running[id] = t
	}
	t.users++
	g.mu.Unlock()

	leave := func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		t.users--
		if t.users == 0 {
			delete(g.running, id)
		}
	}
	limit := time.NewTimer(patience)
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
