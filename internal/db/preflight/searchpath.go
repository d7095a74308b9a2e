package preflight

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
)

// createSchema makes the schema that search_path of a database URL names first, unless it is there. A URL without
// search_path means the schema that is there already, which is public unless somebody has changed it.
func createSchema(ctx context.Context, url string) error {
	cfg, err := core.ParseConfig(url)
	if err != nil {
		return fmt.Errorf("read the database URL: %w", err)
	}
	first, _, _ := strings.Cut(cfg.RuntimeParams["search_path"], ",")
	name := strings.Trim(strings.TrimSpace(first), `"`)
	if name == "" {
		return nil
	}
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return fmt.Errorf("connect to look for the schema: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	found, err := dbsqlc.New(conn).SchemaExists(ctx, name)
	if err != nil || found {
		return err
	}
	// A name can't be a parameter. Of two servers at once, one may find the schema made by the other.
	if _, err := conn.Exec(ctx, "CREATE SCHEMA IF NOT EXISTS "+pgx.Identifier{name}.Sanitize()); err != nil {
		if found, again := dbsqlc.New(conn).SchemaExists(ctx, name); again == nil && found {
			return nil
		}
		return fmt.Errorf("make the schema %s: %w", name, err)
	}
	return nil
}
