package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"holdfast/internal/db/internal/core"
	"holdfast/internal/problem"
	"holdfast/migrations"
)

// Place tells a database and schema from all others, however they are reached. It changes when the database's server is
// restarted. Errors: problem.DatabaseUnavailable.
func (s *Store) Place(ctx context.Context) (string, error) {
	f, err := s.db.Queries().MoveFacts(ctx)
	if err != nil {
		return "", core.Unavailable(fmt.Errorf("look where the database is: %w", err))
	}
	return fmt.Sprintf("%d %q %q", f.ServerStarted.UnixMicro(), f.Database, f.Schema), nil
}

// CompareCells finds out whether tenants can move between two databases. Errors: problem.InvalidState if they have
// different schema versions, or are one database and schema; problem.DatabaseUnavailable.
func CompareCells(ctx context.Context, from, to *Store) error {
	source, err := from.Place(ctx)
	if err != nil {
		return fmt.Errorf("the source: %w", err)
	}
	target, err := to.Place(ctx)
	if err != nil {
		return fmt.Errorf("the target: %w", err)
	}
	if source == target {
		return problem.New(problem.InvalidState, "The source and the target are one database and schema.")
	}
	before, err := from.schemaVersion(ctx)
	if err != nil {
		return err
	}
	after, err := to.schemaVersion(ctx)
	if err == nil && before != after {
		err = problem.New(problem.InvalidState, fmt.Sprintf("The source has schema version %d, the target %d: migrate both.", before,
			after))
	}
	return err
}

// schemaVersion returns the version of the last migration.
func (s *Store) schemaVersion(ctx context.Context) (version int64, err error) {
	_, direct := s.db.ConnConfigs()
	db := stdlib.OpenDB(*direct)
	defer func() { _ = db.Close() }()
	provider, err := goose.NewProvider(goose.DialectPostgres, db, migrations.FS)
	if err == nil {
		version, err = provider.GetDBVersion(ctx)
	}
	if err != nil {
		return 0, core.Unavailable(fmt.Errorf("read the schema version: %w", err))
	}
	return version, nil
}
