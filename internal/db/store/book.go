package store

import (
	"context"
	"time"

	"holdfast/internal/db/internal/core"
	"holdfast/internal/lock"
)

// Book runs decide in a transaction that holds the locks `{tenant}:{date}` of keys. request is what is served, nil for a booking without a
// key. What read asks for was read after the locks were granted. When decide returns an error, or queues nothing, nothing of it is written.
// decide may be run several times, in another goroutine while this one waits, and must not have effects of its own.
//
// Requests of this process share transactions (group commit), each as if the requests before it had just committed. A request
// whose dates no other request of this process wants joins its tenant's group, whose transaction tries the locks of many
// dates. If one of its locks is held, or the group's transaction fails, it joins the group of the requests that wait for the
// same locks. If that transaction fails too, it runs alone, so that no request fails because of another one. Without group
// commit, bookAlone would do, and be slower.
//
// It costs two round trips, one of them when nothing is written, and one more if another transaction holds a lock.
//
// Errors: decide's own; problem.LockTimeout, problem.DatabaseUnavailable and problem.RequestInProgress, after which nothing
// was written; problem.SlotUnavailable when the exclusion constraint refused the booking; problem.AlreadyExists for an id or a reference
// that another booking took at the same time; problem.OutcomeUnknown; ctx's error when
// it ends while the request waits in the process.
func (s *Store) Book(ctx context.Context, request *Request, keys lock.DateKeys, read BookRead,
	decide func(*BookTx, BookState) error,
) error {
	attempts := s.db.Attempts("book", request != nil)
	for attempts.Next(ctx) {
		attempts.End(s.bookOnce(ctx, bookRequest{request: request, keys: keys, read: read, decide: decide, start: time.Now()}))
	}
	return request.Answered(attempts.Err())
}

// bookOnce runs a request in a group, or alone if no group's transaction can serve it.
func (s *Store) bookOnce(ctx context.Context, r bookRequest) error {
	err := core.ErrRetryAlone
	if s.db.QueuesEmpty(r.keys.Set) {
		err = s.bookInTenantGroup(ctx, r)
	}
	if retryAlone(err) {
		err = s.bookInDateGroup(ctx, r)
	}
	if retryAlone(err) {
		err = s.bookAlone(ctx, r)
	}
	return err
}

// bookAlone runs a request in a transaction of its own. It waits for the request's locks.
func (s *Store) bookAlone(ctx context.Context, r bookRequest) error {
	t, err := s.db.Begin(ctx, r.keys.Set, r.start)
	if err != nil {
		return err
	}
	defer t.End()
	rows := newBookRows(t, &r)
	t.ReadResponses(rows.keys...)
	rows.queueReads()
	if err := t.Read(); err != nil {
		return err
	}
	if err := rows.decide(ctx, 0); err != nil {
		return err
	}
	rows.queueWrites()
	return t.Commit()
}
