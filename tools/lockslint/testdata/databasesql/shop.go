// Package shop keeps everything in one place.
package shop

import (
	"context"
	"database/sql"
	"fmt"
	"hash/fnv"
)

// Numbers of session locks.
const (
	Sweep    int64 = 4711
	SweepAll int64 = 4712
)

// Order names the lock of an order.
func Order(shop, order int64) int64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d:order:%d", shop, order)
	return int64(h.Sum64())
}

// Pay pays an order.
func Pay(ctx context.Context, db *sql.DB, shop, order int64) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", Order(shop, order)); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE orders SET paid = true WHERE id = $1", order); err != nil {
		return err
	}
	return tx.Commit()
}

// SweepOnce sweeps unless another process does.
func SweepOnce(ctx context.Context, db *sql.DB) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	var locked bool
	if err := conn.QueryRowContext(ctx, "SELECT pg_try_advisory_lock($1)", Sweep).Scan(&locked); err != nil || !locked {
		return err
	}
	defer conn.ExecContext(ctx, "SELECT pg_advisory_unlock($1)", Sweep)
	return nil
}
