package shop

import (
	"context"
	"database/sql"
)

func PayOutside(ctx context.Context, db *sql.DB) {
	_, _ = db.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", Order(1, 2)) // want `a transaction lock on a pool`
}

func PayTwice(ctx context.Context, tx *sql.Tx) {
	for _, order := range []int64{1, 2} {
		_, _ = tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", Order(1, order))
	}
	_, _ = tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", Order(1, 3)) // want `the transaction already took locks`
}

func SweepPool(ctx context.Context, db *sql.DB) {
	_, _ = db.ExecContext(ctx, "SELECT pg_advisory_lock($1)", SweepAll) // want `a session lock on a pool`
}

func SweepLeaking(ctx context.Context, db *sql.DB) {
	conn, _ := db.Conn(ctx)
	defer conn.Close()
	_, _ = conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", SweepAll) // want `the session lock is not let go of`
}
