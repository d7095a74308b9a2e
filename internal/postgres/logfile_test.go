package postgres

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLog_GrownTooLong_KeepsOneOldAndGoesOnInTheSameFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, logName)
	log, err := openLog(dir)
	require.NoError(t, err)
	defer func() { require.NoError(t, log.file.Close()) }()
	require.NoError(t, os.Truncate(path, maxLogSize))
	require.NoError(t, boundLog(dir))
	require.NoFileExists(t, path+".1", "it has not grown too long yet")

	_, err = log.file.WriteString("the last straw")
	require.NoError(t, err)
	require.NoError(t, boundLog(dir))
	old, err := os.Stat(path + ".1")
	require.NoError(t, err)
	require.EqualValues(t, maxLogSize+len("the last straw"), old.Size())
	_, err = log.file.WriteString("goes on")
	require.NoError(t, err)
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "goes on", string(content))
}
