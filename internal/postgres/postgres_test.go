package postgres

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestStart_AfterStop_FindsTheData(t *testing.T) {
	t.Parallel()
	dir := newCopy(t)
	first := startServer(t, Config{Dir: dir})
	execute(t, first.URL(), "CREATE TABLE note AS SELECT 'kept' AS body")
	stopServer(t, first)
	second := startServer(t, Config{Dir: dir})
	require.Equal(t, first.URL(), second.URL())
	require.Equal(t, "kept", queryString(t, second.URL(), "SELECT body FROM note"))
}

func TestStart_ByDefault_IsDurable(t *testing.T) {
	t.Parallel()
	server := startServer(t,
		Config{Dir: newDir(t), Settings: map[string]string{"work_mem": "5MB", "listen_addresses": "*"}})
	for name, want := range map[string]string{
		"data_checksums": "on", "fsync": "on", "full_page_writes": "on", "synchronous_commit": "on",
		"server_encoding": "UTF8", "work_mem": "5MB", "listen_addresses": "", "TimeZone": "UTC",
	} {
		require.Equal(t, want, queryString(t, server.URL(), "SHOW "+name), name)
	}
	compression := queryString(t, server.URL(),
		"SELECT CASE WHEN 'lz4' = ANY (enumvals) THEN 'lz4' ELSE 'off' END FROM pg_settings WHERE name = 'wal_compression'")
	require.Equal(t, compression, queryString(t, server.URL(), "SHOW wal_compression"))
	require.Equal(t, "C.UTF-8",
		queryString(t, server.URL(), "SELECT datcollate FROM pg_database WHERE datname = current_database()"))
}

// TestStart_WithoutLZ4_DoesNotCompressTheLog runs a postgres that refuses lz4, as PostgreSQL 14 does.
//
//nolint:paralleltest // a program can't be run while a child that another test is just starting has a copy of the descriptor that wrote it
func TestStart_WithoutLZ4_DoesNotCompressTheLog(t *testing.T) {
	dir := newCopy(t)
	found, err := newFinder(dir, true).programs(t.Context(), account{}, 0, testLogger(t))
	require.NoError(t, err)
	bin := filepath.Join(filepath.Dir(dir), "bin")
	require.NoError(t, os.Mkdir(bin, 0o755))
	require.NoError(t, os.Symlink(found.path("initdb"), filepath.Join(bin, "initdb")))
	script := "#!/bin/sh\ncase \"$*\" in *wal_compression=lz4*) exit 1;; esac\nexec " + found.path("postgres") + ` "$@"`
	require.NoError(t, os.WriteFile(filepath.Join(bin, "postgres"), []byte(script), 0o755))
	server := startServer(t, Config{Dir: dir, find: &finder{pgBin: bin}})
	require.Equal(t, "off", queryString(t, server.URL(), "SHOW wal_compression"))
}

func TestStart_Ephemeral_IsNotDurable(t *testing.T) {
	t.Parallel()
	server := startServer(t, Config{Dir: newCopy(t), Ephemeral: true})
	for name, want := range map[string]string{"fsync": "off", "synchronous_commit": "off", "max_connections": "300"} {
		require.Equal(t, want, queryString(t, server.URL(), "SHOW "+name), name)
	}
}

func TestStart_SecondInstanceOnTheSameDirectory_IsRefused(t *testing.T) {
	t.Parallel()
	dir := newCopy(t)
	server := startServer(t, Config{Dir: dir, Ephemeral: true})
	_, err := Start(t.Context(), Config{Dir: dir})
	require.ErrorIs(t, err, ErrInUse)
	require.ErrorContains(t, err, "process "+strconv.Itoa(os.Getpid()))
	url, running := Running(dir)
	require.True(t, running)
	require.Equal(t, server.URL(), url)
	stopServer(t, server)
	require.False(t, InUse(dir))
	_, running = Running(dir)
	require.False(t, running)
}

func TestStart_OnAClusterServedByHand_IsRefusedAndLeavesItAlone(t *testing.T) {
	t.Parallel()
	server := startServer(t, Config{Dir: newCopy(t), Ephemeral: true})
	stopServer(t, server)
	c := server.cluster
	cmd := exec.Command(c.programs.path("postgres"), "-D", c.dataDir, "-k", c.socketDir, "-c", "listen_addresses=")
	c.account.command(cmd, 0)
	require.NoError(t, cmd.Start())
	defer func() {
		require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
		require.NoError(t, cmd.Wait())
	}()
	eventuallyUp(t, server.URL())
	_, err := Start(t.Context(), Config{Dir: c.dir})
	require.ErrorIs(t, err, ErrInUse)
	require.ErrorContains(t, err, "process "+strconv.Itoa(cmd.Process.Pid))
	require.NoError(t, tryExecute(t.Context(), server.URL(), "SELECT"))
}

func TestStart_AfterACrashInInitdb_BeginsAfresh(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	found, _ := newFinder(dir, true).search(t.Context(), account{}, 0)
	tmp := filepath.Join(dir, dataName(found.major)+".tmp")
	require.NoError(t, os.MkdirAll(filepath.Join(tmp, "base"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(tmp, "PG_VERSION"), []byte("15\n"), 0o600))
	server := startServer(t, Config{Dir: dir, Ephemeral: true})
	execute(t, server.URL(), "SELECT")
	require.NoDirExists(t, tmp)
}

func TestStart_PidfileNamesAnUnrelatedProcess_LeavesItAlone(t *testing.T) {
	t.Parallel()
	server := startServer(t, Config{Dir: newCopy(t), Ephemeral: true})
	stopServer(t, server)
	c := server.cluster
	// Of the same user, or PostgreSQL would see by itself that the process can't be its own.
	unrelated := exec.Command("sleep", "60")
	c.account.command(unrelated, syscall.SIGKILL)
	require.NoError(t, unrelated.Start())
	defer func() {
		require.NoError(t, unrelated.Process.Signal(syscall.Signal(0)), "the unrelated process is alive")
		require.NoError(t, unrelated.Process.Kill())
		_ = unrelated.Wait()
	}()
	pid := strconv.Itoa(unrelated.Process.Pid)
	for path, content := range map[string]string{
		filepath.Join(c.dataDir, pidfileName): pid + "\n" + c.dataDir + "\n1\n5432\n" + c.socketDir +
			"\n\n\nready\n",
		filepath.Join(c.socketDir, socketFile+".lock"): pid + "\n" + c.dataDir + "\n1\n5432\n" + c.socketDir + "\n",
	} {
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		require.NoError(t, os.Chown(path, int(c.account.uid), int(c.account.gid)))
	}
	again := startServer(t, Config{Dir: c.dir, Ephemeral: true})
	execute(t, again.URL(), "SELECT")
}

func TestStart_PathUnfitForASocket_PutsTheSocketElsewhere(t *testing.T) {
	t.Parallel()
	for name, dir := range map[string]string{"long": strings.Repeat("long/", 30), "with a comma": "one,two"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := startServer(t, Config{Dir: copyTo(t, filepath.Join(newDir(t), dir)), Ephemeral: true})
			execute(t, server.URL(), "SELECT")
			socketDir := server.cluster.socketDir
			require.Equal(t, filepath.Clean(os.TempDir()), filepath.Dir(socketDir))
			info, err := os.Stat(socketDir)
			require.NoError(t, err)
			require.Equal(t, os.ModeDir|0o700, info.Mode())
			stopServer(t, server)
			require.NoDirExists(t, socketDir)
		})
	}
}

func TestStart_PathWithOddCharacters_Works(t *testing.T) {
	t.Parallel()
	server := startServer(t, Config{Dir: filepath.Join(newDir(t), `a b'"%?&=#é`), Ephemeral: true})
	execute(t, server.URL(), "SELECT")
}

func TestStart_SocketDirectoryOfSomebodyElse_IsRefused(t *testing.T) {
	t.Parallel()
	dir := newCopy(t)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "run"), 0o755))
	require.NoError(t, os.Chmod(filepath.Join(dir, "run"), 0o777))
	_, err := Start(t.Context(), Config{Dir: dir, Ephemeral: true})
	require.ErrorContains(t, err, "with mode 0700")
	require.False(t, InUse(dir))
}

func TestStart_RootInADirectoryNobodyElseCanEnter_Works(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can own a directory that the database's user can't enter")
	}
	parent := newDir(t)
	dir := filepath.Join(parent, "checkout", ".holdfast")
	require.NoError(t, os.MkdirAll(dir, 0o700))
	require.NoError(t, os.Chmod(parent, 0o700))
	server := startServer(t, Config{Dir: dir})
	require.NotEmpty(t, server.cluster.account.blockedBy(server.cluster.dataDir))
	execute(t, server.URL(), "CREATE TABLE note AS SELECT 'kept' AS body")
	stopServer(t, server)
	server = startServer(t, Config{Dir: dir})
	require.Equal(t, "kept", queryString(t, server.URL(), "SELECT body FROM note"))
	before := postmasterPID(t, dir)
	kill(t, before)
	eventuallyUp(t, server.URL())
	require.NotEqual(t, before, postmasterPID(t, dir))
	require.Equal(t, "kept", queryString(t, server.URL(), "SELECT body FROM note"))
}

func TestStart_ClusterOfRoots_IsHandedToTheDatabaseUser(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can hand files over")
	}
	server := startServer(t, Config{Dir: newCopy(t), Ephemeral: true})
	stopServer(t, server)
	output, err := exec.Command("chown", "-R", "0:0", server.cluster.dataDir).CombinedOutput()
	require.NoError(t, err, string(output))
	server = startServer(t, Config{Dir: server.cluster.dir, Ephemeral: true})
	execute(t, server.URL(), "SELECT")
}

func TestStart_BrokenSetting_ReportsWhatPostgreSQLSaid(t *testing.T) {
	t.Parallel()
	dir := newCopy(t)
	_, err := Start(t.Context(), Config{Dir: dir, Ephemeral: true, Settings: map[string]string{"no_such_setting": "1"}})
	require.ErrorContains(t, err, `unrecognized configuration parameter "no_such_setting"`)
	require.False(t, InUse(dir))
}

func TestStart_ContextEnds_LeavesTheDirectoryFree(t *testing.T) {
	t.Parallel()
	dir := newCopy(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Start(ctx, Config{Dir: dir, Ephemeral: true})
	require.ErrorIs(t, err, context.Canceled)
	require.False(t, InUse(dir))
	startServer(t, Config{Dir: dir, Ephemeral: true})
}

func TestStart_Postmaster_IsInAProcessGroupOfItsOwn(t *testing.T) {
	t.Parallel()
	dir := newCopy(t)
	startServer(t, Config{Dir: dir, Ephemeral: true})
	pid := postmasterPID(t, dir)
	group, err := syscall.Getpgid(pid)
	require.NoError(t, err)
	require.Equal(t, pid, group, "Ctrl-C must not reach the database")
}

func TestStop_ManyTimesAtOnce_IsTheSameAsOnce(t *testing.T) {
	t.Parallel()
	server := startServer(t, Config{Dir: newCopy(t), Ephemeral: true})
	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() { stopServer(t, server) })
	}
	wg.Wait()
	stopServer(t, server)
}

func TestStop_FastShutdownHangs_ShutsDownImmediately(t *testing.T) {
	t.Parallel()
	dir := newCopy(t)
	server := startServer(t, Config{Dir: dir})
	execute(t, server.URL(), "CREATE TABLE note AS SELECT 'kept' AS body")
	// A stopped backend can't obey: the fast shutdown waits for it for ever.
	require.NoError(t, syscall.Kill(backendPID(t, server.URL()), syscall.SIGSTOP))
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, server.Stop(ctx), context.DeadlineExceeded)
	require.False(t, InUse(dir))
	server = startServer(t, Config{Dir: dir})
	require.Equal(t, "kept", queryString(t, server.URL(), "SELECT body FROM note"))
}
