package pgtest_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"holdfast/internal/postgres/pgtest"
)

func TestPgBouncer_InTransactionMode_LetsTwoConnectionsShareABackend(t *testing.T) {
	t.Parallel()
	database := pgtest.Database(t, nil)
	backends := func(settings map[string]string) (first, second int) {
		url := pgtest.PgBouncer(t, database, settings)
		for i, pid := range []*int{&first, &second} {
			conn, err := pgx.Connect(t.Context(), url)
			require.NoError(t, err)
			t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
			require.NoError(t, conn.QueryRow(t.Context(), "SELECT pg_backend_pid()", pgx.QueryExecModeExec).Scan(pid),
				i)
		}
		return first, second
	}
	first, second := backends(nil)
	require.Equal(t, first, second)
	first, second = backends(map[string]string{"pool_mode": "session"})
	require.NotEqual(t, first, second)
}

func TestStandby_FollowsItsPrimaryAndHasItsClock(t *testing.T) {
	t.Parallel()
	primary := pgtest.OtherCluster(t)
	standby := pgtest.Standby(t, primary)
	one, err := pgx.Connect(t.Context(), primary)
	require.NoError(t, err)
	defer func() { _ = one.Close(context.WithoutCancel(t.Context())) }()
	two, err := pgx.Connect(t.Context(), standby)
	require.NoError(t, err)
	defer func() { _ = two.Close(context.WithoutCancel(t.Context())) }()
	_, err = one.Exec(t.Context(), "CREATE TABLE followed ()")
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		var arrived bool
		require.NoError(t, two.QueryRow(t.Context(),
			"SELECT to_regclass('followed') IS NOT NULL AND pg_is_in_recovery()").Scan(&arrived))
		return arrived
	}, waitLimit, 5*time.Millisecond)
	var ours, its time.Time
	require.NoError(t, one.QueryRow(t.Context(), "SELECT clock_timestamp()").Scan(&ours))
	require.NoError(t, two.QueryRow(t.Context(), "SELECT clock_timestamp()").Scan(&its))
	require.WithinDuration(t, ours, its, time.Hour, "HOLDFAST_TEST_TODAY is the standby's day too")
}
