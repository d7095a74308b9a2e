package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/lock"
)

// write is one call that changes something.
type write struct {
	doing     string // for errors
	request   *Request
	locks     *lock.Set // taken in the batch that begins the transaction; nil for one that holds locks of rows alone
	tenant    uuid.UUID // of a transaction without locks
	resumable bool      // what it decides depends on what an earlier run committed, also without a request
}

// run is the one way in which a request is served, and in which anything else is changed that must be decided: a transaction begins with its
// locks, reads, decides, writes and commits, in two round trips. begin queues the reads and returns the decision. If that returns an error, or
// queues nothing, the transaction is rolled back. A transaction that lost against another one runs again.
//
// Requests for bookings share transactions: see Store.Book.
func (s *Store) run(ctx context.Context, w write, begin func(*tx, *requestKey) (decide func() error)) error {
	return s.retry(ctx, w.doing, w.resumable || w.request != nil, func() error {
		t, err := s.open(ctx, w)
		if err != nil {
			return err
		}
		defer t.end()
		k := t.keyOf(w.request)
		t.readResponses(k)
		decide := begin(t, k)
		if err := t.read(); err != nil {
			return err
		}
		if err := k.decide(decide); err != nil {
			return err
		}
		return t.commit()
	})
}

// open begins the transaction of a call. It sees the rows of its tenant; of a request that administrators make, first those of its key.
func (s *Store) open(ctx context.Context, w write) (*tx, error) {
	switch {
	case w.locks != nil:
		return s.begin(ctx, *w.locks, time.Now())
	case w.request != nil:
		return s.connect(ctx, w.request.scope, func() {})
	}
	return s.connect(ctx, w.tenant, func() {})
}
