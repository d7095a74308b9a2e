package core

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"holdfast/internal/problem"
)

// SQLSTATEs that change what Holdfast does. Source: PostgreSQL manual, Appendix A.
const (
	connectionClass       = "08" // of a statement: a node of Citus couldn't reach another one
	cachedPlanChanged     = "0A000"
	DivisionByZero        = "22012"
	noSuchStatement       = "26000"
	statementExists       = "42P05"
	InsufficientPrivilege = "42501"
	NotNullViolation      = "23502"
	ForeignKeyViolation   = "23503"
	UniqueViolation       = "23505"
	CheckViolation        = "23514"
	ExclusionViolation    = "23P01"
	serializationFailure  = "40001"
	DeadlockDetected      = "40P01"
	resourcesClass        = "53" // such as 53100, a full disk
	outOfSharedMemory     = "53200"
	LockNotAvailable      = "55P03"
	queryCanceled         = "57014"
	systemErrorClass      = "58" // such as 58030, a disk that can't be read
)

// Failure says what an SQLSTATE of a statement means.
type Failure struct {
	State string
	Again bool                    // another transaction came first, in a way that another run will see
	Means func(cause error) error // what callers get; nil if nothing but another run is of use
}

// Again are failures after which the transaction runs again.
func Again(states ...string) (list []Failure) {
	for _, state := range states {
		list = append(list, Failure{State: state, Again: true})
	}
	return list
}

// lostError says that the connection ended during a batch, or that COMMIT ended with a warning. committing says that
// the batch carried COMMIT, so the transaction may or may not have happened. abandoned says that the server still works
// on that batch, as far as is known: another run of the transaction would wait for its locks.
type lostError struct {
	err                   error
	committing, abandoned bool
}

func (e *lostError) Error() string { return "connection lost: " + e.err.Error() }
func (e *lostError) Unwrap() error { return e.err }

// statementError says which statement of a batch failed, and what that means. SQLSTATEs and not constraint names tell
// failures apart: a distributed PostgreSQL leaves the names empty.
type statementError struct {
	name    string
	err     error
	failure Failure // what its SQLSTATE means; zero if it means nothing of its own
}

func (e *statementError) Error() string { return e.name + ": " + e.err.Error() }
func (e *statementError) Unwrap() error { return e.err }

// failureOf returns what the SQLSTATE of a statement that failed means.
func failureOf(err error) Failure {
	var s *statementError
	if errors.As(err, &s) {
		return s.failure
	}
	return Failure{}
}

// StateOf returns the SQLSTATE of an error, "" if it is none of the database.
func StateOf(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code
	}
	return ""
}

// Unavailable returns problem.DatabaseUnavailable for a transaction that certainly wrote nothing.
func Unavailable(cause error) *problem.Error {
	return problem.Wrap(cause, problem.DatabaseUnavailable, "The database can't be reached. Nothing was written.").
		Retry(time.Second)
}

func outOfResources(cause error) *problem.Error {
	return problem.Wrap(cause, problem.DatabaseUnavailable,
		"The database lacks disk space or another resource. Nothing was written.").
		Retry(time.Second)
}

func lockTimeout(cause error) *problem.Error {
	return problem.Wrap(cause, problem.LockTimeout,
		"Others are changing the same date or balance and waiting for them took too long. Nothing was written.").
		Retry(time.Second)
}

// tableLockTimeout is lockTimeout for a lock that Holdfast's requests don't hold against each other for long: of a
// table, which somebody changes or locks by hand, or of a row.
func tableLockTimeout(cause error) *problem.Error {
	return problem.Wrap(cause, problem.LockTimeout,
		"Something else has locked a table or a row of the database, and waiting for it took too long. Nothing was written.").
		Retry(time.Second)
}

// interrupted returns problem.DatabaseUnavailable for a transaction that the database ended, and that wrote nothing.
func interrupted(cause error, detail string) *problem.Error {
	return problem.Wrap(cause, problem.DatabaseUnavailable, detail+" Nothing was written.").Retry(time.Second)
}

// MovedError says to which cell a tenant has moved.
type MovedError struct{ Cell string }

func (e *MovedError) Error() string { return "the tenant has moved to the cell " + e.Cell }

// fenced returns the error of a transaction whose tenant is moving to another cell, or has moved: problem.TenantMoving,
// or problem.TenantMoved with a MovedError. fence is what the first statement returned: empty for any other tenant.
func fenced(fence string) error {
	state, cell, _ := strings.Cut(fence, " ")
	switch state {
	case "":
		return nil
	case "moved":
		return problem.Wrap(&MovedError{Cell: cell}, problem.TenantMoved,
			"The tenant's data has moved to another database. Nothing was written.").Retry(time.Second)
	}
	return problem.New(problem.TenantMoving,
		"The tenant's data is moving to another database. Nothing was written.").Retry(time.Second)
}

func stillRunning(cause error) error {
	return problem.Wrap(cause, problem.RequestInProgress,
		"A request with the same Idempotency-Key is still running.").Retry(time.Second)
}

// mapError returns the error that callers see for the error of a transaction that certainly wrote nothing. A row that a
// read asked for and that isn't there is problem.NotFound.
func mapError(doing string, err error) error {
	var known *problem.Error
	var lost *lostError
	switch state := StateOf(err); {
	case errors.As(err, &known), errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, pgx.ErrNoRows):
		return problem.Missing()
	case failureOf(err).Means != nil:
		return failureOf(err).Means(fmt.Errorf("%s: %w", doing, err))
	case waitedForLock(err):
		return lockTimeout(fmt.Errorf("%s: %w", doing, err))
	case state == LockNotAvailable:
		return tableLockTimeout(fmt.Errorf("%s: %w", doing, err))
	case state == outOfSharedMemory:
		return interrupted(fmt.Errorf("%s: %w", doing, err), "The database has no room for more locks.")
	case state == queryCanceled:
		return interrupted(fmt.Errorf("%s: %w", doing, err), "The database took too long.")
	case state == serializationFailure, state == DeadlockDetected:
		return interrupted(fmt.Errorf("%s: %w", doing, err), "Other transactions came in between.")
	case errors.As(err, &lost):
		return Unavailable(fmt.Errorf("%s: %w", doing, err))
	case strings.HasPrefix(state, resourcesClass), strings.HasPrefix(state, systemErrorClass):
		return outOfResources(fmt.Errorf("%s: %w", doing, err))
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// waitedForLock reports whether an advisory lock wasn't granted in time.
func waitedForLock(err error) bool {
	var s *statementError
	return errors.As(err, &s) && s.name == waitForLock && StateOf(err) == LockNotAvailable
}

// waitForLock is the name of the statement that takes a lock.
const waitForLock = "wait for the lock"
