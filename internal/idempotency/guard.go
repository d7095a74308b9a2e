package idempotency

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/maypok86/otter/v2"

	"holdfast/internal/store"
	"holdfast/internal/waitqueue"
)

const (
	// longestWait is how long a request waits for a request with the same key that this process is working on.
	longestWait = 2 * time.Second
	// knownKeys is how many keys the process remembers to have worked on.
	knownKeys = 50_000
)

// Guard lets one request of a key at a time through this process. Across processes the locks and the key's unique index do the
// same. The guard spares them the work, and knows when a request with the same key is still running.
type Guard struct {
	store   *store.Store
	seen    *otter.Cache[scopedKey, struct{}]
	running *waitqueue.Queues[scopedKey]
}

type scopedKey struct {
	scope uuid.UUID
	key   string
}

// NewGuard returns a guard that looks stored responses up in s.
func NewGuard(s *store.Store) *Guard {
	return &Guard{
		store:   s,
		seen:    otter.Must(&otter.Options[scopedKey, struct{}]{MaximumSize: knownKeys}),
		running: waitqueue.New[scopedKey](1),
	}
}

// Turn is a request that may be worked on: no other request of this process works on its key.
type Turn struct {
	Request
	end   func() // lets the next request of the key through
	store *store.Store
	scope uuid.UUID
}

// Begin waits for the turn of a request at its key. Without an error and without a turn there is nothing left to do: the response
// is the stored one. Begin looks for it, in one round trip, if this process worked on the key before. Otherwise the caller's transaction
// finds it, under its locks, before it decides anything, and End returns it.
//
// Errors: problem.RequestInProgress if a request with the same key still runs after 2 s; problem.IdempotencyKeyReused;
// problem.DatabaseUnavailable; ctx's error.
func (g *Guard) Begin(ctx context.Context, scope uuid.UUID, r Request) (turn *Turn, stored Response, err error) {
	id := scopedKey{scope: scope, key: r.key}
	limited, cancel := context.WithTimeout(ctx, longestWait)
	defer cancel()
	end, err := g.running.Acquire(limited, id)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return nil, Response{}, ctx.Err()
	default:
		return nil, Response{}, inProgress()
	}
	defer func() { // also after a panic
		if turn == nil {
			end()
		}
	}()
	begun := &Turn{Request: r, end: end, store: g.store, scope: scope}
	if _, ok := g.seen.GetIfPresent(id); ok {
		if resp, found, err := begun.lookUp(ctx); err != nil || found {
			return nil, resp, err
		}
	}
	g.seen.Set(id, struct{}{})
	return begun, Response{}, nil
}

// End lets the next request of the key through. Defer it with the results of the use case: if its transaction found a stored response, they
// become that one, or problem.IdempotencyKeyReused for a response to another request, or problem.RequestInProgress for one that has none
// yet.
func (t *Turn) End(resp *Response, err *error) {
	defer t.end()
	if answered := (*store.AnsweredError)(nil); errors.As(*err, &answered) {
		*resp, *err = t.Replay(answered.Response)
	}
}

// Refuse is for a refusal before the caller has read the stored response. It returns that if there is one, and err if not: a request
// that succeeded once gets its response again, even if it would be refused by now.
func (t *Turn) Refuse(ctx context.Context, err error) (Response, error) {
	if resp, found, lookUpErr := t.lookUp(ctx); lookUpErr != nil || found {
		return resp, lookUpErr
	}
	return Response{}, err
}

// lookUp returns the stored response of the key. The caller continues an unfinished request.
func (t *Turn) lookUp(ctx context.Context) (resp Response, found bool, err error) {
	stored, err := t.store.StoredResponse(ctx, t.scope, t.key)
	if err != nil || stored == nil || stored.Unfinished {
		return Response{}, false, err
	}
	resp, err = t.Replay(stored)
	return resp, true, err
}
