package idempotency

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/maypok86/otter/v2"

	"holdfast/internal/db"
	"holdfast/internal/problem"
	"holdfast/internal/tracing"
	"holdfast/internal/waitqueue"
)

const (
	// longestWait is how long a request waits for a request with the same key that this process is working on.
	longestWait = 2 * time.Second
	// knownKeys is how many keys the process remembers to have worked on.
	knownKeys = 50_000
)

// Guard lets one request of a key at a time through this process. Across processes the locks and the key's unique index
// do the same. The guard spares them the work, and knows when a request with the same key is still running.
type Guard struct {
	db      *db.DB
	seen    *otter.Cache[scopedKey, struct{}]
	running *waitqueue.Queues[scopedKey]
}

type scopedKey struct {
	scope uuid.UUID
	key   string
}

// NewGuard returns a guard that looks stored responses up in s.
func NewGuard(d *db.DB) *Guard {
	return &Guard{
		db:      d,
		seen:    otter.Must(&otter.Options[scopedKey, struct{}]{MaximumSize: knownKeys}),
		running: waitqueue.New[scopedKey](1),
	}
}

// Permit is a request that may be worked on: no other request of this process works on its key.
type Permit struct {
	// Request is what a use case is given.
	Request

	guard *Guard
	scope uuid.UUID
	end   func()
}

// Begin waits for the permit of the request's key. scope is the tenant of the key, the nil uuid for administrators.
// Without an error and without a permit there is nothing left to do: the response is the stored one. Begin looks for
// it, in one round trip, if this process worked on the key before. Otherwise the use case's transaction finds it, under
// its locks, before it decides anything. The caller defers End.
//
// Errors: problem.RequestInProgress if a request with the same key still runs after 2 s; problem.IdempotencyKeyReused;
// problem.DatabaseUnavailable; ctx's error.
func (g *Guard) Begin(ctx context.Context, scope uuid.UUID, r Request) (permit *Permit, stored Outcome, err error) {
	id := scopedKey{scope: scope, key: r.key}
	limited, cancel := context.WithTimeout(ctx, longestWait)
	defer cancel()
	_, span := tracing.Start(ctx, "wait for the idempotency key")
	end, err := g.running.Acquire(limited, id)
	span.FailWith(err)
	span.End()
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return nil, Outcome{}, ctx.Err()
	default:
		return nil, Outcome{}, problem.New(problem.RequestInProgress,
			"A request with the same Idempotency-Key is still running.").Retry(time.Second)
	}
	defer func() { // also after a panic
		if permit == nil {
			end()
		}
	}()
	r.served = new(served)
	begun := &Permit{Request: r, guard: g, scope: scope, end: end}
	if _, ok := g.seen.GetIfPresent(id); ok {
		if resp, found, err := begun.lookUp(ctx); err != nil || found {
			return nil, resp, err
		}
	}
	g.seen.Set(id, struct{}{})
	return begun, Outcome{}, nil
}

// End lets the next request of the key through.
func (p *Permit) End() { p.end() }

// Outcome returns the use case's outcome, unless err isn't nil. A request that was refused before a transaction looked
// for its stored response gets that, if there is one: a request that succeeded once gets its response again, even if it
// would be refused by now. It costs a round trip.
//
// Errors: err; problem.IdempotencyKeyReused; problem.DatabaseUnavailable.
func (p *Permit) Outcome(ctx context.Context, resp Outcome, err error) (Outcome, error) {
	if !isRefusal(err) || p.served.refused(err) {
		return resp, err
	}
	stored, found, lookUpErr := p.lookUp(ctx)
	if !found && lookUpErr == nil {
		return resp, err
	}
	return stored, lookUpErr
}

// isRefusal reports whether an error says that the request can't be carried out, and not that it couldn't be tried.
func isRefusal(err error) bool {
	switch problem.CodeOf(err) {
	case problem.DatabaseUnavailable, problem.Internal, problem.LockTimeout, problem.OutcomeUnknown:
		return false
	default:
		return err != nil
	}
}

// lookUp returns the stored response of the key, if there is one. The use case continues an unfinished request.
func (p *Permit) lookUp(ctx context.Context) (resp Outcome, found bool, err error) {
	request := p.stored(p.scope)
	found, err = p.guard.db.LookUp(ctx, request)
	if !found || err != nil {
		return Outcome{}, false, err
	}
	resp, err = request.Outcome(nil)
	return resp, true, err
}
