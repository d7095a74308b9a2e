package postgres

import (
	"archive/tar"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUnpack_HostilePackage_IsRefusedAndLandsNowhereElse(t *testing.T) {
	t.Parallel()
	tests := map[string]map[string]string{
		"a file above the directory":    {"package/native/../../../evil": "x"},
		"a file at an absolute path":    {"package/native//tmp/../../evil": "x"},
		"a link that is listed outside": {"package/native/pg-symlinks.json": `[{"source":"native/lib/a","target":"native/../../evil"}]`},
		"a link to outside": {
			"package/native/pg-symlinks.json": `[{"source":"native/../../etc/passwd","target":"native/lib/a"}]`,
		},
		"a list of links that is no list": {"package/native/pg-symlinks.json": `{`},
	}
	for name, content := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			parent := t.TempDir()
			dir := filepath.Join(parent, "a", "b")
			require.NoError(t, os.MkdirAll(dir, 0o755))
			require.Error(t, unpackFile(t.Context(), writeTarball(t, content), dir))
			require.NoFileExists(t, filepath.Join(parent, "evil"))
			require.NoFileExists(t, filepath.Join(parent, "a", "evil"))
		})
	}
}

func TestUnpack_Package_KeepsModesAndMakesItsLinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, unpackFile(t.Context(), writeTarball(t, map[string]string{
		"package/README.md":               "not unpacked",
		"package/native/bin/postgres":     "program",
		"package/native/lib/libpq.so.5.1": "library",
		"package/native/pg-symlinks.json": `[{"source":"native/lib/libpq.so.5.1","target":"native/lib/libpq.so.5"}]`,
	}), dir))
	require.NoFileExists(t, filepath.Join(dir, "README.md"))
	content, err := os.ReadFile(filepath.Join(dir, "lib", "libpq.so.5"))
	require.NoError(t, err)
	require.Equal(t, "library", string(content))
	for name, mode := range map[string]os.FileMode{"bin": os.ModeDir | 0o755, "bin/postgres": 0o755,
		"lib/libpq.so.5.1": 0o644} {
		info, err := os.Stat(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Equal(t, mode, info.Mode(), name)
	}
}

// writeTarball writes an npm package; what lies in bin is executable.
func writeTarball(t *testing.T, files map[string]string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "package.tgz")
	file, err := os.Create(path)
	require.NoError(t, err)
	zipped := gzip.NewWriter(file)
	archive := tar.NewWriter(zipped)
	for name, content := range files {
		mode := int64(0o600)
		if filepath.Base(filepath.Dir(name)) == "bin" {
			mode = 0o700
		}
		require.NoError(t, archive.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: mode,
			Size: int64(len(content))}))
		_, err := archive.Write([]byte(content))
		require.NoError(t, err)
	}
	require.NoError(t, archive.Close())
	require.NoError(t, zipped.Close())
	require.NoError(t, file.Close())
	return path
}
