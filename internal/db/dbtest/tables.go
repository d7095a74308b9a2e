package dbtest

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Tables returns a digest of all that a database holds, one line a table. sql connects as the database's owner.
func Tables(ctx context.Context, sql *pgxpool.Pool) (digest string, err error) {
	tx, err := sql.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return "", err
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	rows, err := tx.Query(ctx, `SELECT relname FROM pg_class
		WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace ORDER BY relname`)
	if err != nil {
		return "", err
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, name := range names {
		var line string
		err := tx.QueryRow(ctx,
			"SELECT count(*) || ' ' || coalesce(md5(string_agg(x::text, '|' ORDER BY x::text)), '') FROM "+
				pgx.Identifier{name}.Sanitize()+" x").Scan(&line)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%s %s\n", name, line)
	}
	return b.String(), nil
}
