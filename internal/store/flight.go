package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"holdfast/internal/store/internal/dbsqlc"
)

// flight is a list of statements that cross the network together: one round trip, however many they are.
// The statements still run one after the other, each with a snapshot of its own.
type flight struct {
	steps []step
}

// step is one statement: either sql, which has no arguments, or run, which calls one function of the generated code.
// run is called with queries that only write the statement down, and again, if the statement returns rows, with queries
// that read them. That keeps arguments and rows as sqlc typed them although no statement is sent by itself.
type step struct {
	what string
	sql  string
	run  func(q *dbsqlc.Queries) error
	rows bool
}

// addSQL puts one of the transaction's own statements, such as COMMIT, at the end of the flight.
func (f *flight) addSQL(sql string) {
	f.steps = append(f.steps, step{what: sql, sql: sql})
}

// batcher is what a connection does for a flight.
type batcher interface {
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
}

// send sends the flight and hands every result to its step. It returns the first error, as a *stepError.
func (f *flight) send(ctx context.Context, conn batcher) error {
	batch := new(pgx.Batch)
	rec := new(recorder)
	writeDown := dbsqlc.New(rec)
	for _, s := range f.steps {
		if s.run == nil {
			batch.Queue(s.sql)
			continue
		}
		rec.calls = 0
		if err := s.run(writeDown); !errors.Is(err, errRecorded) || rec.calls != 1 {
			return fmt.Errorf("store: step %q is not one statement", s.what)
		}
		batch.Queue(rec.sql, rec.args...)
	}
	results := conn.SendBatch(ctx, batch)
	read := dbsqlc.New(replayer{results: results})
	for _, s := range f.steps {
		var err error
		if s.rows {
			err = s.run(read)
		} else {
			_, err = results.Exec()
		}
		if err != nil {
			_ = results.Close() // repeats err
			return &stepError{what: s.what, err: err}
		}
	}
	if err := results.Close(); err != nil {
		return &stepError{what: "end of flight", err: err}
	}
	return nil
}

// stepError says which statement of a flight failed. Which one it was tells errors apart where the SQLSTATE
// doesn't: constraint names are not to be relied on (a distributed PostgreSQL leaves them empty).
type stepError struct {
	what string
	err  error
}

func (e *stepError) Error() string { return e.what + ": " + e.err.Error() }
func (e *stepError) Unwrap() error { return e.err }

// errRecorded ends a generated function after its statement was written down.
var errRecorded = errors.New("store: recorded")

// recorder is the DBTX of the first pass.
type recorder struct {
	sql   string
	args  []any
	calls int
}

func (r *recorder) record(sql string, args []any) {
	r.sql, r.args = sql, args
	r.calls++
}

func (r *recorder) Exec(_ context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	r.record(sql, args)
	return pgconn.CommandTag{}, errRecorded
}

func (r *recorder) Query(_ context.Context, sql string, args ...any) (pgx.Rows, error) {
	r.record(sql, args)
	return nil, errRecorded
}

func (r *recorder) QueryRow(_ context.Context, sql string, args ...any) pgx.Row {
	r.record(sql, args)
	return recordedRow{}
}

type recordedRow struct{}

func (recordedRow) Scan(...any) error { return errRecorded }

// replayer is the DBTX of the second pass: it answers from the flight's results, in order.
type replayer struct {
	results pgx.BatchResults
}

func (r replayer) Exec(context.Context, string, ...any) (pgconn.CommandTag, error) {
	return r.results.Exec()
}

func (r replayer) Query(context.Context, string, ...any) (pgx.Rows, error) {
	return r.results.Query()
}

func (r replayer) QueryRow(context.Context, string, ...any) pgx.Row {
	return r.results.QueryRow()
}

// one adds a query that returns one row or none; found tells which.
func one[T any](f *flight, what string, row *T, found *bool, query func(q *dbsqlc.Queries) (T, error)) {
	f.steps = append(f.steps, step{what: what, rows: true, run: func(q *dbsqlc.Queries) error {
		got, err := query(q)
		if errors.Is(err, pgx.ErrNoRows) {
			*found = false
			return nil
		}
		if err != nil {
			return err
		}
		*row, *found = got, true
		return nil
	}})
}

// many adds a query that returns any number of rows.
func many[T any](f *flight, what string, rows *[]T, query func(q *dbsqlc.Queries) ([]T, error)) {
	f.steps = append(f.steps, step{what: what, rows: true, run: func(q *dbsqlc.Queries) error {
		got, err := query(q)
		if err != nil {
			return err
		}
		*rows = got
		return nil
	}})
}

// exec adds a statement that returns nothing.
func exec(f *flight, what string, run func(q *dbsqlc.Queries) error) {
	f.steps = append(f.steps, step{what: what, run: run})
}
