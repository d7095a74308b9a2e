package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"holdfast/internal/store/internal/core"
	"holdfast/migrations"
)

// A migration that changes a busy table gives up after a lock_timeout that its file sets, so that requests don't wait behind it for as
// long as another transaction uses the table. It is tried again, for some five minutes.
const (
	migrationTries = 100
	migrationPause = 2 * time.Second
)

// Migrate brings the database at url to the newest schema. Several instances may call it at once: goose's
// session lock (listed in docs/locks-registry.md) lets one migrate while the others wait, up to five minutes.
//
// A schema that search_path of the URL names first, and that isn't there, is made. It needs a connection that is not behind a transaction
// pooler. It first makes those of Preflight's checks that need no tables, and changes nothing if one fails. Last it mends the feed of a
// database that was restored from another cluster.
func Migrate(ctx context.Context, url string, log *slog.Logger) error {
	if err := checkBeforeMigration(ctx, url); err != nil {
		return err
	}
	if err := createSchema(ctx, url); err != nil {
		return err
	}
	cfg, err := core.ParseConfig(url)
	if err != nil {
		return fmt.Errorf("read the database URL: %w", err)
	}
	db := stdlib.OpenDB(*cfg)
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
	migrated := 0
	for tries := 1; ; tries++ {
		results, err := provider.Up(ctx)
		migrated += len(results)
		if err == nil {
			break
		}
		var partial *goose.PartialError
		if errors.As(err, &partial) {
			migrated += len(partial.Applied)
		}
		inUse := core.StateOf(err) == core.LockNotAvailable || core.StateOf(err) == core.DeadlockDetected
		if !inUse || tries == migrationTries {
			return fmt.Errorf("migrate the database: %w", err)
		}
		if log != nil {
			log.Warn("a table to be migrated is in use; trying again", "tries", tries, "error", err)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("migrate the database: %w", ctx.Err())
		case <-time.After(migrationPause):
		}
	}
	if migrated > 0 && log != nil {
		log.Info("migrated the database", "migrations", migrated, "duration", time.Since(started))
	}
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return fmt.Errorf("connect to check the feed: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	return core.MendFeed(ctx, conn, log)
}
