package storetest

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Tables returns a digest of all that a database holds, one line a table. sql connects as the database's owner.
func Tables(ctx context.Context, sql *pgxpool.Pool) (digest string, err error) {
	rows, err := sql.Query(ctx, `SELECT relname FROM pg_class
		WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY relname`)
	if err != nil {
		return "", err
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return "", err
	}
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = fmt.Sprintf(
			"(SELECT '%s ' || count(*) || ' ' || coalesce(md5(string_agg(x::text, '|' ORDER BY x::text)), '') FROM %s x)", name,
			pgx.Identifier{name}.Sanitize())
	}
	err = sql.QueryRow(ctx, "SELECT concat_ws(E'\n', "+strings.Join(parts, ",")+")").Scan(&digest)
	return digest, err
}
