package postgres

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func FuzzReadPidfile(f *testing.F) {
	for _, text := range []string{
		"", "1", "-1", "--1", "1\n/data\n1753000000\n5432\n/run\n\n  1234 5\nready   \n", "99999999999999999999", "0",
		" 7", "\n", "+8\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, pidfileName), content, 0o600))
		pid, status := readPidfile(dir)
		require.GreaterOrEqual(t, pid, 0, "signals to a negative pid go to a group of processes")
		if pid == 0 {
			require.Empty(t, status)
		}
	})
}

func FuzzReadLock(f *testing.F) {
	for _, text := range []string{"", "1\npostgres://localhost/\n", "x", "-1\n", "\n\n", "1"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		file, err := lockDir(t.Context(), t.TempDir())
		require.NoError(t, err)
		defer unlock(file)
		require.NoError(t, file.Truncate(0))
		_, err = file.WriteAt(content, 0)
		require.NoError(t, err)
		_, url, held := readLock(file.Name())
		require.True(t, held, "whatever the file says, its lock is held")
		require.NotContains(t, url, "\r\n")
	})
}

func FuzzMakeSymlinks_StaysInItsDirectory(f *testing.F) {
	for _, list := range []string{
		`[]`, `[{"source":"native/lib/libpq.so.5.15","target":"native/lib/libpq.so.5"}]`,
		`[{"source":"native/../../x","target":"native/../../y"}]`,
		`[{"source":"/etc/passwd","target":"native/a"}]`, `[{"source":"native/a","target":"native/pg-symlinks.json"}]`,
		`{`, `[{}]`,
		`[{"source":"native/lib/..","target":"native/lib/x"}]`, `[{"source":"native/.","target":"native/y"}]`,
	} {
		f.Add([]byte(list))
	}
	f.Fuzz(func(t *testing.T, list []byte) {
		outside := t.TempDir()
		dir := filepath.Join(outside, "a", "b")
		require.NoError(t, os.MkdirAll(filepath.Join(dir, "lib"), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, symlinksName), list, 0o600))
		root, err := os.OpenRoot(dir)
		require.NoError(t, err)
		defer func() { require.NoError(t, root.Close()) }()
		if makeSymlinks(root) == nil {
			require.True(t, json.Valid(list))
		}
		require.NoError(t, filepath.WalkDir(outside, func(path string, entry fs.DirEntry, err error) error {
			require.NoError(t, err)
			if entry.Type()&fs.ModeSymlink == 0 {
				return nil
			}
			inside, err := filepath.Rel(dir, path)
			require.NoError(t, err)
			require.True(t, filepath.IsLocal(inside), path)
			to, err := os.Readlink(path)
			require.NoError(t, err)
			require.Equal(t, filepath.Base(to), to, "a link leads to its own directory")
			return nil
		}))
	})
}
