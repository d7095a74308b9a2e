package preflight

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/db/internal/dbsqlc"
)

// MigrateNext tries once to apply the migration that comes next to the database at url, and returns its version. It
// returns goose.ErrNoNextVersion if there is none.
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
	lines := make([]string, len(rows))
	for i, r := range rows {
		lines[i] = r.Found
	}
	slices.Sort(lines)
	return lines, err
}
