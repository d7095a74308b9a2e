package preflight

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"regexp"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
	"holdfast/migrations"
)

// A migration waits for a lock no longer than migrationLockTimeout: requests that come after it wait behind it, for as
// long as another transaction uses the table. Then it is tried again, for some five minutes. A file that only does what
// nobody waits behind, such as building an index concurrently, may set another lock_timeout for itself.
const (
	migrationLockTimeout = time.Second
	migrationTries       = 100
	migrationPause       = 2 * time.Second
)

// Migrate brings the database at url to the newest schema. Several instances may call it at once: goose's
// session lock (listed in docs/locks-registry.md) lets one migrate while the others wait, up to five minutes.
//
// A schema that search_path of the URL names first, and that isn't there, is made. It needs a connection that is not
// behind a transaction pooler. It first makes those checks of Check that need no tables, and changes nothing if one
// fails. Last it mends the feed of a database that was restored from another cluster.
func Migrate(ctx context.Context, url string, log *slog.Logger) error {
	if err := checkBeforeMigration(ctx, url); err != nil {
		return err
	}
	if err := createSchema(ctx, url); err != nil {
		return err
	}
	provider, err := migrationProvider(url, migrationLockTimeout)
	if err != nil {
		return err
	}
	defer func() { _ = provider.Close() }()
	started := time.Now()
	migrated := 0
	for tries := 1; ; {
		_, err := provider.UpByOne(ctx)
		if errors.Is(err, goose.ErrNoNextVersion) {
			break
		}
		if err == nil {
			migrated++
			continue
		}
		inUse := core.StateOf(err) == core.LockNotAvailable || core.StateOf(err) == core.DeadlockDetected
		if !inUse || tries == migrationTries {
			return fmt.Errorf("migrate the database: %w", explainDenied(err))
		}
		if log != nil {
			log.Warn("a table to be migrated is in use; trying again", "tries", tries, "error", err)
		}
		tries++
		select {
		case <-ctx.Done():
			return fmt.Errorf("migrate the database: %w", ctx.Err())
		case <-time.After(migrationPause):
		}
	}
	if migrated > 0 && log != nil {
		log.Info("migrated the database", "migrations", migrated, "duration", time.Since(started))
	}
	cfg, err := core.ParseConfig(url)
	if err != nil {
		return fmt.Errorf("read the database URL: %w", err)
	}
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return fmt.Errorf("connect to check the feed: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	return core.MendFeed(ctx, conn, log)
}

// migrationProvider applies the migrations to the database at url, each of them in its own session of the migration
// lock.
func migrationProvider(url string, lockTimeout time.Duration) (*goose.Provider, error) {
	cfg, err := core.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("read the database URL: %w", err)
	}
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 300), lock.WithUnlockTimeout(1, 10))
	if err != nil {
		return nil, fmt.Errorf("make the migration lock: %w", err)
	}
	indexes, err := concurrentIndexes()
	if err != nil {
		return nil, err
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, stdlib.OpenDB(*cfg), migrations.FS,
		goose.WithSessionLocker(migrationLock{SessionLocker: locker, timeout: lockTimeout, indexes: indexes}))
	if err != nil {
		return nil, fmt.Errorf("read the migrations: %w", err)
	}
	return provider, nil
}

var concurrentIndex = regexp.MustCompile(`(?m)^CREATE (?:UNIQUE )?INDEX CONCURRENTLY IF NOT EXISTS (\w+)`)

// concurrentIndexes lists the names of the indexes that migrations build concurrently.
func concurrentIndexes() ([]string, error) {
	files, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil {
		return nil, fmt.Errorf("list the migrations: %w", err)
	}
	var names []string
	for _, file := range files {
		text, err := migrations.FS.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read a migration: %w", err)
		}
		for _, match := range concurrentIndex.FindAllSubmatch(text, -1) {
			names = append(names, string(match[1]))
		}
	}
	return names, nil
}

// migrationVersions lists the versions of the migrations, ascending.
func migrationVersions() ([]int64, error) {
	files, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil {
		return nil, fmt.Errorf("list the migrations: %w", err)
	}
	versions := make([]int64, len(files))
	for i, file := range files {
		if versions[i], err = goose.NumericComponent(file); err != nil {
			return nil, fmt.Errorf("list the migrations: %w", err)
		}
	}
	slices.Sort(versions)
	return versions, nil
}

// migrationLock is goose's lock, which also prepares the connection for the file that comes next: no file has to think
// of it.
type migrationLock struct {
	lock.SessionLocker
	timeout time.Duration
	indexes []string // that migrations build concurrently
}

// SessionLock takes the lock, and bounds how long the connection waits for other locks. It drops the indexes of which a
// build was broken off: PostgreSQL keeps them up to date and never reads them, and IF NOT EXISTS takes them for built.
func (l migrationLock) SessionLock(ctx context.Context, conn *sql.Conn) error {
	if err := l.SessionLocker.SessionLock(ctx, conn); err != nil {
		return err
	}
	err := l.prepare(ctx, conn)
	if err != nil {
		err = errors.Join(err, l.SessionUnlock(context.WithoutCancel(ctx), conn))
	}
	return err
}

func (l migrationLock) prepare(ctx context.Context, conn *sql.Conn) error {
	// To build an index takes as long as it takes: a statement_timeout of the role or the database would end it each
	// time.
	limits := fmt.Sprintf("SET lock_timeout = %d; SET statement_timeout = 0", l.timeout.Milliseconds())
	if _, err := conn.ExecContext(ctx, limits); err != nil {
		return fmt.Errorf("limit the waits of migrations: %w", err)
	}
	return conn.Raw(func(driver any) error {
		pgxConn := driver.(*stdlib.Conn).Conn() //nolint:forcetypeassert // migrationProvider opened it with stdlib
		broken, err := dbsqlc.New(pgxConn).SchemaBrokenIndexList(ctx, l.indexes)
		if err != nil {
			return fmt.Errorf("look for indexes that aren't valid: %w", err)
		}
		for _, name := range broken {
			if _, err := pgxConn.Exec(ctx, "DROP INDEX IF EXISTS "+pgx.Identifier{name}.Sanitize()); err != nil {
				return fmt.Errorf("drop the index %s, whose build was broken off: %w", name, err)
			}
		}
		return nil
	})
}
