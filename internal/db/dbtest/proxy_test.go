package dbtest_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db/dbtest"
)

// TestTrips_ConnectionWasIdle_ItsPingIsNotCounted leaves a connection idle for as long as the pool needs to ask whether
// it still lives. On a busy machine that happens to any test.
func TestTrips_ConnectionWasIdle_ItsPingIsNotCounted(t *testing.T) {
	t.Parallel()
	proxy := dbtest.NewProxy(t, dbtest.Database(t))
	cfg, err := pgxpool.ParseConfig(proxy.URL)
	require.NoError(t, err)
	cfg.MaxConns = 1
	pinged := 0
	cfg.ShouldPing = func(_ context.Context, _ pgxpool.ShouldPingParams) bool {
		pinged++
		return true
	}
	pool, err := pgxpool.NewWithConfig(t.Context(), cfg)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	trips := func() int {
		before := proxy.Trips()
		_, err := pool.Exec(t.Context(), "SELECT 1")
		require.NoError(t, err)
		return proxy.Trips() - before
	}
	trips() // connects and prepares
	require.Equal(t, 1, trips())
	require.Equal(t, 1, trips())
	require.GreaterOrEqual(t, pinged, 2)
}
