package store

import (
	"context"

	"holdfast/internal/db"
	"holdfast/internal/lock"
)

// Book runs decide in a transaction that holds the locks `{tenant}:{date}` of keys, and that other requests of this
// process may share: see db.Group. request is what is served, nil for a booking without a key. What read asks for was
// read after the locks were granted. When decide returns an error, or queues nothing, nothing of it is written. decide
// may be run several times, in another goroutine while this one waits, and must not have effects of its own.
//
// Errors: decide's own; problem.SlotUnavailable when the exclusion constraint refused the booking;
// problem.AlreadyExists for an id or a reference that another booking took at the same time; those of db.Group.Run.
func (s *Store) Book(ctx context.Context, request *Request, keys lock.DateKeys, read BookRead,
	decide func(*BookTx, BookState) error,
) error {
	return s.group.Run(ctx, "book", request, keys, bookRequest{read: read, decide: decide})
}

// beginGroup queues what the requests of one transaction read.
func beginGroup(tx *db.Tx, requests []bookRequest) db.Work {
	rows := newBookRows(tx, requests...)
	rows.queueReads()
	return rows
}
