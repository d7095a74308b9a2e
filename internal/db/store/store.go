package store

import (
	"context"
	"sync/atomic"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/db/internal/core"
)

// Store runs transactions on one database. It is safe for concurrent use.
type Store struct {
	db *core.DB
	// planned is called with what is planned, unless it is nil.
	planned atomic.Pointer[func(uuid.UUID, []NewEvent)]
}

// Open connects to the database. It doesn't migrate (see Migrate) and doesn't check the database (see Preflight).
func Open(ctx context.Context, cfg Config) (*Store, error) {
	s := new(Store)
	open, err := core.Open(ctx, cfg, s.notifyPlanned, "balance", "date", "wallet", "balance+wallet", "balance+date",
		"balance+date+wallet")
	if err != nil {
		return nil, err
	}
	s.db = open
	return s, nil
}

// DB returns the door to the database, for the subjects that have their own statements; nil of a nil Store, which tests
// of what asks no database have.
func (s *Store) DB() *db.DB {
	if s == nil {
		return nil
	}
	return db.New(s.db)
}

// WaitForBackground returns when nothing is under way in the background: no rollback, and no notification of workers.
func (s *Store) WaitForBackground() { s.db.WaitForBackground() }

// Close waits for what is under way in the background and closes the pool.
func (s *Store) Close() { s.db.Close() }

// Ping reports whether the database answers: a problem.Error with problem.DatabaseUnavailable if not.
func (s *Store) Ping(ctx context.Context) error { return s.db.Ping(ctx) }

// Empty reports whether the database has never held a tenant.
func (s *Store) Empty(ctx context.Context) (bool, error) {
	found, err := s.db.Queries().TenantAny(ctx)
	if err != nil {
		return false, core.Unavailable(err)
	}
	return !found, nil
}

// Give makes an outcome that isn't stored the one of a request.
func (s *Store) Give(r *Request, o Outcome) { s.db.Give(r, o) }

// LookUp looks for the stored response of a request, which Request.Outcome then returns, and reports whether there is
// one. It takes no lock and one round trip; where commits wait for a standby one more, until the standby has the
// response. Errors: problem.DatabaseUnavailable; problem.OutcomeUnknown if it isn't known whether the standby has it.
func (s *Store) LookUp(ctx context.Context, r *Request) (found bool, err error) {
	return s.db.LookUp(ctx, r)
}

// Cleanup runs work while a connection of its own, to Config.DirectURL, holds the session lock lock.IdempotencyCleanup. It doesn't wait for
// the lock: held is false when another session has it. Errors: work's own; ErrPooled when the connection can't hold a session lock; others
// as they came.
func (s *Store) Cleanup(ctx context.Context, work func(*Cleanup) error) (held bool, err error) {
	return s.db.Cleanup(ctx, work)
}

// Listen calls woken with the kinds of which events are due, and once without kinds when it begins to listen, until ctx ends. It has a
// connection of its own. Errors: ErrPooled behind a transaction pooler, which loses notifications; others when the connection is
// lost.
func (s *Store) Listen(ctx context.Context, woken func(kinds []string)) error {
	return s.db.Listen(ctx, woken)
}

// ObservePlanned has observe called with the events that a transaction of this process planned or moved, once it has committed. An
// event that had been planned before is among them. A later call replaces the observer; observe must not block.
func (s *Store) ObservePlanned(observe func(tenant uuid.UUID, events []NewEvent)) {
	s.planned.Store(&observe)
}

func (s *Store) notifyPlanned(tenant uuid.UUID, events []NewEvent) {
	if observe := s.planned.Load(); observe != nil {
		(*observe)(tenant, events)
	}
}
