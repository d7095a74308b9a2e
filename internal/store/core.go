package store

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/store/internal/core"
)

// What callers use of the transaction core.
type (
	// Config says how a Store reaches and uses its database.
	Config = core.Config
	// Request is a request that must not happen twice: the transaction that serves it looks for its stored response before it decides
	// anything, and stores the response with its commit.
	Request = core.Request
	// Response is an HTTP response as it is stored and given again.
	Response = core.Response
	// Actor is who asks for a change. The zero Actor is the server itself.
	Actor = core.Actor
	// Change is the record of a change of a subject, or a notice about it, written in the commit of what it tells of.
	Change = core.Change
	// NewEvent is a scheduled event to be planned.
	NewEvent = core.NewEvent
	// Cleanup is the right to delete expired idempotency keys, which one session of a database has at a time.
	Cleanup = core.Cleanup
)

const (
	// ResponseLifetime is how long a stored response is given again.
	ResponseLifetime = core.ResponseLifetime
	// WakeFeed is the name under which the readers of the feed are woken: the relay, and the streams of the feed. No kind has it.
	WakeFeed = core.WakeFeed
)

var (
	// ErrPooled says that a connection doesn't keep a backend of its own, and so can't hold a session lock or listen.
	ErrPooled = core.ErrPooled
	// ErrLockLost says that the session that is about to delete doesn't hold the session lock, so that another one may.
	ErrLockLost = core.ErrLockLost
)

// NewRequest returns the request with an idempotency key of a tenant, or of administrators for the nil uuid. fingerprint is the SHA-256 of
// what is asked for.
func NewRequest(scope uuid.UUID, key string, fingerprint []byte) *Request {
	return core.NewRequest(scope, key, fingerprint)
}

// WithActor returns a context in which the transactions that record changes name the actor.
func WithActor(ctx context.Context, a Actor) context.Context { return core.WithActor(ctx, a) }

// CanReadURL reports whether a database URL can be read. It connects to nothing.
func CanReadURL(url string) bool { return core.CanReadURL(url) }
