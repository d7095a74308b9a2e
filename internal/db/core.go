package db

import "holdfast/internal/db/internal/core"

type (
	// Request is a request that must not happen twice: the transaction that serves it looks for its stored response before
	// it decides anything, and stores the response with its commit.
	Request = core.Request
	// Outcome is what a request came to.
	Outcome = core.Outcome
	// Actor is who asks for a change. The zero Actor is the server itself.
	Actor = core.Actor
	// Change is the record of a change of a subject, or a notice about it, written in the commit of what it tells of.
	Change = core.Change
	// NewEvent is a scheduled event to be planned.
	NewEvent = core.NewEvent
)
