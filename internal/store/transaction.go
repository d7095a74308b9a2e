package store

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"holdfast/internal/lock"
	"holdfast/internal/problem"
	"holdfast/internal/store/internal/dbsqlc"
)

// Explicit, so that a database whose default is another level can't weaken the locks: under REPEATABLE READ the
// snapshot of the first statement, older than the lock, would serve the reads that the lock protects.
const (
	beginWrite = "begin isolation level read committed read write"
	beginRead  = "begin isolation level read committed read only"
)

// transaction is one database transaction of two flights.
type transaction struct {
	tenant uuid.UUID  // whom row-level security confines it to
	kind   string     // of its locks, for metrics
	keys   []lock.Key // of its locks, which are waited for; nil if it has none or depart tells them
	asked  time.Time  // since when the locks are waited for; zero begins now
	// turn waits until the transaction may go to the database, and returns what lets the next one go; nil waits for keys.
	turn func(ctx context.Context) (leave func(), err error)
	// depart is asked once there is a connection; nil takes keys, and waits for them as long as patience says.
	depart func() (departure, error)

	// read adds what the first flight reads once the locks are held.
	read func(f *flight)
	// write decides, from what was read, what the second flight writes. An error, or no statement, rolls back.
	write func(f *flight) error
	// now is the time of the read flight's last clock, zero without one. It tells how long the locks took.
	now func() time.Time
}

// departure is what a transaction knows of its locks when it sets out.
type departure struct {
	keys    []lock.Key // in the order in which they are taken
	until   time.Time  // how long locks, those of rows too, are waited for
	granted []bool     // for each key, once the first flight is back, whether it is held; nil waits for all
}

// run runs the transaction once. Errors are as they came; see retry and refused.
func (s *Store) run(ctx context.Context, t transaction) error {
	if t.asked.IsZero() {
		t.asked = time.Now()
	}
	leave, err := s.waitInProcess(ctx, t)
	if err != nil {
		return err
	}
	conn, err := s.acquire(ctx)
	if err != nil {
		leave()
		return err
	}
	queued := time.Since(t.asked)
	ended := false
	defer func() {
		if !ended { // a panic must not keep the locks, the connection or the turns in the queue
			s.rollBack(conn, leave)
		}
	}()
	wait := s.lockTimeout
	d := departure{keys: t.keys}
	if t.kind != "" {
		// What was spent waiting in the process is not to be had again in PostgreSQL.
		d.until = s.patience(ctx, t.asked)
		if t.depart != nil {
			if d, err = t.depart(); err != nil {
				return err
			}
		}
		wait = max(time.Until(d.until), 50*time.Millisecond)
	}

	// From here on the client's going away must not cut a transaction in the middle: pgx would close the
	// connection, and the outcome of a commit would be unknown.
	limit := wait*time.Duration(max(len(d.keys), 1)) + statementTimeout
	work, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()

	var began dbsqlc.SessionBeginRow
	first := new(flight)
	begin(work, first, beginWrite, t.tenant, wait, &began)
	if d.granted == nil {
		for _, k := range d.keys {
			exec(first, "lock "+t.kind, func(q *dbsqlc.Queries) error { return q.SessionLock(work, k.ID()) })
		}
	} else {
		for i, k := range d.keys {
			one(first, "try the lock", &d.granted[i], new(bool), func(q *dbsqlc.Queries) (bool, error) { return q.SessionTryLock(work, k.ID()) })
		}
	}
	t.read(first)
	if err := first.send(work, conn); err != nil {
		if len(t.keys) > 0 && sqlState(err) == sqlLockNotAvailable {
			s.metrics.lockTimeouts.WithLabelValues(t.kind).Inc()
		}
		ended = true
		return s.giveUp(conn, leave, err, false)
	}
	if t.kind != "" {
		locked := time.Now()
		s.metrics.waited(t.kind, queued+max(t.now().Sub(began.Now), 0))
		defer func() { s.metrics.held(t.kind, time.Since(locked)) }()
	}

	second := new(flight)
	if err := t.write(second); err != nil || len(second.steps) == 0 {
		return err // and roll back
	}
	second.addSQL("commit")
	err = second.send(work, conn)
	ended = true
	if err != nil {
		return s.giveUp(conn, leave, err, true)
	}
	conn.Release()
	leave()
	return nil
}

// begin adds what every transaction starts with.
func begin(ctx context.Context, f *flight, sql string, tenant uuid.UUID, lockWait time.Duration, row *dbsqlc.SessionBeginRow) {
	f.addSQL(sql)
	var found bool
	one(f, "settings", row, &found, func(q *dbsqlc.Queries) (dbsqlc.SessionBeginRow, error) {
		return q.SessionBegin(ctx, dbsqlc.SessionBeginParams{
			TenantID:         tenant.String(),
			LockTimeout:      milliseconds(lockWait),
			StatementTimeout: milliseconds(lockWait + statementTimeout),
			IdleTimeout:      milliseconds(idleTimeout),
		})
	})
}

// patience is when a request that began to wait at asked has waited long enough: after the lock timeout, or when its
// client has.
func (s *Store) patience(ctx context.Context, asked time.Time) time.Time {
	until := asked.Add(s.lockTimeout)
	if deadline, ok := ctx.Deadline(); ok && deadline.Before(until) {
		return deadline
	}
	return until
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(max(d.Milliseconds(), 1), 10) }

// waitInProcess waits for this process's turn at the transaction's locks. It returns problem.LockTimeout when
// the lock timeout ends first, and the context's error when the client gave up.
func (s *Store) waitInProcess(ctx context.Context, t transaction) (leave func(), err error) {
	switch {
	case t.turn != nil:
		return t.turn(ctx)
	case len(t.keys) == 0:
		return func() {}, nil
	}
	limited, cancel := context.WithDeadline(ctx, t.asked.Add(s.lockTimeout))
	defer cancel()
	leave, err = s.queue.enter(limited, ids(t.keys)...)
	switch {
	case err == nil:
		return leave, nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("wait for the %s lock: %w", t.kind, ctx.Err())
	}
	s.metrics.lockTimeouts.WithLabelValues(t.kind).Inc()
	return nil, lockTimeout(err)
}

// ids are what the locks are queued for by: two names that collide are one lock.
func ids(keys []lock.Key) []int64 {
	list := make([]int64, len(keys))
	for i, k := range keys {
		list[i] = k.ID()
	}
	return list
}

func (s *Store) acquire(ctx context.Context) (*pgxpool.Conn, error) {
	limited, cancel := context.WithTimeout(ctx, acquireTimeout)
	defer cancel()
	conn, err := s.pool.Acquire(limited)
	switch {
	case err == nil:
		return conn, nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("wait for a connection: %w", ctx.Err())
	}
	return nil, unavailable(fmt.Errorf("wait for a connection: %w", err))
}

// giveUp ends a transaction whose flight failed and returns the error, as a lostError when the connection is
// gone.
func (s *Store) giveUp(conn *pgxpool.Conn, leave func(), err error, committing bool) error {
	if conn.Conn().IsClosed() {
		conn.Release()
		leave()
		return &lostError{err: err, committing: committing}
	}
	if s.prepared.misplaced(err) {
		s.pool.Reset() // connections that prepare statements are replaced as they come back
	}
	s.rollBack(conn, leave)
	return err
}

// rollBack ends a transaction that wrote nothing without making its caller wait for it: the answer is known.
func (s *Store) rollBack(conn *pgxpool.Conn, leave func()) {
	s.background.Go(func() {
		defer leave()
		defer conn.Release() // closes the connection if it is still in a transaction
		ctx, cancel := context.WithTimeout(context.Background(), finishTimeout)
		defer cancel()
		if _, err := conn.Exec(ctx, "rollback"); err != nil {
			s.log.Warn("roll back", "error", err)
		}
	})
}

// maxAttempts bounds how often a transaction is run for one call.
const maxAttempts = 4

// retry runs once until it succeeds, is refused, or has had its attempts. A transaction whose commit was cut
// off is run again only if it is resumable: if it first reads, under its lock or behind the unique key of its
// answer, whether it already happened. What can't be learnt is reported as problem.OutcomeUnknown.
func (s *Store) retry(ctx context.Context, doing string, resumable bool, once func() error) error {
	unknown := false
	for attempt := 1; ; attempt++ {
		err := once()
		var lost *lostError
		isLost := errors.As(err, &lost)
		unknown = unknown || isLost && lost.committing
		again := isLost && (!lost.committing || resumable) || raced(err)
		if !again || attempt == maxAttempts || ctx.Err() != nil {
			return s.verdict(doing, err, unknown)
		}
		s.metrics.retries.Inc()
		if isLost && attempt > 1 {
			s.pool.Reset() // whatever ended this connection has likely ended the others
		}
		pause := time.NewTimer(time.Duration(attempt*attempt) * 5 * time.Millisecond)
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
		}
	}
}

// verdict says what the last attempt's error means for the caller.
func (s *Store) verdict(doing string, err error, unknown bool) error {
	if err == nil {
		return nil
	}
	err = refused(doing, err)
	if !unknown || !problem.Is(err, problem.DatabaseUnavailable) && !problem.Is(err, problem.LockTimeout) && !errors.Is(err, context.Canceled) {
		return err
	}
	s.metrics.unknown.Inc()
	return problem.Wrap(err, problem.OutcomeUnknown,
		"The database was lost while the change was committed, so it may or may not have happened. "+
			"Repeat the request with the same Idempotency-Key to learn which.").Retry(time.Second)
}

// raced reports whether err says that another transaction was first in a way that a new attempt will see.
func raced(err error) bool {
	switch sqlState(err) {
	case sqlSerializationFailure, sqlDeadlockDetected, sqlCachedPlanChanged, sqlNoSuchStatement, sqlStatementExists:
		return true
	}
	// The same key was used at the same time; or the customer was made at the same time by another booking.
	for _, step := range []string{stepPutAnswer, stepClaimKey, stepHearEvent, stepInsertBooking} {
		if failedAt(err, step, sqlUniqueViolation) {
			return true
		}
	}
	return failedAt(err, stepInsertBooking, sqlForeignKeyViolation)
}

// readOnly runs the queries that add puts in the flight as one transaction of a tenant, in one round trip.
func (s *Store) readOnly(ctx context.Context, doing string, tenant uuid.UUID, add func(ctx context.Context, f *flight)) error {
	return s.readBatch(ctx, doing, func(ctx context.Context, f *flight) {
		begin(ctx, f, beginRead, tenant, s.lockTimeout, new(dbsqlc.SessionBeginRow))
		add(ctx, f)
	})
}

// readBatch sends one batch that begins a read-only transaction, reads, and is committed. After a panic the connection goes
// back to the pool.
func (s *Store) readBatch(ctx context.Context, doing string, fill func(ctx context.Context, f *flight)) error {
	return s.retry(ctx, doing, true, func() error {
		conn, err := s.acquire(ctx)
		if err != nil {
			return err
		}
		ended := false
		defer func() {
			if !ended {
				s.rollBack(conn, func() {})
			}
		}()
		work, cancel := context.WithTimeout(context.WithoutCancel(ctx), statementTimeout)
		defer cancel()
		f := new(flight)
		fill(work, f)
		f.addSQL("commit")
		err = f.send(work, conn)
		ended = true
		if err != nil {
			return s.giveUp(conn, func() {}, err, false)
		}
		conn.Release()
		return nil
	})
}
