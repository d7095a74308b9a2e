package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/db/preflight"
	"holdfast/internal/postgres"
)

// database is a PostgreSQL with Holdfast's tables.
type database struct {
	url         string
	conn        *pgx.Conn // as the superuser
	postmaster  int
	version     string
	pgbenchPath string           // "" if there is none
	dir         string           // of the server; "" if it isn't ours
	server      *postgres.Server // nil if it isn't ours
}

// startDatabase starts an empty database as holdfast serve makes it, but for the settings.
func startDatabase(ctx context.Context, settings map[string]string) (_ *database, err error) {
	d := new(database)
	defer func() {
		if err != nil {
			d.stop()
		}
	}()
	if d.dir, err = newDir(); err != nil {
		return nil, err
	}
	if d.server, err = startPostgres(ctx, filepath.Join(d.dir, "db"), settings); err != nil {
		return nil, err
	}
	if err := d.connect(ctx, d.server.URL()); err != nil {
		return nil, err
	}
	if err := preflight.Migrate(ctx, d.url, nil); err != nil {
		return nil, err
	}
	return d, nil
}

// startPostgres starts a PostgreSQL in a directory, for the first time or again.
func startPostgres(ctx context.Context, dir string, settings map[string]string) (*postgres.Server, error) {
	return postgres.Start(ctx,
		postgres.Config{Dir: dir, Logger: slog.New(slog.DiscardHandler), Install: true, Settings: settings})
}

// newDir makes a directory that the database's user can pass through.
func newDir() (string, error) {
	dir, err := os.MkdirTemp("", "hfbench")
	if err == nil {
		err = os.Chmod(dir, 0o711)
	}
	if err != nil {
		return dir, fmt.Errorf("make a directory: %w", err)
	}
	return dir, nil
}

// connect connects to a database that is running.
func (d *database) connect(ctx context.Context, url string) (err error) {
	d.url = url
	if d.conn, err = pgx.Connect(ctx, url); err != nil {
		return fmt.Errorf("connect to the database: %w", err)
	}
	var backend int
	var binDir string
	if err := d.conn.QueryRow(ctx,
		"SELECT pg_backend_pid(), current_setting('server_version'), (SELECT setting FROM pg_config WHERE name = 'BINDIR')").
		Scan(&backend, &d.version, &binDir); err != nil {
		return fmt.Errorf("ask the database: %w", err)
	}
	if s, err := readStat(backend); err == nil {
		d.postmaster = s.parent
	}
	d.pgbenchPath = findPgbench(binDir)
	return nil
}

// create makes another database in the same cluster and returns its URL.
func (d *database) create(ctx context.Context, name string) (string, error) {
	if err := d.exec(ctx, "DROP DATABASE IF EXISTS "+name, "CREATE DATABASE "+name); err != nil {
		return "", err
	}
	u, err := url.Parse(d.url)
	if err != nil {
		return "", fmt.Errorf("parse the database's URL: %w", err)
	}
	u.Path = "/" + name
	return u.String(), nil
}

// exec runs statements as the superuser, one by one.
func (d *database) exec(ctx context.Context, statements ...string) error {
	for _, sql := range statements {
		if _, err := d.conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("run %q: %w", sql, err)
		}
	}
	return nil
}

// tidy does what autovacuum has done in a database that is in use.
func (d *database) tidy(ctx context.Context) error {
	return d.exec(ctx, "VACUUM ANALYZE", "CHECKPOINT")
}

// stop ends everything that was started.
func (d *database) stop() {
	ctx := context.Background()
	if d.conn != nil {
		_ = d.conn.Close(ctx)
	}
	if d.server != nil {
		_ = d.server.Stop(ctx)
	}
	if d.dir != "" {
		_ = os.RemoveAll(d.dir)
	}
}
