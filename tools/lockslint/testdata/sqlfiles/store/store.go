// Package store takes the locks.
package store

import (
	"context"
	"database/sql"

	"example.com/shop/keys"
)

const take = "SELECT pg_advisory_xact_lock($1)"

// Pay takes the lock of an order.
func Pay(ctx context.Context, tx *sql.Tx, shop, order int64) error {
	_, err := tx.ExecContext(ctx, take, keys.Order(shop, order))
	return err
}
