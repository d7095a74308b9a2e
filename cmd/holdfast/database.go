package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"holdfast/internal/cell"
	"holdfast/internal/db/preflight"
	"holdfast/internal/postgres"
)

// database is where the server's data is: a server of the operator's, or the embedded one.
type database struct {
	url, direct string
	standby     string // empty for none
	embedded    *postgres.Server
	log         *slog.Logger
}

// openDatabase starts the embedded database unless one is configured. Only the demo may install PostgreSQL.
func openDatabase(ctx context.Context, c *Config, log *slog.Logger) (*database, error) {
	if c.DatabaseURL != "" {
		return &database{url: c.DatabaseURL, direct: cmp.Or(c.DirectDatabaseURL, c.DatabaseURL), standby: c.StandbyURL,
			log: log}, nil
	}
	server, err := postgres.Start(ctx, postgres.Config{Dir: c.DataDir, Logger: log, Install: c.Demo})
	if err != nil {
		return nil, err
	}
	return &database{url: server.URL(), direct: server.URL(), embedded: server, log: log}, nil
}

// openDatabases returns the cells that the server works for: those of HOLDFAST_CELLS, or one without a name in the
// configured or the embedded database.
func openDatabases(ctx context.Context, c *Config, log *slog.Logger) (*database, []cell.Spec, error) {
	if c.Cells == "" {
		local, err := openDatabase(ctx, c, log)
		if err != nil {
			return nil, nil, err
		}
		return local, []cell.Spec{{DatabaseURL: local.url, DirectDatabaseURL: local.direct, StandbyURL: local.standby}},
			nil
	}
	specs, err := c.cellSpecs()
	return &database{log: log}, specs, err
}

// cellSpecs reads the cells of HOLDFAST_CELLS.
func (c *Config) cellSpecs() ([]cell.Spec, error) {
	if c.DatabaseURL != "" || c.DirectDatabaseURL != "" || c.StandbyURL != "" {
		return nil, unusableError{errors.New("HOLDFAST_CELLS names the databases: unset HOLDFAST_DATABASE_URL, " +
			"HOLDFAST_DIRECT_DATABASE_URL and HOLDFAST_STANDBY_URL")}
	}
	specs, err := cell.ReadSpecs(c.Cells)
	if err != nil {
		return nil, unusableError{fmt.Errorf("HOLDFAST_CELLS: %w", err)}
	}
	return specs, nil
}

// oneCell returns the database of the cell that a command is about.
func (c *Config) oneCell(log *slog.Logger) (*database, error) {
	specs, err := c.cellSpecs()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, s := range specs {
		if s.Name == c.Cell {
			return &database{url: s.DatabaseURL, direct: s.DirectDatabaseURL, standby: s.StandbyURL, log: log}, nil
		}
		names = append(names, s.Name)
	}
	err = fmt.Errorf("name a cell with --cell or HOLDFAST_CELL: %s", strings.Join(names, ", "))
	if c.Cell != "" {
		err = fmt.Errorf("there is no cell %s: %w", c.Cell, err)
	}
	return nil, unusableError{err}
}

// connectOrStart is openDatabase for a command that may run beside a server: it uses the database of the server
// that runs in the data directory.
func connectOrStart(ctx context.Context, c *Config, log *slog.Logger) (*database, error) {
	if c.Cells != "" {
		return c.oneCell(log)
	}
	if c.DatabaseURL == "" {
		if url, ok := postgres.Running(c.DataDir); ok {
			return &database{url: url, direct: url, log: log}, nil
		}
	}
	return openDatabase(ctx, c, log)
}

// connectExisting is connectOrStart for a command that is of no use without data: it makes no database.
func connectExisting(ctx context.Context, c *Config, log *slog.Logger) (*database, error) {
	if c.Cells == "" && c.DatabaseURL == "" && !postgres.Exists(c.DataDir) {
		return nil, fmt.Errorf("there is no database in %s: name its directory with HOLDFAST_DATA_DIR, or set HOLDFAST_DATABASE_URL",
			c.DataDir)
	}
	return connectOrStart(ctx, c, log)
}

// close stops the embedded database.
func (d *database) close() {
	if d.embedded == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := d.embedded.Stop(ctx); err != nil {
		d.log.Error("stop the database", "error", err)
	}
}

type migrateCmd struct{}

// Run migrates the database.
func (migrateCmd) Run(ctx context.Context, c *Config) error {
	log := c.logger()
	d, err := connectOrStart(ctx, c, log)
	if err != nil {
		return err
	}
	defer d.close()
	if err := preflight.Migrate(ctx, d.direct, log); err != nil {
		return err
	}
	_, err = fmt.Println("The database is up to date.")
	return err
}
