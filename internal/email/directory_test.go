package email_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/email"
)

func TestDirectory_SameEmailTwice_IsOneWholeFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "data", "emails")
	sender, err := email.OpenDirectory(path)
	require.NoError(t, err)
	for range 2 {
		require.NoError(t, sender.Send(t.Context(), message()))
	}
	files, err := os.ReadDir(path)
	require.NoError(t, err)
	require.Len(t, files, 1)
	require.Equal(t, "20270501T093000.000Z-0198c0de-7a11-7000-8000-000000000001.eml", files[0].Name())
	data, err := os.ReadFile(filepath.Join(path, files[0].Name()))
	require.NoError(t, err)
	_, found := parts(t, data)
	require.Len(t, found, 4)
}

func TestDirectory_MalformedEmailOrEndedContext_LeavesNoFile(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	sender, err := email.OpenDirectory(path)
	require.NoError(t, err)
	m := message()
	m.To.Email = "../../x"
	requirePermanent(t, sender.Send(t.Context(), m), 0)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, sender.Send(ended, message()), context.Canceled)
	files, err := os.ReadDir(path)
	require.NoError(t, err)
	require.Empty(t, files)
}

func TestDirectory_FileCannotTakeItsName_LeavesNoOther(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	sender, err := email.OpenDirectory(path)
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(path, "20270501T093000.000Z-0198c0de-7a11-7000-8000-000000000001.eml"),
		0o700))
	requireTemporary(t, sender.Send(t.Context(), message()))
	files, err := os.ReadDir(path)
	require.NoError(t, err)
	require.Len(t, files, 1)
}

func TestDirectory_Gone_IsTemporary(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "emails")
	sender, err := email.OpenDirectory(path)
	require.NoError(t, err)
	require.NoError(t, os.Remove(path))
	requireTemporary(t, sender.Send(t.Context(), message()))
}
