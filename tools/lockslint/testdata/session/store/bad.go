package store

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"example.com/shop/keys"
)

func leaked(ctx context.Context, url string) {
	conn, _ := pgx.Connect(ctx, url)
	_, _ = conn.Exec(ctx, take, keys.Sweep) // want `the session lock is not let go of when the function ends early`
	_, _ = conn.Exec(ctx, release, keys.Sweep)
}

func pooledConn(ctx context.Context, pool *pgxpool.Pool) {
	conn, _ := pool.Acquire(ctx)
	defer conn.Release()
	_, _ = conn.Exec(ctx, take, keys.Sweep) // want `a session lock on a pooled connection goes back to the pool with it`
	defer func() { _, _ = conn.Exec(ctx, release, keys.Sweep) }()
}

func pooledInner(ctx context.Context, pool *pgxpool.Pool) {
	c, _ := pool.Acquire(ctx)
	conn := c.Conn()
	_, _ = conn.Exec(ctx, take, keys.Sweep) // want `a session lock on a pooled connection`
	defer func() { _, _ = conn.Exec(ctx, release, keys.Sweep) }()
}

func poolItself(ctx context.Context, pool *pgxpool.Pool) {
	_, _ = pool.Exec(ctx, take, keys.Sweep) // want `a session lock on a pool stays on a connection that nobody knows`
	defer func() { _, _ = pool.Exec(ctx, release, keys.Sweep) }()
}

func inTransaction(ctx context.Context, tx pgx.Tx) {
	_, _ = tx.Exec(ctx, take, keys.Sweep) // want `a session lock in a transaction outlives it`
}

func leakedByCaller(ctx context.Context, url string) {
	conn, _ := pgx.Connect(ctx, url)
	lend(ctx, conn) // want `the session lock is not let go of`
}

func withLeakingConn(ctx context.Context, url string, use func(conn *pgx.Conn)) {
	conn, _ := pgx.Connect(ctx, url)
	use(conn)
}

func leakedByClosure(ctx context.Context, url string) {
	withLeakingConn(ctx, url, func(conn *pgx.Conn) {
		lend(ctx, conn) // want `the session lock is not let go of`
	})
}

func wrongConnection(ctx context.Context, url string) {
	first, _ := pgx.Connect(ctx, url)
	second, _ := pgx.Connect(ctx, url)
	defer func() { _, _ = second.Exec(ctx, release, keys.Sweep) }()
	_, _ = first.Exec(ctx, take, keys.Sweep) // want `the session lock is not let go of`
}
