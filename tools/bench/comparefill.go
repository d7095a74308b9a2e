package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/jackc/pgx/v5"

	"holdfast/tools/bench/strategies"
)

// fillAsCommit fills the database that the server of a commit has migrated, as the benchmark of that commit does. The
// commit's sources are in dir. The sellers get the API keys that those of today's database have.
func (b *bench) fillAsCommit(ctx context.Context, dir, url string) error {
	sql, err := os.ReadFile(filepath.Join(dir, "tree", "tools", "bench", "strategies", "fixture.sql"))
	switch {
	case errors.Is(err, fs.ErrNotExist): // the tests compare today's server with itself
		sql = []byte(strategies.FixtureSQL)
	case err != nil:
		return fmt.Errorf("read what fills the database: %w", err)
	}
	if err := b.fixture.Fill(ctx, url, string(sql)); err != nil {
		return err
	}
	return b.copyKeys(ctx, url)
}

// copyKeys copies the API keys of today's database to that of a commit. The commit may not know all scopes.
func (b *bench) copyKeys(ctx context.Context, url string) error {
	to, err := pgx.Connect(ctx, url)
	if err != nil {
		return fmt.Errorf("connect to write the API keys: %w", err)
	}
	defer func() { _ = to.Close(context.WithoutCancel(ctx)) }()
	var known string
	err = to.QueryRow(ctx,
		"SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'api_keys_scopes'").Scan(&known)
	if err != nil {
		return fmt.Errorf("read the scopes: %w", err)
	}
	rows, err := b.database.conn.Query(ctx, `
		SELECT tenant_id, api_key_id, prefix, hash, created_at, name,
			ARRAY(SELECT s FROM unnest(scopes) AS s WHERE strpos($1, s) > 0)
		FROM api_keys`, known)
	if err != nil {
		return fmt.Errorf("read the API keys: %w", err)
	}
	keys, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) ([]any, error) { return row.Values() })
	if err != nil {
		return fmt.Errorf("read the API keys: %w", err)
	}
	columns := []string{"tenant_id", "api_key_id", "prefix", "hash", "created_at", "name", "scopes"}
	if _, err = to.CopyFrom(ctx, pgx.Identifier{"api_keys"}, columns, pgx.CopyFromRows(keys)); err != nil {
		return fmt.Errorf("write the API keys: %w", err)
	}
	return nil
}
