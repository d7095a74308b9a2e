package postgres

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStart_NothingInstalled_RunsWhatNpmBrings(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("npm is not on PATH")
	}
	cache := newDir(t)
	hidden := &finder{globs: []string{installedGlob(cache)}, installers: []installer{npmInstaller([]string{cache})}}
	dir := newDir(t)
	server, err := Start(t.Context(), Config{Dir: dir, find: hidden})
	require.NoError(t, err)
	t.Cleanup(func() { stopServer(t, server) })
	execute(t, server.URL(), "CREATE EXTENSION btree_gist; CREATE TABLE note AS SELECT 'kept' AS body")
	require.DirExists(t, filepath.Join(dir, dataName(npmMajor)))
	require.NoDirExists(t, filepath.Join(cache, "installing"))
	stopServer(t, server)

	// The next start finds the installed programs and needs no npm.
	hidden.installers = nil
	server = startServer(t, Config{Dir: dir, find: hidden})
	require.Equal(t, "kept", queryString(t, server.URL(), "SELECT body FROM note"))
}

func TestStart_NothingInstalledAndNothingToInstallWith_SaysWhatWasTried(t *testing.T) {
	t.Parallel()
	failing := installer{name: "carrier pigeon",
		install: func(context.Context, account, int) error { return errors.New("it got lost") }}
	empty := t.TempDir()
	_, err := Start(t.Context(),
		Config{Dir: newDir(t), find: &finder{globs: []string{empty + "/*"}, installers: []installer{failing}}})
	require.ErrorIs(t, err, ErrNoBinaries)
	require.ErrorContains(t, err, empty)
	require.ErrorContains(t, err, "carrier pigeon: it got lost")
}

func TestStart_ClusterOfAVersionThatIsNotInstalled_IsLeftAlone(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "data-99"), 0o700))
	_, err := Start(t.Context(), Config{Dir: dir})
	require.ErrorIs(t, err, ErrNoBinaries)
	require.ErrorContains(t, err, "the cluster data-99 needs PostgreSQL 99")
	clusters, err := filepath.Glob(filepath.Join(dir, "data-*"))
	require.NoError(t, err)
	require.Equal(t, []string{filepath.Join(dir, "data-99")}, clusters)
}

func TestFinder_PgBin_IsTheOnlyPlace(t *testing.T) {
	t.Parallel()
	f := newFinder(t.TempDir(), false)
	f.pgBin = t.TempDir()
	_, err := f.programs(t.Context(), account{}, 0, testLogger(t))
	require.ErrorIs(t, err, ErrNoBinaries)
	require.ErrorContains(t, err, "PG_BIN")

	f.pgBin = ""
	found, err := f.programs(t.Context(), account{}, 0, testLogger(t))
	require.NoError(t, err)
	f.pgBin = found.dir
	again, err := f.programs(t.Context(), account{}, found.major, testLogger(t))
	require.NoError(t, err)
	require.Equal(t, found, again)
	_, err = f.programs(t.Context(), account{}, found.major+1, testLogger(t))
	require.ErrorIs(t, err, ErrNoBinaries)
}

// Not parallel: a program can't be run while a child that another test is just starting has a copy of the
// descriptor it was written through ("text file busy").
//
//nolint:paralleltest // see above
func TestFinder_SeveralVersions_TakesTheNewestOrTheOneAskedFor(t *testing.T) {
	dir := newDir(t)
	for version, says := range map[string]string{"9": "9.6.24", "13": "13.20", "14": "14.17", "16": "16.9 (Debian)",
		"17": "17beta1"} {
		fakePrograms(t, filepath.Join(dir, version, "bin"), "postgres (PostgreSQL) "+says)
	}
	f := &finder{globs: []string{filepath.Join(dir, "*", "bin")}}
	for asked, want := range map[int]int{0: 17, 14: 14, 16: 16} {
		found, err := f.programs(t.Context(), account{}, asked, testLogger(t))
		require.NoError(t, err)
		require.Equal(t, want, found.major)
	}
	_, err := f.programs(t.Context(), account{}, 13, testLogger(t))
	require.ErrorContains(t, err, "is of version 13")
}

func TestInstallPackage_AfterACrash_BeginsAfresh(t *testing.T) {
	t.Parallel()
	cache := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(cache, "installing", "unpacked", "bin"), 0o700))
	tarball := writeTarball(t,
		map[string]string{"package/native/bin/initdb": "x", "package/native/pg-symlinks.json": "[]"})
	download := func(string) (string, error) { return tarball, nil }
	require.NoError(t, installPackage(t.Context(), cache, download))
	require.FileExists(t, filepath.Join(cache, installedPrefix+npmVersion, "bin", "initdb"))
	require.NoDirExists(t, filepath.Join(cache, "installing"))

	// Once it is there, nothing is downloaded.
	require.NoError(t, installPackage(t.Context(), cache,
		func(string) (string, error) { return "", errors.New("no network") }))
}

func fakePrograms(t *testing.T, dir, version string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(dir, 0o755))
	for _, name := range []string{"initdb", "postgres"} {
		script := "#!/bin/sh\necho '" + version + "'\n"
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755))
	}
}
