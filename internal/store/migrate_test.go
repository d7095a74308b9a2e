package store_test

import (
	"context"
	"database/sql"
	"log/slog"
	"testing"

	"github.com/pressly/goose/v3"
	"github.com/stretchr/testify/require"

	"holdfast/internal/postgres/pgtest"
	"holdfast/internal/store"
	"holdfast/internal/store/storetest"
	"holdfast/migrations"
)

func TestMigrate_TableInUse_IsTriedAgain(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t, nil)
	db, err := sql.Open("pgx", url)
	require.NoError(t, err)
	provider, err := goose.NewProvider(goose.DialectPostgres, db, migrations.FS)
	require.NoError(t, err)
	_, err = provider.UpTo(t.Context(), 10) // 00011 is left
	require.NoError(t, err)
	require.NoError(t, db.Close())

	conn := storetest.SQL(t, url)
	_, err = conn.Exec(t.Context(), "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET lock_timeout = 100', current_database()); END $$")
	require.NoError(t, err)
	using, err := conn.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = using.Rollback(context.WithoutCancel(t.Context())) }()
	_, err = using.Exec(t.Context(), "LOCK TABLE goose_db_version IN SHARE MODE") // each migration writes to it
	require.NoError(t, err)

	tried := make(chan string, 1000)
	migrated := make(chan error, 1)
	go func() { migrated <- store.Migrate(t.Context(), url, slog.New(slog.NewTextHandler(lines(tried), nil))) }()
	select {
	case line := <-tried:
		require.Contains(t, line, "a table to be migrated is in use; trying again")
	case err := <-migrated:
		require.Fail(t, "it didn't wait for the table", err)
	}
	require.NoError(t, using.Commit(t.Context()))
	require.NoError(t, <-migrated)
	_, err = conn.Exec(t.Context(), "SELECT endpoint_id FROM webhook_endpoints")
	require.NoError(t, err)
}

// lines passes on what a logger writes.
type lines chan string

func (l lines) Write(p []byte) (int, error) {
	l <- string(p)
	return len(p), nil
}
