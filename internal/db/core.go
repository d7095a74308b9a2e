package db

import (
	"context"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db/internal/core"
)

type (
	// Config says how a DB reaches and uses its database.
	Config = core.Config
	// Request is a request that must not happen twice: the transaction that serves it looks for its stored response
	// before it decides anything, and stores the response with its commit.
	Request = core.Request
	// Outcome is what a request came to.
	Outcome = core.Outcome
	// Answer is how HTTP answers an outcome, beside its body.
	Answer = core.Answer
	// Answers decides how HTTP answers outcomes.
	Answers = core.Answers
	// Actor is who asks for a change. The zero Actor is the server itself.
	Actor = core.Actor
	// Change is the record of a change of a subject, or a notice about it, written in the commit of what it tells of.
	Change = core.Change
	// NewEvent is a scheduled event to be planned.
	NewEvent = core.NewEvent
	// StaleRead is how old what a request reads may be, and whether the standby served it.
	StaleRead = core.StaleRead
	// Cleanup is the right to delete expired idempotency keys, which one session of a database has at a time.
	Cleanup = core.Cleanup
)

const (
	// ResponseLifetime is how long a stored response is given again.
	ResponseLifetime = core.ResponseLifetime
	// WakeFeed is the name under which the readers of the feed are woken: the relay, and the streams of the feed. No
	// kind has it.
	WakeFeed = core.WakeFeed
	// WakeLeases is the name under which the search for leases that have ended is woken. No kind has it.
	WakeLeases = core.WakeLeases
)

var (
	// ErrPooled says that a connection doesn't keep a backend of its own, and so can't hold a session lock or listen.
	ErrPooled = core.ErrPooled
	// ErrLockLost says that the session that is about to delete doesn't hold the session lock, so that another one may.
	ErrLockLost = core.ErrLockLost
)

// NewRequest returns the request with an idempotency key of a tenant, or of administrators for the nil uuid.
// fingerprint is the SHA-256 of what is asked for.
func NewRequest(scope uuid.UUID, key string, fingerprint []byte) *Request {
	return core.NewRequest(scope, key, fingerprint)
}

// WithActor returns a context in which the transactions that record changes name the actor.
func WithActor(ctx context.Context, a Actor) context.Context { return core.WithActor(ctx, a) }

// AllowStale returns a context in which lists and what availability is computed from may be read from the standby, as
// of a moment that lies at most within before the read began. The StaleRead tells whether they were. Other reads, and
// all writes, don't look at it.
func AllowStale(ctx context.Context, within time.Duration) (context.Context, *StaleRead) {
	return core.AllowStale(ctx, within)
}

// Fresh returns a context in which everything is read from the primary, and whether that wasn't so before. What the
// standby has served doesn't count any more: the caller reads it again.
func Fresh(ctx context.Context) (fresh context.Context, changed bool) { return core.Fresh(ctx) }

// CanReadURL reports whether a database URL can be read. It connects to nothing.
func CanReadURL(url string) bool { return core.CanReadURL(url) }
