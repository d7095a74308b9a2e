package pgtest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/postgres"
)

const (
	companionTimeout = time.Minute
	companionPoll    = 5 * time.Millisecond
)

// ErrNotInstalled says that a program isn't installed that only some tests need: those are skipped.
var ErrNotInstalled = errors.New("not installed")

// requireStarted skips the test if err says that a program isn't installed, and fails it on any other error. CI
// installs all programs; elsewhere the other tests shall run.
func requireStarted(t testing.TB, err error) {
	t.Helper()
	if errors.Is(err, ErrNotInstalled) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// companion is a program that runs beside a database for one test.
type companion struct {
	cmd    *exec.Cmd
	exited chan struct{} // closed when it is gone
	output bytes.Buffer  // may be read once it is gone
}

// companionDir returns a directory for a companion's files that belongs to the user it runs as. It is short enough
// for a socket's path, which has 107 bytes, and is removed when the test ends.
func companionDir(t testing.TB) string {
	t.Helper()
	dir, err := makeCompanionDir()
	if err != nil {
		t.Fatalf("make a directory: %v", err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func makeCompanionDir() (string, error) {
	dir, err := os.MkdirTemp("", "hfc")
	if err != nil {
		return "", err
	}
	uid, gid, err := postgres.Unprivileged(new(exec.Cmd))
	if err == nil {
		err = os.Chown(dir, uid, gid)
	}
	return dir, err
}

// startCompanion starts cmd without privileges and returns when the database at address answers.
func startCompanion(ctx context.Context, cmd *exec.Cmd, address string) (*companion, error) {
	c := &companion{cmd: cmd, exited: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = &c.output, &c.output
	if _, _, err := postgres.Unprivileged(cmd); err != nil {
		return nil, fmt.Errorf("choose a user: %w", err)
	}
	started := make(chan error, 1)
	go func() {
		defer close(c.exited)
		runtime.LockOSThread() // the kernel ends the companion with the thread that started it
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	var err error
	for deadline := time.Now().Add(companionTimeout); time.Now().Before(deadline) &&
		ctx.Err() == nil; time.Sleep(companionPoll) {
		if err = reach(ctx, address); err == nil {
			return c, nil
		}
		select {
		case <-c.exited:
			return nil, fmt.Errorf("%s ended before it was ready: %w: %s", cmd.Path, err, c.output.String())
		default:
		}
	}
	c.end(syscall.SIGKILL)
	return nil, fmt.Errorf("%s isn't ready: %w", cmd.Path, cmp.Or(ctx.Err(), err))
}

// end signals the companion and returns when it is gone.
func (c *companion) end(signal syscall.Signal) {
	_ = c.cmd.Process.Signal(signal) // fails only if it has ended
	<-c.exited
}

// reach returns nil when the database at address answers.
func reach(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, companionTimeout)
	defer cancel()
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	return conn.Ping(ctx)
}
