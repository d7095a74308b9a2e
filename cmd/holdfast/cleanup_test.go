package main

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db/dbtest"
	"holdfast/internal/lock"
)

// putDeadKeys writes n idempotency keys that have expired, and one that lives.
func putDeadKeys(t testing.TB, url string, n int) {
	t.Helper()
	_, err := dbtest.SQL(t, url).Exec(t.Context(), `
		INSERT INTO idempotency_keys (tenant_id, key, fingerprint, status, location, etag, body, created_at, expires_at)
		SELECT gen_random_uuid(), i::text, sha256('x'), 201, '', '', '', now(), now() + CASE i WHEN 0 THEN 1 ELSE -1 END * interval '1 hour'
		FROM generate_series(0, $1) AS i`, n)
	require.NoError(t, err)
}

const keysSQL = "SELECT count(*) FROM idempotency_keys"

func TestCleanup_TheServerThatCleansIsKilled_AnotherOneContinues(t *testing.T) {
	t.Parallel()
	const dead = 20_000
	url := dbtest.Database(t)
	var servers []*proc
	for i := range 3 {
		servers = append(servers,
			start(t, newDir(t), "HOLDFAST_DATABASE_URL="+url, "HOLDFAST_CLEANUP_INTERVAL=1s",
				"HOLDFAST_CLEANUP_BATCH=50",
				"HOLDFAST_DIRECT_DATABASE_URL="+url+"&application_name=server-"+strconv.Itoa(i)))
	}
	putDeadKeys(t, url, dead)
	// A key that somebody uses is left for later, so that the work can't be done before the kill.
	used, err := dbtest.SQL(t, url).Begin(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { _ = used.Rollback(context.Background()) })
	_, err = used.Exec(t.Context(), "SELECT FROM idempotency_keys WHERE key = $1 FOR UPDATE", strconv.Itoa(dead))
	require.NoError(t, err)
	var holder []string
	require.Eventually(t, func() bool {
		if query[int](t, url, keysSQL)[0] == dead+1 {
			return false // nobody has begun
		}
		holder = query[string](t, url, `SELECT a.application_name FROM pg_locks l JOIN pg_stat_activity a USING (pid)
			WHERE l.locktype = 'advisory' AND l.objid = 42424242 AND a.datname = current_database()`)
		return len(holder) == 1
	}, waitLimit, poll)
	var killed int
	_, err = fmt.Sscanf(holder[0], "server-%d", &killed)
	require.NoError(t, err)
	servers[killed].Kill()
	require.Greater(t, query[int](t, url, keysSQL)[0], 1, "it was killed at its work")
	require.NoError(t, used.Rollback(t.Context()))

	require.Eventually(t, func() bool { return query[int](t, url, keysSQL)[0] == 1 }, waitLimit, poll)
	deleted := 0
	for i, p := range servers {
		if i == killed {
			continue
		}
		a, err := p.send(http.MethodGet, "/metrics", "", "", nil)
		require.NoError(t, err)
		match := regexp.MustCompile(`(?m)^holdfast_cleanup_deleted_total (\S+)$`).FindSubmatch(a.body)
		require.NotNil(t, match, "%s", a.body)
		n, err := strconv.ParseFloat(string(match[1]), 64)
		require.NoError(t, err)
		deleted += int(n)
		p.stop(t)
	}
	require.Positive(t, deleted)
	require.Less(t, deleted, dead, "the one that was killed deleted the rest")
}

func TestCleanup_Once_DeletesOrSaysThatAnotherDoes(t *testing.T) {
	t.Parallel()
	url := dbtest.Database(t)
	putDeadKeys(t, url, 10)
	cleanUp := func(args ...string) (*proc, int) {
		return run(t, newDir(t), []string{"HOLDFAST_DATABASE_URL=" + url, "HOLDFAST_CLEANUP_INTERVAL=0"},
			append([]string{"cleanup"}, args...)...)
	}
	rival, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	_, err = rival.Exec(t.Context(), "SELECT pg_advisory_lock($1)", lock.IdempotencyCleanup.ID())
	require.NoError(t, err)
	p, code := cleanUp("--once")
	require.Zero(t, code, "%s", p.log())
	require.Equal(t, "Skipped: another instance is deleting expired keys.\n", p.Stdout.String())
	require.Equal(t, []int{11}, query[int](t, url, keysSQL))

	require.NoError(t, rival.Close(context.WithoutCancel(t.Context())))
	require.Eventually(t, func() bool {
		return query[int](t, url,
			"SELECT count(*) FROM pg_locks WHERE objid = 42424242 AND database = (SELECT oid FROM pg_database WHERE datname = "+
				"current_database())")[0] == 0
	}, waitLimit, poll)
	p, code = cleanUp("--once", "--cleanup-batch=3")
	require.Zero(t, code, "%s", p.log())
	require.Equal(t, "Deleted 10 expired keys.\n", p.Stdout.String())
	require.Equal(t, []int{1}, query[int](t, url, keysSQL))

	p, code = cleanUp()
	require.NotZero(t, code, "no timer and not once")
	require.Contains(t, p.log(), "--cleanup-interval")
}

func TestCleanup_OnATimer_GoesOnUntilItIsStopped(t *testing.T) {
	t.Parallel()
	url := dbtest.Database(t)
	p := command(t, newDir(t), []string{"HOLDFAST_DATABASE_URL=" + url, "HOLDFAST_CLEANUP_INTERVAL=50ms"}, "cleanup")
	p.launch(t)
	for range 2 {
		putDeadKeys(t, url, 1)
		require.Eventually(t, func() bool {
			return query[int](t, url, keysSQL+" WHERE expires_at <= now()")[0] == 0
		}, waitLimit, poll)
		_, err := dbtest.SQL(t, url).Exec(t.Context(), "DELETE FROM idempotency_keys")
		require.NoError(t, err)
	}
	require.True(t, p.alive())
	p.stop(t)
}
