package core

import (
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
)

// Kinds of locks that aren't advisory, for metrics.
const (
	lockOfTable = "table"
	lockOfRow   = "row"
	lockOfKey   = "idempotency_key" // a row too: the request with the same key still runs
)

// lockKind returns the kind of lock that wasn't granted in time, empty for an advisory one. PostgreSQL gives the error
// a context only if it was a row's, which it names in the language of the database.
func lockKind(err error) string {
	var pg *pgconn.PgError
	switch {
	case waitedForLock(err):
		return ""
	case failureOf(err).Means != nil:
		return lockOfKey
	case errors.As(err, &pg) && pg.Where != "":
		return lockOfRow
	}
	return lockOfTable
}
