package postgres

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFinder_InstallNotPermitted_HasNoInstallers(t *testing.T) {
	t.Parallel()
	require.Empty(t, newFinder(t.TempDir(), false).installers)
	require.Len(t, newFinder(t.TempDir(), true).installers, 2)
}

func TestStart_NothingInstalled_SaysWhatToInstall(t *testing.T) {
	t.Parallel()
	_, err := Start(t.Context(), Config{Dir: newDir(t), find: &finder{globs: []string{t.TempDir() + "/*"}}})
	require.ErrorIs(t, err, ErrNoBinaries)
	require.ErrorContains(t, err, "apt-get install postgresql")
	require.ErrorContains(t, err, "PG_BIN")
	require.ErrorContains(t, err, "HOLDFAST_DATABASE_URL")
}
