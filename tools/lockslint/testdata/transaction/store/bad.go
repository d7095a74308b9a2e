package store

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"example.com/shop/keys"
)

func Outside(ctx context.Context, url string) {
	conn, _ := pgx.Connect(ctx, url)
	_, _ = conn.Exec(ctx, take, keys.Order(1, 2)) // want `a transaction lock outside of a transaction is let go of at once`
}

func Pool(ctx context.Context, pool *pgxpool.Pool) {
	_, _ = pool.Exec(ctx, "BEGIN")
	_, _ = pool.Exec(ctx, take, keys.Order(1, 2)) // want `a transaction lock on a pool is let go of at once`
}

func Batch(ctx context.Context, pool *pgxpool.Pool) {
	conn, _ := pool.Acquire(ctx)
	b := new(pgx.Batch)
	b.Queue(take, keys.Order(1, 2)) // want `a transaction lock outside of a transaction`
	_ = conn.SendBatch(ctx, b)
}

func CallerOutside(ctx context.Context, url string) {
	conn, _ := pgx.Connect(ctx, url)
	_ = lock(ctx, conn, keys.Order(1, 2)) // want `a transaction lock outside of a transaction`
}

func Second(ctx context.Context, tx pgx.Tx) {
	_, _ = tx.Exec(ctx, take, keys.Order(1, 2))
	_, _ = tx.Exec(ctx, take, keys.Order(1, 1)) // want `the transaction already took locks on line 35`
}

func SecondByFunction(ctx context.Context, tx pgx.Tx, also bool) {
	_ = lock(ctx, tx, keys.Order(1, 2))
	if also {
		_ = lock(ctx, tx, keys.Order(1, 1)) // want `the transaction already took locks on line 40`
	}
}

func SecondBatch(ctx context.Context, tx pgx.Tx) {
	b := new(pgx.Batch)
	b.Queue(take, keys.Order(1, 2))
	b.Queue(take, keys.Order(1, 1)) // want `the transaction already took locks on line 48`
	_ = tx.SendBatch(ctx, b)
}
