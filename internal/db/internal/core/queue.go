package core

import "holdfast/internal/db/internal/dbsqlc"

// Query queues a query that returns a row, or any number of rows. A single row that isn't there is problem.NotFound for
// the caller.
func Query[T any](t *Tx, name string, result *T, run func(q *dbsqlc.Queries) (T, error)) {
	query(&t.batch, own, name, result, run)
}

// Exec queues a statement that returns nothing. failures say what its SQLSTATEs mean.
func Exec(t *Tx, name string, run func(q *dbsqlc.Queries) error, failures ...Failure) {
	exec(&t.batch, own, name, run, failures...)
}

// QueryOf is Query for statements that open opens.
func QueryOf[Q, T any](t *Tx, open func(Conn) Q, name string, result *T, run func(q Q) (T, error)) {
	query(&t.batch, open, name, result, run)
}

// OptionalOf queues a query of statements that open opens, which returns one row or none; *row is nil without one.
func OptionalOf[Q, T any](t *Tx, open func(Conn) Q, name string, row **T, run func(q Q) (T, error)) {
	optional(&t.batch, open, name, row, run)
}

// ExecOf is Exec for statements that open opens.
func ExecOf[Q any](t *Tx, open func(Conn) Q, name string, run func(q Q) error, failures ...Failure) {
	exec(&t.batch, open, name, run, failures...)
}
