// Package store takes the locks.
package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"example.com/shop/keys"
)

const take = "SELECT pg_advisory_xact_lock($1)"

// Pay takes the lock of an order, by a name and by a listed number.
func Pay(ctx context.Context, conn *pgx.Conn, shop, order int64) error {
	tx, err := conn.Begin(ctx)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, take, keys.Order(shop, order))
	return err
}
