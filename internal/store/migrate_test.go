package store_test

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"github.com/pressly/goose/v3"
	"github.com/stretchr/testify/require"

	"holdfast/internal/store"
	"holdfast/internal/store/storetest"
	"holdfast/migrations"
)

func TestMigrate_TableInUse_LetsRequestsPassAndMigratesAfterwards(t *testing.T) {
	t.Parallel()
	url := storetest.Database(t)
	db, err := sql.Open("pgx", url)
	require.NoError(t, err)
	provider, err := goose.NewProvider(goose.DialectPostgres, db, migrations.FS)
	require.NoError(t, err)
	const before = 24 // 00025 changes bookings
	_, err = provider.DownTo(t.Context(), before)
	require.NoError(t, err)
	require.NoError(t, db.Close())

	user, request := storetest.SQL(t, url), storetest.SQL(t, url)
	using, err := user.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = using.Rollback(context.WithoutCancel(t.Context())) }()
	_, err = using.Exec(t.Context(), "SELECT count(*) FROM bookings")
	require.NoError(t, err)

	migrated := make(chan error, 1)
	go func() { migrated <- store.Migrate(t.Context(), url, nil) }()
	waiting := func() (n int) {
		require.NoError(t, request.QueryRow(t.Context(), "SELECT count(*) FROM pg_locks WHERE relation = 'bookings'::regclass AND NOT granted").Scan(&n))
		return n
	}
	require.Eventually(t, func() bool { return waiting() == 1 }, time.Minute, 5*time.Millisecond, "the migration waits for the table")
	// A request that comes now waits behind the migration, until that gives up.
	_, err = request.Exec(t.Context(), "SET lock_timeout = '30s'; SELECT count(*) FROM bookings")
	require.NoError(t, err)
	require.NoError(t, using.Commit(t.Context()))
	require.NoError(t, <-migrated)
	_, err = request.Exec(t.Context(), "SELECT items FROM bookings")
	require.NoError(t, err)
}
