package postgres

import (
	"context"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// backendPID opens a connection that stays open for the test and returns its backend's pid.
func backendPID(t *testing.T, url string) int {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = conn.Close(ctx)
	})
	return int(conn.PgConn().PID())
}

func TestServer_PostmasterIsKilled_RunsAgainWithWhatWasCommitted(t *testing.T) {
	t.Parallel()
	dir := newCopy(t)
	server := startServer(t, Config{Dir: dir})
	execute(t, server.URL(), "CREATE TABLE note (body int)")
	for i := range 3 {
		execute(t, server.URL(), "INSERT INTO note VALUES ("+strconv.Itoa(i)+")")
		kill(t, postmasterPID(t, dir))
		t.Logf("down for %v", eventuallyUp(t, server.URL()))
		require.Equal(t, strconv.Itoa(i+1), queryString(t, server.URL(), "SELECT count(*)::text FROM note"))
	}
}

func TestServer_PostmasterIsKilledWhileABackendComputes_EndsTheBackendAndRunsAgain(t *testing.T) {
	t.Parallel()
	dir := newCopy(t)
	server := startServer(t, Config{Dir: dir})
	conn, err := pgx.Connect(t.Context(), server.URL())
	require.NoError(t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	lost := make(chan error, 1)
	go func() {
		_, err := conn.Exec(context.Background(), "DO $$ BEGIN LOOP END LOOP; END $$")
		lost <- err
	}()
	require.Eventually(t, func() bool {
		return queryString(t, server.URL(),
			"SELECT count(*)::text FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'DO %'") == "1"
	}, waitLimit, 5*time.Millisecond)
	kill(t, postmasterPID(t, dir))
	t.Logf("down for %v", eventuallyUp(t, server.URL()))
	require.Error(t, <-lost)
}

func TestServer_BackendIsKilled_RunsAgain(t *testing.T) {
	t.Parallel()
	server := startServer(t, Config{Dir: newCopy(t)})
	execute(t, server.URL(), "CREATE TABLE note AS SELECT 'kept' AS body")
	other, err := pgx.Connect(t.Context(), server.URL())
	require.NoError(t, err)
	defer func() { _ = other.Close(context.Background()) }()
	kill(t, backendPID(t, server.URL()))
	// Until the postmaster learns of the death it takes connections; then it ends every other backend.
	_, err = other.Exec(t.Context(), "SELECT pg_sleep(60)")
	require.Error(t, err)
	eventuallyUp(t, server.URL())
	require.Equal(t, "kept", queryString(t, server.URL(), "SELECT body FROM note"))
}

func TestStart_AfterProcessesWereKilled_FindsWhatWasCommitted(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ postmaster, server, settle bool }{
		"the server":                      {server: true},
		"the server, a while ago":         {server: true, settle: true},
		"the postmaster, then the server": {postmaster: true, server: true},
		"both, a while ago":               {postmaster: true, server: true, settle: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := newCopy(t)
			process, url := startServerProcess(t, dir)
			execute(t, url, "CREATE TABLE note AS SELECT g FROM generate_series(1, 100000) g")
			backendPID(t, url)
			_, err := Start(t.Context(), Config{Dir: dir})
			require.ErrorIs(t, err, ErrInUse)
			require.ErrorContains(t, err, "process "+strconv.Itoa(process.Process.Pid))

			postmaster := postmasterPID(t, dir)
			kill(t, process.Process.Pid)
			if test.postmaster {
				kill(t, postmaster)
			}
			_ = process.Wait()
			if test.settle {
				endsByItself(t, dir)
			}
			server := startServer(t, Config{Dir: dir})
			require.Equal(t, url, server.URL())
			require.Equal(t, "100000", queryString(t, server.URL(), "SELECT count(*)::text FROM note"))
		})
	}
}

func TestStart_AfterTheServerWasKilledDuringItsFirstStart_Works(t *testing.T) {
	t.Parallel()
	for name, exists := range map[string]string{
		"in initdb":                "data-*.tmp/PG_VERSION",
		"late in initdb":           "data-*.tmp/global/pg_control",
		"before PostgreSQL starts": "data-*[0-9]",
		"when PostgreSQL starts":   "data-*[0-9]/postmaster.pid",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := newDir(t)
			process := serverProcess(t, dir)
			require.NoError(t, process.Start())
			require.Eventually(t, func() bool {
				found, err := filepath.Glob(filepath.Join(dir, exists))
				return err == nil && len(found) > 0
			}, waitLimit, time.Millisecond)
			kill(t, process.Process.Pid)
			_ = process.Wait()
			server := startServer(t, Config{Dir: dir, Ephemeral: true})
			execute(t, server.URL(), "SELECT")
		})
	}
}

func TestServer_ItsProcessIsKilled_TheDatabaseEndsByItself(t *testing.T) {
	t.Parallel()
	dir := newCopy(t)
	process, _ := startServerProcess(t, dir)
	kill(t, process.Process.Pid)
	_ = process.Wait()
	endsByItself(t, dir)
}

// endsByItself waits until no process of the directory's cluster is left.
func endsByItself(t *testing.T, dir string) {
	t.Helper()
	c := &cluster{account: account{}, name: clusterName(dir)}
	require.Eventually(t, func() bool {
		all, err := listProcesses(t.Context())
		require.NoError(t, err)
		for _, p := range all {
			c.account.uid = p.uid // whoever it is
			if c.isPostmaster(p) || c.isBackend(p) {
				return false
			}
		}
		return true
	}, waitLimit, 50*time.Millisecond)
}
