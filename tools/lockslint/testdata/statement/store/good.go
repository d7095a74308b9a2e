// Package store takes the locks.
package store

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"example.com/shop/keys"
)

const take = "SELECT pg_advisory_xact_lock($1)"

// Pay takes the lock of an order.
func Pay(ctx context.Context, tx pgx.Tx, shop, order int64) error {
	// A comment may name pg_advisory_lock.
	_, err := tx.Exec(ctx, take, keys.Order(shop, order))
	return err
}

// Watch reads the locks and takes none.
func Watch(ctx context.Context, conn *pgx.Conn) {
	_, _ = conn.Exec(ctx, "SELECT pid FROM pg_locks WHERE locktype = 'advisory'")
}

// Explain only talks of a function, and is listed for it.
func Explain() error { return errors.New("pg_advisory_xact_lock doesn't exclude here") }
