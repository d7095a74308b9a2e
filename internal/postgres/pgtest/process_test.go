package pgtest_test

import (
	"bufio"
	"net/url"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/postgres/pgtest"
)

const (
	childEnv  = "HOLDFAST_PGTEST_CHILD"
	serverEnv = "HOLDFAST_TEST_DATABASE_URL"
	waitLimit = time.Minute
)

// TestChild is the process that the other tests start: it says where its cluster is and waits to be killed.
//
//nolint:paralleltest // it is a process, not a test
func TestChild(t *testing.T) {
	if os.Getenv(childEnv) == "" {
		t.Skip("started by other tests")
	}
	_, err := os.Stdout.WriteString(pgtest.Cluster(t).URL() + "\n")
	require.NoError(t, err)
	<-time.After(waitLimit)
}

func child(t *testing.T, run string, env ...string) *osexec.Cmd {
	t.Helper()
	executable, err := os.Executable()
	require.NoError(t, err)
	cmd := osexec.Command(executable, "-test.run=^"+run+"$")
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = t.Output()
	return cmd
}

func TestCluster_ItsProcessIsKilled_LeavesNothing(t *testing.T) {
	t.Parallel()
	cmd := child(t, "TestChild", childEnv+"=1", serverEnv+"=")
	output, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line, err := bufio.NewReader(output).ReadString('\n')
	require.NoError(t, err)
	address, err := url.Parse(strings.TrimSpace(line))
	require.NoError(t, err)
	dir := filepath.Dir(address.Query().Get("host"))
	require.DirExists(t, dir)
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	require.Eventually(t, func() bool {
		_, err := os.Stat(dir)
		return os.IsNotExist(err)
	}, waitLimit, 10*time.Millisecond)
}

func TestDatabase_ServerFromTheEnvironment_IsUsedAndSwept(t *testing.T) {
	t.Parallel()
	if os.Getenv(serverEnv) != "" {
		t.Skip("needs a server that nobody else tests on")
	}
	server := pgtest.Cluster(t).URL()
	const leftover = "holdfast_test_deadprocess1_abcdefghijkl"
	require.NoError(t, exec(t.Context(), server, "CREATE DATABASE "+leftover))
	mine := pgtest.Database(t, nil)

	cmd := child(t, "TestDatabase_ManyParallelTests_EachHaveTheirOwn", serverEnv+"="+server)
	cmd.Stdout = t.Output()
	require.NoError(t, cmd.Run())
	require.Equal(t, int64(0),
		query[int64](t, server, "SELECT count(*) FROM pg_database WHERE datname = '"+leftover+"'"))
	require.NoError(t, exec(t.Context(), mine, "SELECT"), "a living process's database stays")
}
