package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/postgres"
	"holdfast/internal/store"
)

// eventDatabase is the embedded database as it is shipped, with Holdfast's tables.
type eventDatabase struct {
	dir        string
	server     *postgres.Server
	conn       *pgx.Conn // as the superuser
	postmaster int
	versions   versions
}

func startEventDatabase(ctx context.Context) (_ *eventDatabase, err error) {
	d := new(eventDatabase)
	defer func() {
		if err != nil {
			d.stop()
		}
	}()
	if d.dir, err = os.MkdirTemp("", "hfbench"); err != nil {
		return nil, fmt.Errorf("make a directory: %w", err)
	}
	if err := os.Chmod(d.dir, 0o711); err != nil { // the database's user has to pass through
		return nil, fmt.Errorf("make a directory: %w", err)
	}
	if d.server, err = postgres.Start(ctx, postgres.Config{Dir: filepath.Join(d.dir, "db"), Logger: slog.New(slog.DiscardHandler), Install: true}); err != nil {
		return nil, err
	}
	if d.conn, err = pgx.Connect(ctx, d.server.URL()); err != nil {
		return nil, fmt.Errorf("connect to the database: %w", err)
	}
	var backend int
	if err := d.conn.QueryRow(ctx, "SELECT pg_backend_pid(), current_setting('server_version')").Scan(&backend, &d.versions.postgres); err != nil {
		return nil, fmt.Errorf("ask the database: %w", err)
	}
	if s, err := readStat(backend); err == nil {
		d.postmaster = s.parent
	}
	if err := store.Migrate(ctx, d.server.URL(), nil); err != nil {
		return nil, err
	}
	return d, nil
}

// exec runs statements as the superuser, one by one.
func (d *eventDatabase) exec(ctx context.Context, statements ...string) error {
	for _, sql := range statements {
		if _, err := d.conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("run %q: %w", sql, err)
		}
	}
	return nil
}

// stop ends everything that startEventDatabase has started.
func (d *eventDatabase) stop() {
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
