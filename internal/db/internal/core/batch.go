package core

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"holdfast/internal/db/internal/dbsqlc"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// batch is a list of statements that cross the network together: one round trip, however many they are. PostgreSQL runs
// the statements one after the other, each with a snapshot of its own.
type batch struct {
	statements []statement
}

// Conn is what generated code asks of a connection. None that this package hands out is one: it captures a statement,
// or reads the rows of one that has run.
type Conn interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// statement is either sql, which has no arguments, or run, which calls one function of the generated code. run is
// called with a Conn that captures SQL and arguments, and again, if the statement returns rows, with a Conn that reads
// the rows. That keeps arguments and rows as sqlc typed them although no statement is sent by itself.
type statement struct {
	name string
	sql  string
	run  func(c Conn) error
	rows bool
	// failures say what SQLSTATEs of the statement mean.
	failures []Failure
}

const (
	commitSQL  = "commit"
	endOfBatch = "end of batch" // the name of an error that is no statement's
)

// failed returns the error of the statement.
func (s statement) failed(err error) *statementError {
	failed := &statementError{name: s.name, err: err}
	for _, f := range s.failures {
		if f.State == StateOf(err) {
			failed.failure = f
		}
	}
	return failed
}

// addSQL adds one of the transaction's own statements, such as COMMIT.
func (b *batch) addSQL(sql string) {
	b.statements = append(b.statements, statement{name: sql, sql: sql})
}

// batchSender is a connection that sends batches.
type batchSender interface {
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
}

// send sends the batch and reads the result of each statement. It returns the first error, as a *statementError. If
// that is pgx.ErrNoRows, all statements have run: a row that was asked for isn't there.
func (b *batch) send(ctx context.Context, conn batchSender) error {
	queued := new(pgx.Batch)
	captured := new(capturingConn)
	for _, s := range b.statements {
		if s.run == nil {
			queued.Queue(s.sql)
			continue
		}
		captured.calls = 0
		if err := s.run(captured); !errors.Is(err, errCaptured) || captured.calls != 1 {
			return fmt.Errorf("db: %q is not one statement", s.name)
		}
		queued.Queue(captured.sql, captured.args...)
	}
	results := conn.SendBatch(ctx, queued)
	read := readingConn{results: results}
	var missing error
	for _, s := range b.statements {
		var err error
		if s.rows {
			err = s.run(read)
		} else {
			_, err = results.Exec()
		}
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			missing = cmp.Or(missing, error(s.failed(err)))
		case err != nil:
			_ = results.Close() // repeats err
			return s.failed(err)
		}
	}
	if err := results.Close(); err != nil {
		return &statementError{name: endOfBatch, err: err}
	}
	return missing
}

// errCaptured ends a generated function once its statement is captured.
var errCaptured = errors.New("db: statement captured")

// capturingConn keeps the statement that a generated function would run, and runs nothing.
type capturingConn struct {
	sql   string
	args  []any
	calls int
}

func (c *capturingConn) capture(sql string, args []any) {
	c.sql, c.args = sql, args
	c.calls++
}

func (c *capturingConn) Exec(_ context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	c.capture(sql, args)
	return pgconn.CommandTag{}, errCaptured
}

func (c *capturingConn) Query(_ context.Context, sql string, args ...any) (pgx.Rows, error) {
	c.capture(sql, args)
	return nil, errCaptured
}

func (c *capturingConn) QueryRow(_ context.Context, sql string, args ...any) pgx.Row {
	c.capture(sql, args)
	return capturedRow{}
}

type capturedRow struct{}

func (capturedRow) Scan(...any) error { return errCaptured }

// readingConn returns the batch's results, one after the other.
type readingConn struct {
	results pgx.BatchResults
}

func (r readingConn) Exec(context.Context, string, ...any) (pgconn.CommandTag, error) {
	return r.results.Exec()
}

func (r readingConn) Query(context.Context, string, ...any) (pgx.Rows, error) {
	return r.results.Query()
}

func (r readingConn) QueryRow(context.Context, string, ...any) pgx.Row {
	return r.results.QueryRow()
}

// add adds a statement that generated code makes. open opens that code on a connection.
func add[Q any](b *batch, open func(Conn) Q, s statement, run func(q Q) error) {
	s.run = func(c Conn) error { return run(open(c)) }
	b.statements = append(b.statements, s)
}

// query adds a query that returns a row, or any number of rows. A single row that isn't there is an error,
// pgx.ErrNoRows.
func query[Q, T any](b *batch, open func(Conn) Q, name string, result *T, run func(q Q) (T, error)) {
	add(b, open, statement{name: name, rows: true}, func(q Q) (err error) {
		*result, err = run(q)
		return err
	})
}

// optional adds a query that returns one row or none; *row is nil without one.
func optional[Q, T any](b *batch, open func(Conn) Q, name string, row **T, run func(q Q) (T, error)) {
	add(b, open, statement{name: name, rows: true}, func(q Q) error {
		*row = nil
		got, err := run(q)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		*row = &got
		return err
	})
}

// exec adds a statement that returns nothing. failures say what its SQLSTATEs mean.
func exec[Q any](b *batch, open func(Conn) Q, name string, run func(q Q) error, failures ...Failure) {
	add(b, open, statement{name: name, failures: failures}, run)
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(max(d.Milliseconds(), 1), 10) }

// isBeforeCommit reports whether a batch failed at a statement other than its COMMIT, and so wrote nothing.
func isBeforeCommit(err error) bool {
	var s *statementError
	return errors.As(err, &s) && s.name != commitSQL && s.name != endOfBatch
}

// own opens the statements of the core and of the packages below internal/db.
func own(c Conn) *dbsqlc.Queries { return dbsqlc.New(c) }
