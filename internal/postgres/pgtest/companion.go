package pgtest

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
	"time"

	"holdfast/internal/postgres"
)

const (
	companionTimeout = 10 * time.Second
	companionPoll    = 5 * time.Millisecond
)

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
	dir, err := os.MkdirTemp("", "hfc") //nolint:usetesting // t.TempDir is too long for a socket
	if err != nil {
		t.Fatalf("make a directory: %v", err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	uid, gid, err := postgres.Unprivileged(new(exec.Cmd))
	if err == nil {
		err = os.Chown(dir, uid, gid)
	}
	if err != nil {
		t.Fatalf("hand a directory over: %v", err)
	}
	return dir
}

// startCompanion starts cmd without privileges and returns when ready does so without an error. signal ends it, with
// the test.
func startCompanion(t testing.TB, cmd *exec.Cmd, signal syscall.Signal, ready func() error) {
	t.Helper()
	c := &companion{cmd: cmd, exited: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = &c.output, &c.output
	if _, _, err := postgres.Unprivileged(cmd); err != nil {
		t.Fatalf("choose a user: %v", err)
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
		t.Fatalf("start %s: %v", cmd.Path, err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(signal) // fails only if it has ended
		<-c.exited
		if t.Failed() {
			t.Logf("%s:\n%s", cmd.Path, c.output.String())
		}
	})
	var err error
	for deadline := time.Now().Add(companionTimeout); time.Now().Before(deadline); time.Sleep(companionPoll) {
		if err = ready(); err == nil {
			return
		}
		select {
		case <-c.exited:
			t.Fatalf("%s ended before it was ready: %v: %s", cmd.Path, err, c.output.String())
		default:
		}
	}
	t.Fatalf("%s isn't ready: %v", cmd.Path, errors.Join(err, t.Context().Err()))
}
