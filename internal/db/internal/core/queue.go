package core

import "holdfast/internal/db/internal/dbsqlc"

// Query queues a query that returns a row, or any number of rows. A single row that isn't there is problem.NotFound for the caller.
func Query[T any](t *Tx, name string, result *T, run func(q *dbsqlc.Queries) (T, error)) {
	query(&t.batch, name, result, run)
}

// Optional queues a query that returns one row or none; *row is nil without one.
func Optional[T any](t *Tx, name string, row **T, run func(q *dbsqlc.Queries) (T, error)) {
	optional(&t.batch, name, row, run)
}

// Exec queues a statement that returns nothing. failures say what its SQLSTATEs mean.
func Exec(t *Tx, name string, run func(q *dbsqlc.Queries) error, failures ...Failure) {
	exec(&t.batch, name, run, failures...)
}
