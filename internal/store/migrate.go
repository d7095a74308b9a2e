package store

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // goose works on database/sql
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"holdfast/migrations"
)

// Migrate brings the database at url to the newest schema. Several instances may call it at once: goose's
// session lock (listed in docs/locks-registry.md) lets one migrate while the others wait, up to five minutes.
//
// It needs a connection that is not behind a transaction pooler. It first makes those of Preflight's checks that need no
// tables, and changes nothing if one fails.
func Migrate(ctx context.Context, url string, log *slog.Logger) error {
	if err := checkBeforeMigration(ctx, url); err != nil {
		return err
	}
	db, err := sql.Open("pgx", url)
	if err != nil {
		return fmt.Errorf("open the database to migrate it: %w", err)
	}
	defer func() { _ = db.Close() }()
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 300), lock.WithUnlockTimeout(1, 10))
	if err != nil {
		return fmt.Errorf("make the migration lock: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, migrations.FS, goose.WithSessionLocker(locker))
	if err != nil {
		return fmt.Errorf("read the migrations: %w", err)
	}
	started := time.Now()
	results, err := provider.Up(ctx)
	if err != nil {
		return fmt.Errorf("migrate the database: %w", err)
	}
	if len(results) > 0 && log != nil {
		log.Info("migrated the database", "migrations", len(results), "duration", time.Since(started))
	}
	return nil
}
