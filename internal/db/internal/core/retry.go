package core

import (
	"context"
	"errors"
	"time"

	"holdfast/internal/problem"
)

// maxAttempts bounds how often a transaction is run for one call.
const maxAttempts = 4

// Attempts runs a transaction until it succeeds, fails for good, or was run maxAttempts times:
//
//	attempts := db.Attempts("book", repeatable)
//	for attempts.Next(ctx) {
//		attempts.End(bookOnce())
//	}
//	return attempts.Err()
//
// A transaction whose commit was cut off runs again only if it is repeatable: if it first reads, under its lock or
// behind the unique key of its stored response, whether it already happened. An outcome that can't be learnt is
// reported as problem.OutcomeUnknown. A COMMIT that isn't answered in time isn't run again: the server still waits with
// the transaction's locks.
type Attempts struct {
	db         *DB
	began      time.Time
	doing      string
	repeatable bool
	ended      int
	err        error // of the last attempt
	final      bool  // there is no further attempt
	unknown    bool  // a commit was cut off
}

// Attempts returns the attempts at one call. doing says for errors what the call does.
func (d *DB) Attempts(doing string, repeatable bool) *Attempts {
	return &Attempts{db: d, began: time.Now(), doing: doing, repeatable: repeatable}
}

// Next reports whether the transaction is to be run. Before a repetition it waits, at most 45 ms, or until the client
// goes away.
func (a *Attempts) Next(ctx context.Context) bool {
	switch {
	case a.ended == 0:
		return true
	case a.final, ctx.Err() != nil:
		return false
	}
	a.db.metrics.retries.Inc()
	var lost *lostError
	if errors.As(a.err, &lost) && a.ended > 1 {
		a.db.pool.Reset() // the other connections have likely ended too
	}
	select {
	case <-time.After(time.Duration(a.ended*a.ended) * 5 * time.Millisecond):
	case <-ctx.Done():
	}
	return true
}

// End ends an attempt with its error, or nil.
func (a *Attempts) End(err error) {
	a.err = err
	a.ended++
	var lost *lostError
	isLost := errors.As(err, &lost)
	a.unknown = a.unknown || isLost && lost.committing
	again := isLost && (!lost.committing || a.repeatable && !lost.abandoned) || isRetryable(err)
	a.final = !again || a.ended == maxAttempts || time.Since(a.began) > attemptsTime
}

// Err returns what the last attempt's error means for the caller.
func (a *Attempts) Err() error {
	if a.err == nil {
		return nil
	}
	err := mapError(a.doing, a.err)
	told := errors.Is(err, context.Canceled)
	for _, code := range []problem.Code{
		problem.DatabaseUnavailable, problem.LockTimeout, problem.RequestInProgress, problem.VersionConflict,
	} {
		told = told || problem.Is(err, code)
	}
	if !a.unknown || !told {
		return err
	}
	a.db.metrics.unknown.Inc()
	return problem.Wrap(err, problem.OutcomeUnknown,
		"The database didn't confirm that the change is committed and kept, so it may or may not have happened. "+
			"Repeat the request with the same Idempotency-Key to learn which.").Retry(time.Second)
}

// isRetryable reports whether another transaction came first in a way that a new attempt will see.
func isRetryable(err error) bool {
	switch StateOf(err) {
	case serializationFailure, DeadlockDetected, cachedPlanChanged, noSuchStatement, statementExists:
		return true
	}
	return failureOf(err).Again
}
