package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"holdfast/internal/problem"
)

// SQLSTATEs that change what Holdfast does. Source: PostgreSQL manual, Appendix A.
const (
	sqlCachedPlanChanged    = "0A000"
	sqlNoSuchStatement      = "26000"
	sqlStatementExists      = "42P05"
	sqlNotNullViolation     = "23502"
	sqlForeignKeyViolation  = "23503"
	sqlUniqueViolation      = "23505"
	sqlCheckViolation       = "23514"
	sqlExclusionViolation   = "23P01"
	sqlSerializationFailure = "40001"
	sqlDeadlockDetected     = "40P01"
	sqlOutOfSharedMemory    = "53200"
	sqlLockNotAvailable     = "55P03"
	sqlQueryCanceled        = "57014"
)

// Names of statements whose errors have a meaning.
const (
	stmtLock           = "wait for the lock"
	stmtStoreResponse  = "store the response"           // unique: another transaction used the key and committed first
	stmtClaimKey       = "claim the idempotency key"    // unique: the same
	stmtAppendEntry    = "append to the wallet"         // unique, not null: the wallet isn't at the version before
	stmtSpend          = "spend from the wallet"        // the same, by an entry that leaves less available; check: too little is available
	stmtInsertBooking  = "insert the booking"           // exclusion: the time is taken; foreign key: another booking made the customer; unique: its id, reference or code is in use
	stmtMoveBooking    = "move the booking"             // foreign key: the service lost the resource
	stmtReplaceClaim   = "replace the claim"            // exclusion: the time is taken
	stmtUpdateBooking  = "update the booking"           // foreign key: another booking made the customer; unique: another booking took a reference
	stmtConfirmBooking = "confirm the booking"          // foreign key: another booking made the customer
	stmtWriteChange    = "write the change"             // unique: the booking's id is that of another thing
	stmtWriteClosure   = "write the closure"            // foreign key: the resource doesn't exist
	stmtInsertEvent    = "note the provider's event"    // unique: another transaction noted it first
	stmtPutLinks       = "link the service's resources" // foreign key: a resource doesn't exist
	stmtTakePayment    = "take the payment"             // not null: the resolver claimed it meanwhile
	stmtSetPayment     = "set the payment"              // not null: the same
	stmtInsertPayment  = "insert the payment"           // unique: another payment of the booking is open
	stmtInsertTenant   = "insert the tenant"            // unique: the slug is in use
	stmtInsertWallet   = "insert the wallet"            // unique: the customer has one; foreign key: there is no such customer
	stmtCreateCustomer = "create the customer"
	stmtUpdateCustomer = "update the customer"   // unique: another customer has the email
	stmtSetCode        = "set the wallet's code" // unique: another code has the same beginning
)

// lostError says that the connection ended during a batch, or that COMMIT ended with a warning. committing says that the batch carried
// COMMIT, so the transaction may or may not have happened. abandoned says that the server still works on that batch, as far as is known: another
// run of the transaction would wait for its locks.
type lostError struct {
	err                   error
	committing, abandoned bool
}

func (e *lostError) Error() string { return "connection lost: " + e.err.Error() }
func (e *lostError) Unwrap() error { return e.err }

// statementError says which statement of a batch failed. The statement's name tells apart errors with one SQLSTATE: constraint
// names can't be relied on, because a distributed PostgreSQL leaves them empty.
type statementError struct {
	name string
	err  error
}

func (e *statementError) Error() string { return e.name + ": " + e.err.Error() }
func (e *statementError) Unwrap() error { return e.err }

func sqlState(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code
	}
	return ""
}

// failedAt reports whether err is the given SQLSTATE of the given statement.
func failedAt(err error, name, state string) bool {
	var s *statementError
	return errors.As(err, &s) && s.name == name && sqlState(err) == state
}

func unavailable(cause error) *problem.Error {
	return problem.Wrap(cause, problem.DatabaseUnavailable, "The database can't be reached. Nothing was written.").
		Retry(time.Second)
}

func lockTimeout(cause error) *problem.Error {
	return problem.Wrap(cause, problem.LockTimeout,
		"Others are changing the same date or balance and waiting for them took too long. Nothing was written.").
		Retry(time.Second)
}

// mapError returns the error that callers see for the error of a transaction that certainly wrote nothing. A row that a read asked
// for and that isn't there is problem.NotFound.
func mapError(doing string, err error) error {
	var known *problem.Error
	var lost *lostError
	switch state := sqlState(err); {
	case errors.As(err, &known), errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, pgx.ErrNoRows):
		return problem.Missing()
	case failedAt(err, stmtStoreResponse, sqlLockNotAvailable), failedAt(err, stmtStoreResponse, sqlUniqueViolation),
		failedAt(err, stmtClaimKey, sqlLockNotAvailable), failedAt(err, stmtClaimKey, sqlUniqueViolation):
		// Another transaction is writing the key's row.
		return problem.Wrap(err, problem.RequestInProgress,
			"A request with the same Idempotency-Key is still running.").Retry(time.Second)
	case isOtherVersion(err):
		return problem.Wrap(fmt.Errorf("%s: %w", doing, err), problem.VersionConflict,
			"Other changes of the wallet came first, several times. Nothing was written.").Retry(time.Second)
	case state == sqlLockNotAvailable, state == sqlOutOfSharedMemory:
		return lockTimeout(fmt.Errorf("%s: %w", doing, err))
	case errors.As(err, &lost), state == sqlQueryCanceled, state == sqlSerializationFailure, state == sqlDeadlockDetected:
		return unavailable(fmt.Errorf("%s: %w", doing, err))
	}
	return fmt.Errorf("%s: %w", doing, err)
}
