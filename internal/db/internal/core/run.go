package core

import (
	"context"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/lock"
)

// Write is one call that changes something.
type Write struct {
	Doing      string // for errors
	Request    *Request
	Locks      *lock.Set // taken in the batch that begins the transaction; nil for one that holds locks of rows alone
	Tenant     uuid.UUID // of a transaction without locks
	Repeatable bool      // what it decides depends on what an earlier run committed, also without a request
	Phased     bool      // it continues a request whose key an earlier transaction began
}

// Run is the one way in which a request is served, and in which anything else is changed that must be decided: a
// transaction begins with its locks, reads, decides, writes and commits, in two round trips. begin queues the reads and
// returns the decision. If that returns an error, or queues nothing, the transaction is rolled back. A transaction that
// lost against another one runs again. A call whose request has a response returns an error, which Request.Outcome
// turns into that response.
//
// Requests for bookings share transactions: see ConnectShared.
func (d *DB) Run(ctx context.Context, w Write, begin func(*Tx, *RequestKey) (decide func() error)) error {
	attempts := d.Attempts(w.Doing, w.Repeatable || w.Request != nil)
	for attempts.Next(ctx) {
		attempts.End(d.runOnce(ctx, w, begin))
	}
	return w.Request.CheckResponse(attempts.Err())
}

func (d *DB) runOnce(ctx context.Context, w Write, begin func(*Tx, *RequestKey) (decide func() error)) error {
	t, err := d.open(ctx, w)
	if err != nil {
		return err
	}
	defer t.End()
	k := t.KeyOf(w.Request)
	k.phased = w.Phased
	t.ReadResponses(k)
	decide := begin(t, k)
	if err := t.Read(); err != nil {
		return err
	}
	if err := k.Decide(decide); err != nil {
		return err
	}
	return t.Commit()
}

// open begins the transaction of a call. It sees the rows of its tenant; of a request that administrators make, first
// those of its key.
func (d *DB) open(ctx context.Context, w Write) (*Tx, error) {
	switch {
	case w.Locks != nil:
		return d.Begin(ctx, *w.Locks, time.Now())
	case w.Request != nil:
		return d.Connect(ctx, w.Request.scope)
	}
	return d.Connect(ctx, w.Tenant)
}
