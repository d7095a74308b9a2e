// Package store takes the locks.
package store

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Good takes locks in statements of their own.
func Good(ctx context.Context, tx pgx.Tx, which int) {
	switch which {
	case 1:
		_, _ = tx.Exec(ctx, "SELECT pg_catalog.pg_advisory_xact_lock($1::bigint)")
	case 2:
		_, _ = tx.Exec(ctx, "select pg_advisory_xact_lock(@key) as locked;")
	case 3:
		_, _ = tx.Exec(ctx, `
			-- the read comes after it
			SELECT pg_advisory_xact_lock($1);
			SELECT free FROM days WHERE day = $1`)
	}
}

// Bad shares the statement.
func Bad(ctx context.Context, tx pgx.Tx, which int) {
	switch which {
	case 1:
		_, _ = tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1), free FROM days") // want `pg_advisory_xact_lock shares its statement with something else`
	case 2:
		_, _ = tx.Exec(ctx, "WITH l AS (SELECT pg_advisory_xact_lock($1)) SELECT free FROM days, l") // want `shares its statement`
	case 3:
		_, _ = tx.Exec(ctx, "SELECT pg_advisory_xact_lock(k) FROM unnest($1::bigint[]) AS k") // want `shares its statement`
	case 4:
		_, _ = tx.Exec(ctx, "SELECT free FROM days WHERE pg_try_advisory_xact_lock(id)") // want `pg_try_advisory_xact_lock shares its statement`
	case 5:
		_, _ = tx.Exec(ctx, "SELECT pg_advisory_xact_lock((SELECT id FROM days))") // want `shares its statement`
	case 6:
		_, _ = tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1), pg_advisory_xact_lock($2)") // want `shares its statement`
	case 7:
		_, _ = tx.Exec(ctx, "SELECT book($1, pg_advisory_xact_lock($2))") // want `shares its statement`
	}
}
