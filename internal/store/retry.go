package store

import (
	"context"
	"errors"
	"time"

	"holdfast/internal/problem"
)

// maxAttempts bounds how often a transaction is run for one call.
const maxAttempts = 4

// retry calls run until it succeeds, fails for good, or was called maxAttempts times. A transaction whose commit was cut off runs
// again only if it is resumable: if it first reads, under its lock or behind the unique key of its stored response, whether
// it already happened. An outcome that can't be learnt is reported as problem.OutcomeUnknown. A COMMIT that isn't answered in time isn't run
// again: the server still waits with the transaction's locks.
func (s *Store) retry(ctx context.Context, doing string, resumable bool, run func() error) error {
	unknown := false
	for attempt := 1; ; attempt++ {
		err := run()
		var lost *lostError
		isLost := errors.As(err, &lost)
		unknown = unknown || isLost && lost.committing
		again := isLost && (!lost.committing || resumable && !lost.abandoned) || isRetryable(err)
		if !again || attempt == maxAttempts || ctx.Err() != nil {
			return s.finalError(doing, err, unknown)
		}
		s.metrics.retries.Inc()
		if isLost && attempt > 1 {
			s.pool.Reset() // the other connections have likely ended too
		}
		select {
		case <-time.After(time.Duration(attempt*attempt) * 5 * time.Millisecond):
		case <-ctx.Done():
		}
	}
}

// finalError returns what the last attempt's error means for the caller. unknown says that a commit was cut off.
func (s *Store) finalError(doing string, err error, unknown bool) error {
	if err == nil {
		return nil
	}
	err = mapError(doing, err)
	told := errors.Is(err, context.Canceled)
	for _, code := range []problem.Code{problem.DatabaseUnavailable, problem.LockTimeout, problem.RequestInProgress, problem.VersionConflict} {
		told = told || problem.Is(err, code)
	}
	if !unknown || !told {
		return err
	}
	s.metrics.unknown.Inc()
	return problem.Wrap(err, problem.OutcomeUnknown,
		"The database didn't confirm that the change is committed and kept, so it may or may not have happened. "+
			"Repeat the request with the same Idempotency-Key to learn which.").Retry(time.Second)
}

// isRetryable reports whether another transaction came first in a way that a new attempt will see.
func isRetryable(err error) bool {
	switch sqlState(err) {
	case sqlSerializationFailure, sqlDeadlockDetected, sqlCachedPlanChanged, sqlNoSuchStatement, sqlStatementExists:
		return true
	}
	return failureOf(err).again
}
