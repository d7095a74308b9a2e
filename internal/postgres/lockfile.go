package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const (
	lockName = "lock"
	lockPoll = 20 * time.Millisecond
	// leftLimit is how long the lock of a process that has died may still be held.
	leftLimit = 30 * time.Second
)

// lockDir takes the directory for as long as the returned file is open. The kernel gives it free when the process dies,
// however it dies; os.OpenFile sets close-on-exec, so that the database doesn't inherit it. A child that a killed
// process was just starting holds the lock until its exec: lockDir waits for that.
func lockDir(ctx context.Context, dir string) (*os.File, error) {
	path := filepath.Join(dir, lockName)
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open the lock file: %w", err)
	}
	if err = flock(file); errors.Is(err, unix.EWOULDBLOCK) {
		if pid, _, _ := readLock(path); isDead(pid) {
			limited, cancel := context.WithTimeout(ctx, leftLimit)
			defer cancel()
			err = waitFlock(limited, file)
		}
	}
	if err != nil {
		_ = file.Close()
		if !errors.Is(err, unix.EWOULDBLOCK) {
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		if pid, _, _ := readLock(path); pid != 0 {
			return nil, fmt.Errorf("%w: process %d runs Holdfast's database in %s", ErrInUse, pid, dir)
		}
		return nil, fmt.Errorf("%w: another process runs Holdfast's database in %s", ErrInUse, dir)
	}
	if err := writeLock(file, ""); err != nil {
		unlock(file)
		return nil, err
	}
	return file, nil
}

// isDead reports whether there is no process of this id.
func isDead(pid int) bool {
	return pid != 0 && errors.Is(unix.Kill(pid, 0), unix.ESRCH)
}

func flock(file *os.File) error {
	for {
		err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// waitFlock waits until nobody else holds the lock or ctx ends.
func waitFlock(ctx context.Context, file *os.File) error {
	for {
		err := flock(file)
		if !errors.Is(err, unix.EWOULDBLOCK) {
			return err
		}
		if err := sleep(ctx, lockPoll); err != nil {
			return fmt.Errorf("wait for the lock of %s: %w", file.Name(), err)
		}
	}
}

// unlock lets go of the lock at once. Closing alone would leave it held for as long as a child that is just
// being started has a copy of the descriptor.
func unlock(file *os.File) {
	_ = unix.Flock(int(file.Fd()), unix.LOCK_UN)
	_ = file.Close()
}

func writeLock(file *os.File, url string) error {
	content := fmt.Sprintf("%d\n%s\n", os.Getpid(), url)
	if err := file.Truncate(0); err != nil {
		return fmt.Errorf("write the lock file: %w", err)
	}
	if _, err := file.WriteAt([]byte(content), 0); err != nil {
		return fmt.Errorf("write the lock file: %w", err)
	}
	return nil
}

// readLock reports whether a process holds the lock, and returns what it wrote into the file: its pid, and the
// database's URL, which is empty until the database accepts connections.
func readLock(path string) (pid int, url string, held bool) {
	file, err := os.Open(path)
	if err != nil {
		return 0, "", false
	}
	defer func() { _ = file.Close() }()
	// A shared lock, let go at once: readers don't take each other for an owner.
	if err := unix.Flock(int(file.Fd()), unix.LOCK_SH|unix.LOCK_NB); !errors.Is(err, unix.EWOULDBLOCK) {
		return 0, "", false
	}
	content, _ := os.ReadFile(path) // without it, the holder isn't known
	number, url, _ := strings.Cut(string(content), "\n")
	pid, _ = strconv.Atoi(number)
	return pid, strings.TrimSpace(url), true
}
