package db

import (
	"context"
	"sync/atomic"

	"github.com/google/uuid"

	"holdfast/internal/db/internal/core"
)

// DB runs transactions on one database. It is safe for concurrent use.
type DB struct {
	core *core.DB
	// planned is called with what is planned, unless it is nil.
	planned atomic.Pointer[func(uuid.UUID, []NewEvent)]
}

// Open connects to the database. It doesn't migrate it and doesn't check it: see package preflight.
func Open(ctx context.Context, cfg Config) (*DB, error) {
	d := new(DB)
	open, err := core.Open(ctx, cfg, d.notifyPlanned, "balance", "date", "wallet", "balance+wallet", "balance+date",
		"balance+date+wallet")
	if err != nil {
		return nil, err
	}
	d.core = open
	return d, nil
}

// Core stands for the core, which the packages below this one use by core.Of: checks of a database, and moves of
// tenants. No other package can import that function, and without it there is nothing to do with a handle.
func (d *DB) Core() core.Handle { return d.core.Handle() }

// WaitForBackground returns when nothing is under way in the background: no rollback, and no notification of workers.
func (d *DB) WaitForBackground() { d.core.WaitForBackground() }

// Close waits for what is under way in the background and closes the pool.
func (d *DB) Close() { d.core.Close() }

// Ping reports whether the database answers: a problem.Error with problem.DatabaseUnavailable if not.
func (d *DB) Ping(ctx context.Context) error { return d.core.Ping(ctx) }

// Empty reports whether the database has never held a tenant. Errors: problem.DatabaseUnavailable.
func (d *DB) Empty(ctx context.Context) (bool, error) {
	found, err := d.core.Queries().TenantAny(ctx)
	if err != nil {
		return false, core.Unavailable(err)
	}
	return !found, nil
}

// SetUnstoredOutcome sets the request's outcome without storing it.
func (d *DB) SetUnstoredOutcome(r *Request, o Outcome) { d.core.SetUnstoredOutcome(r, o) }

// LookUp looks for the stored response of a request, which Request.Outcome then returns, and reports whether there is
// one. It takes no lock and one round trip; where commits wait for a standby one more, until the standby has the
// response. Errors: problem.DatabaseUnavailable; problem.OutcomeUnknown if it isn't known whether the standby has it.
func (d *DB) LookUp(ctx context.Context, r *Request) (found bool, err error) {
	return d.core.LookUp(ctx, r)
}

// Cleanup runs work while a connection of its own, to Config.DirectURL, holds the session lock lock.IdempotencyCleanup.
// It doesn't wait for the lock: held is false when another session has it. Errors: work's own; ErrPooled when the
// connection can't hold a session lock; others as they came.
func (d *DB) Cleanup(ctx context.Context, work func(*Cleanup) error) (held bool, err error) {
	return d.core.Cleanup(ctx, work)
}

// Listen calls woken with the kinds of which events are due, and once without kinds when it begins to listen, until ctx
// ends. It has a connection of its own. Errors: ErrPooled behind a transaction pooler, which loses notifications;
// others when the connection is lost.
func (d *DB) Listen(ctx context.Context, woken func(kinds []string)) error {
	return d.core.Listen(ctx, woken)
}

// ExpireCursors ends the validity of every cursor of the feed, of all tenants: readers get problem.CursorExpired and
// begin anew. It is for a database that lost commits. Its readers may have seen changes that are gone, and would miss
// new ones that have their places. Errors: problem.DatabaseUnavailable, problem.OutcomeUnknown.
func (d *DB) ExpireCursors(ctx context.Context) error { return d.core.ExpireCursors(ctx) }

// ObservePlanned has observe called with the events that a transaction of this process planned or moved, once it has
// committed. An event that had been planned before is among them. A later call replaces the observer; observe must not
// block.
func (d *DB) ObservePlanned(observe func(tenant uuid.UUID, events []NewEvent)) {
	d.planned.Store(&observe)
}

func (d *DB) notifyPlanned(tenant uuid.UUID, events []NewEvent) {
	if observe := d.planned.Load(); observe != nil {
		(*observe)(tenant, events)
	}
}
