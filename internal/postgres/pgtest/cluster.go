package pgtest

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"holdfast/internal/postgres"
)

const (
	dirPrefix = "holdfast-test-"
	// startTimeout leaves room for installing PostgreSQL.
	startTimeout = 10 * time.Minute
	sweepAge     = time.Minute
)

// cluster is the process's cluster. alive is the pipe that tells the reaper that this process lives: it
// must stay reachable, or the garbage collector would close it.
type cluster struct {
	server *postgres.Server
	alive  *os.File
}

// sharedCluster is started by the first test that needs it. The kernel ends it with the process.
var sharedCluster = sync.OnceValues(func() (cluster, error) {
	parent := tempDir()
	sweepDirs(parent)
	dir, err := os.MkdirTemp(parent, dirPrefix)
	if err != nil {
		return cluster{}, fmt.Errorf("make a directory: %w", err)
	}
	if err := os.Chmod(dir, 0o711); err != nil { //nolint:gosec // G302: companions run as another user
		return cluster{}, fmt.Errorf("open a directory: %w", err)
	}
	alive, err := startReaper(dir)
	if err != nil {
		return cluster{}, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	server, err := postgres.Start(ctx, postgres.Config{
		Dir:       dir,
		Ephemeral: true,
		Install:   true,
		Logger:    slog.New(slog.DiscardHandler),
		Settings:  map[string]string{"max_wal_size": "128MB", "min_wal_size": "32MB"}, // it may lie in memory
	})
	return cluster{server: server, alive: alive}, err
})

// startReaper starts a shell that waits for the end of this process, however it ends, and then removes dir.
// It learns of the end from the returned pipe, which nobody writes to. The database needs a moment to end,
// and rm fails as long as it writes.
func startReaper(dir string) (alive *os.File, err error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe: %w", err)
	}
	defer func() { _ = read.Close() }()
	const script = `read -r _
for _ in 1 2 3 4 5 6 7 8 9 10; do
	[ -e "$1"/data-*/postmaster.pid ] || break
	sleep 0.2
done
rm -rf -- "$1" 2>/dev/null || { sleep 1; rm -rf -- "$1"; }`
	cmd := exec.Command("/bin/sh", "-c", script, "holdfast-test-reaper", dir)
	cmd.Stdin = read
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C ends the tests, not the reaper
	if err := cmd.Start(); err != nil {
		_ = write.Close()
		return nil, fmt.Errorf("start the reaper: %w", err)
	}
	return write, nil
}

// sweepDirs removes what test processes left that died together with their reaper. A directory whose lock
// nobody holds is one of a dead process, unless it is so young that the lock may not be taken yet.
func sweepDirs(parent string) {
	dirs, _ := filepath.Glob(filepath.Join(parent, dirPrefix+"*"))
	for _, dir := range dirs {
		if info, err := os.Stat(dir); err != nil || time.Since(info.ModTime()) < sweepAge {
			continue
		}
		if !postgres.InUse(dir) {
			_ = os.RemoveAll(dir) // best effort: it may be another user's
		}
	}
}
