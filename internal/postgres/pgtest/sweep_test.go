package pgtest

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"holdfast/internal/testtime"
)

func TestSweepDirs_OnlyDeadOnesGo(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	now := testtime.Now()
	old := now.Add(-time.Hour)
	newDir := func(name string, modified time.Time) string {
		dir := filepath.Join(parent, name)
		require.NoError(t, os.MkdirAll(filepath.Join(dir, "data"), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "lock"), nil, 0o600))
		require.NoError(t, os.Chtimes(dir, modified, modified))
		return dir
	}
	dead, young := newDir(dirPrefix+"dead", old), newDir(dirPrefix+"young", now)
	living, other := newDir(dirPrefix+"living", old), newDir("other", old)
	lock, err := os.Open(filepath.Join(living, "lock"))
	require.NoError(t, err)
	defer func() { require.NoError(t, lock.Close()) }()
	require.NoError(t, unix.Flock(int(lock.Fd()), unix.LOCK_EX))

	sweepDirs(parent)
	require.NoDirExists(t, dead)
	require.DirExists(t, young)
	require.DirExists(t, living)
	require.DirExists(t, other)
}
