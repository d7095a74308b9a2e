package preflight

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"holdfast/internal/db"
	"holdfast/internal/db/internal/core"
	"holdfast/migrations"
)

// Address names the database of a URL, and its schema, without the user and the password.
func Address(url string) string {
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		return "?"
	}
	text := fmt.Sprintf("%s:%d/%s", cfg.Host, cfg.Port, cfg.Database)
	if schema := cfg.RuntimeParams["search_path"]; schema != "" {
		text += "?search_path=" + schema
	}
	return text
}

// Identity identifies a database and its schema, by whatever address they are reached. It changes when the database's
// server is restarted. Errors: problem.DatabaseUnavailable.
func Identity(ctx context.Context, d *db.DB) (string, error) {
	f, err := core.Of(d.Core()).Queries().MoveFacts(ctx)
	if err != nil {
		return "", core.Unavailable(fmt.Errorf("look where the database is: %w", err))
	}
	return fmt.Sprintf("%d %q %q", f.ServerStarted.UnixMicro(), f.Database, f.Schema), nil
}

// Version returns the version of the last migration of a database. Errors: problem.DatabaseUnavailable.
func Version(ctx context.Context, d *db.DB) (version int64, err error) {
	_, direct := core.Of(d.Core()).ConnConfigs()
	conns := stdlib.OpenDB(*direct)
	defer func() { _ = conns.Close() }()
	provider, err := goose.NewProvider(goose.DialectPostgres, conns, migrations.FS)
	if err == nil {
		version, err = provider.GetDBVersion(ctx)
	}
	if err != nil {
		return 0, core.Unavailable(fmt.Errorf("read the schema version: %w", err))
	}
	return version, nil
}
