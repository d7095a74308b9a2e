// Package store takes the locks.
package store

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"example.com/shop/keys"
)

const take = "SELECT pg_advisory_xact_lock($1)"

func Begun(ctx context.Context, conn *pgx.Conn) error {
	tx, err := conn.Begin(ctx)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, take, keys.Order(1, 2))
	return err
}

func Spelt(ctx context.Context, pool *pgxpool.Pool) error {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	_, _ = conn.Exec(ctx, "BEGIN ISOLATION LEVEL READ COMMITTED")
	_, err = conn.Exec(ctx, take, keys.Order(1, 2))
	return err
}

func Batched(ctx context.Context, pool *pgxpool.Pool) error {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	b := new(pgx.Batch)
	b.Queue("begin")
	b.Queue(take, keys.Order(1, 2))
	return conn.SendBatch(ctx, b).Close()
}

func Sent(ctx context.Context, tx pgx.Tx) error {
	b := &pgx.Batch{}
	b.Queue(take, keys.Order(1, 2))
	return tx.SendBatch(ctx, b).Close()
}

func Func(ctx context.Context, conn *pgx.Conn) error {
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, take, keys.Order(1, 2))
		return err
	})
}

// lock is told where by its caller.
func lock(ctx context.Context, db interface {
	Exec(ctx context.Context, sql string, args ...any) (pgx.CommandTag, error)
}, key int64) error {
	_, err := db.Exec(ctx, take, key)
	return err
}

func Caller(ctx context.Context, conn *pgx.Conn) error {
	tx, err := conn.Begin(ctx)
	if err != nil {
		return err
	}
	return lock(ctx, tx, keys.Order(1, 2))
}

func Branches(ctx context.Context, tx pgx.Tx, one bool) error {
	if one {
		return lock(ctx, tx, keys.Order(1, 1))
	}
	return lock(ctx, tx, keys.Order(1, 2))
}

func Switch(ctx context.Context, tx pgx.Tx, which int) (err error) {
	switch which {
	case 1:
		err = lock(ctx, tx, keys.Order(1, 1))
	case 2:
		err = lock(ctx, tx, keys.Order(1, 2))
	}
	return err
}

// Twice takes one lock in each of two transactions.
func Twice(ctx context.Context, conn *pgx.Conn) {
	tx, _ := conn.Begin(ctx)
	_ = lock(ctx, tx, keys.Order(1, 1))
	_ = tx.Commit(ctx)
	tx, _ = conn.Begin(ctx)
	_ = lock(ctx, tx, keys.Order(1, 2))
}

// Loop takes a sorted list.
func Loop(ctx context.Context, tx pgx.Tx, sorted []int64) {
	for _, k := range sorted {
		_, _ = tx.Exec(ctx, take, k)
	}
}

// Two takes one lock on each of two connections.
func Two(ctx context.Context, a, b pgx.Tx) {
	_ = lock(ctx, a, keys.Order(1, 1))
	_ = lock(ctx, b, keys.Order(1, 2))
}
