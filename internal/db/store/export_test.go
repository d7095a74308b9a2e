package store

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/db/internal/dbsqlc"
)

// MovedTables lists the names of the tables whose rows go with their tenant, in the order in which they are copied.
func MovedTables() []string { return convert(movedTables, func(t movedTable) string { return t.Name }) }

// MigrateNext tries once to apply the migration that comes next to the database at url, and returns its version. It returns
// goose.ErrNoNextVersion if there is none.
func MigrateNext(ctx context.Context, url string, lockTimeout time.Duration) (version int64, err error) {
	provider, err := migrationProvider(url, lockTimeout)
	if err != nil {
		return 0, err
	}
	defer func() { _ = provider.Close() }()
	result, err := provider.UpByOne(ctx)
	if err != nil {
		return 0, err
	}
	return result.Source.Version, nil
}

// SchemaLines lists what the schema of the database at url consists of, as schema.txt does.
func SchemaLines(ctx context.Context, url string) ([]string, error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	rows, err := dbsqlc.New(conn).SchemaDifferenceList(ctx, nil)
	lines := convert(rows, func(r dbsqlc.SchemaDifferenceListRow) string { return r.Found })
	slices.Sort(lines)
	return lines, err
}
