// Package store takes the locks.
package store

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"example.com/shop/keys"
)

const (
	take    = "SELECT pg_advisory_lock($1)"
	try     = "SELECT pg_try_advisory_lock($1)"
	release = "SELECT pg_advisory_unlock($1)"
)

func deferred(ctx context.Context, url string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, take, keys.Sweep); err != nil {
		return err
	}
	defer func() { _, _ = conn.Exec(context.WithoutCancel(ctx), release, keys.Sweep) }()
	return nil
}

func closed(ctx context.Context, url string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	_, err = conn.Exec(ctx, take, keys.Sweep)
	return err
}

func tried(ctx context.Context, conn *pgx.Conn) (bool, error) {
	var locked bool
	if err := conn.QueryRow(ctx, try, keys.Try).Scan(&locked); err != nil || !locked {
		return false, err
	}
	defer unlock(ctx, conn)
	return true, nil
}

func unlock(ctx context.Context, conn *pgx.Conn) { _, _ = conn.Exec(ctx, release, keys.Try) }

// Sweeper holds its lock between two methods.
type Sweeper struct{ conn *pgx.Conn }

func (s *Sweeper) lock(ctx context.Context) { _ = s.conn.QueryRow(ctx, try, keys.Try) }

func (s *Sweeper) unlock(ctx context.Context) { _, _ = s.conn.Exec(ctx, release, keys.Try) }

func (s *Sweeper) run(ctx context.Context) {
	s.lock(ctx)
	defer s.unlock(ctx)
}

// lend takes the lock on a connection that its caller lent it; the caller ends it.
func lend(ctx context.Context, conn *pgx.Conn) {
	_, _ = conn.Exec(ctx, take, keys.Sweep)
}

func caller(ctx context.Context, url string) {
	conn, _ := pgx.Connect(ctx, url)
	defer conn.Close(ctx)
	lend(ctx, conn)
}

func acquire(ctx context.Context, conn *pgx.Conn) (func(), error) {
	_, err := conn.Exec(ctx, take, keys.Sweep)
	return func() { _, _ = conn.Exec(ctx, release, keys.Sweep) }, err
}

func callerOfFunction(ctx context.Context, url string) error {
	conn, _ := pgx.Connect(ctx, url)
	done, err := acquire(ctx, conn)
	if err != nil {
		return err
	}
	defer done()
	return nil
}

func withConn(ctx context.Context, url string, use func(conn *pgx.Conn)) {
	conn, _ := pgx.Connect(ctx, url)
	defer conn.Close(ctx)
	use(conn)
}

func lentToClosure(ctx context.Context, url string) {
	withConn(ctx, url, func(conn *pgx.Conn) {
		lend(ctx, conn)
	})
}

func hijacked(ctx context.Context, pool *pgxpool.Pool) error {
	c, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	conn := c.Hijack()
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, take, keys.Sweep)
	return err
}
