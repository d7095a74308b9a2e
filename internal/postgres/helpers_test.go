package postgres

import (
	"bufio"
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"holdfast/internal/testtime"
)

const (
	serverDirEnv = "HOLDFAST_POSTGRES_TEST_SERVER_DIR"
	waitLimit    = time.Minute
)

// TestMain lets the test binary be the server process that the tests kill.
func TestMain(m *testing.M) {
	if dir := os.Getenv(serverDirEnv); dir != "" {
		server, err := Start(context.Background(), Config{Dir: dir})
		if err != nil {
			slog.Error("start", "error", err)
			os.Exit(1)
		}
		_, _ = os.Stdout.WriteString(server.URL() + "\n")
		select {}
	}
	code := m.Run()
	if templateParent != "" {
		_ = os.RemoveAll(templateParent)
	}
	os.Exit(code)
}

// newDir returns a directory that every user can pass through.
func newDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "hf")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	require.NoError(t, os.Chmod(dir, 0o711))
	return filepath.Join(dir, "data")
}

// templateParent is where initialized has made its cluster.
var templateParent string

// initialized makes a cluster once, for tests that aren't about making one. A copy costs much less than initdb.
var initialized = sync.OnceValues(func() (dir string, err error) {
	parent, err := os.MkdirTemp("", "hf")
	if err != nil {
		return "", err
	}
	templateParent, dir = parent, filepath.Join(parent, "data")
	ctx := context.Background()
	if err := errors.Join(os.Chmod(parent, 0o711), os.Mkdir(dir, 0o711)); err != nil {
		return "", err
	}
	c, err := newCluster(ctx, dir, Config{Ephemeral: true, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return "", err
	}
	return dir, c.initialize(ctx)
})

// newCopy returns a directory like that of newDir, with a cluster in it that has never run.
func newCopy(t *testing.T) string {
	t.Helper()
	return copyTo(t, newDir(t))
}

// copyTo copies a cluster that has never run to a directory.
func copyTo(t *testing.T, dir string) string {
	t.Helper()
	template, err := initialized()
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Dir(dir), 0o711))
	output, err := exec.Command("cp", "-Rp", template, dir).CombinedOutput()
	require.NoError(t, err, string(output))
	return dir
}

func startServer(t *testing.T, cfg Config) *Server {
	t.Helper()
	cfg.Logger = testLogger(t)
	begin := testtime.Now()
	server, err := Start(t.Context(), cfg)
	require.NoError(t, err)
	t.Logf("started in %v", testtime.Now().Sub(begin))
	t.Cleanup(func() { stopServer(t, server) })
	return server
}

func testLogger(t *testing.T) *slog.Logger {
	t.Helper()
	return slog.New(slog.NewTextHandler(t.Output(), nil))
}

// stopServer stops the server and asserts that no process of its cluster is left.
func stopServer(t *testing.T, server *Server) {
	t.Helper()
	require.NoError(t, server.Stop(context.Background()))
	postmasters, backends, err := server.cluster.leftovers(context.Background())
	require.NoError(t, err)
	require.Empty(t, append(postmasters, backends...))
	require.NoFileExists(t, filepath.Join(server.cluster.dataDir, pidfileName))
}

func execute(t *testing.T, url, sql string) {
	t.Helper()
	require.NoError(t, tryExecute(t.Context(), url, sql))
}

func tryExecute(ctx context.Context, url, sql string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	_, err = conn.Exec(ctx, sql)
	return err
}

func queryString(t *testing.T, url, sql string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	var value string
	require.NoError(t, conn.QueryRow(t.Context(), sql).Scan(&value))
	return value
}

// eventuallyUp waits until the database accepts connections again and returns how long that took.
func eventuallyUp(t *testing.T, url string) time.Duration {
	t.Helper()
	begin := testtime.Now()
	require.Eventually(t, func() bool { return tryExecute(t.Context(), url, "SELECT") == nil }, waitLimit,
		20*time.Millisecond)
	return testtime.Now().Sub(begin)
}

func postmasterPID(t *testing.T, dir string) int {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join(dir, "data-*"))
	require.NoError(t, err)
	require.Len(t, dirs, 1)
	pid, _ := readPidfile(dirs[0])
	require.Positive(t, pid)
	return pid
}

// serverProcess returns a server to be run in a process of its own.
func serverProcess(t *testing.T, dir string) *exec.Cmd {
	t.Helper()
	executable, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(executable)
	cmd.Env = append(os.Environ(), serverDirEnv+"="+dir)
	cmd.Stderr = t.Output()
	t.Cleanup(func() {
		if cmd.Process != nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	})
	return cmd
}

// startServerProcess starts a server process and returns it and the database's URL.
func startServerProcess(t *testing.T, dir string) (*exec.Cmd, string) {
	t.Helper()
	cmd := serverProcess(t, dir)
	output, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line, err := bufio.NewReader(output).ReadString('\n')
	require.NoError(t, err)
	return cmd, strings.TrimSpace(line)
}

func kill(t *testing.T, pid int) {
	t.Helper()
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
}
