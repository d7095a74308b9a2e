package postgres

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLockDir_ItsProcessHasDied_WaitsUntilTheLockIsFree(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	require.NoError(t, os.MkdirAll(dir, 0o700))
	left, err := lockDir(t.Context(), dir)
	require.NoError(t, err)
	_, err = lockDir(t.Context(), dir)
	require.ErrorIs(t, err, ErrInUse, "a process that lives keeps it")

	// As if the process had been killed while it was starting a child, which holds the lock until its exec.
	dead := exec.Command("true")
	require.NoError(t, dead.Run())
	require.NoError(t, os.WriteFile(filepath.Join(dir, lockName), []byte(strconv.Itoa(dead.Process.Pid)+"\n\n"), 0o600))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = lockDir(ended, dir)
	require.ErrorIs(t, err, context.Canceled)
	locked := make(chan error, 1)
	go func() {
		file, err := lockDir(t.Context(), dir)
		if err == nil {
			unlock(file)
		}
		locked <- err
	}()
	unlock(left)
	require.NoError(t, <-locked)
}
