package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// exposure is the most that systemd-analyze security may find, of 100.
const exposure = "13"

func TestUnit_InItsPlace_IsValidAndHardened(t *testing.T) {
	t.Parallel()
	need(t, "systemd-analyze", "systemd")
	dir := t.TempDir()
	unit := filepath.Join(dir, "holdfast.service")
	// The program that the unit starts has to be there: any.
	text := replaceOnce(t, read(t, "deploy/systemd/holdfast.service"), "/usr/bin/holdfast", "/usr/bin/env")
	require.NoError(t, os.WriteFile(unit, []byte(text), 0o600))
	require.Empty(t, output(t, "systemd-analyze", "verify", "--man=no", "--recursive-errors=no", unit))
	output(t, "systemd-analyze", "security", "--offline=yes", "--threshold="+exposure, unit)
}

func TestEnvironmentFile_NamesOnlyKnownSettings(t *testing.T) {
	t.Parallel()
	requireKnown(t, "deploy/systemd/holdfast.env")
}

// replaceOnce replaces the only occurrence of a text.
func replaceOnce(t *testing.T, text, from, to string) string {
	t.Helper()
	require.Equal(t, 1, strings.Count(text, from), from)
	return strings.Replace(text, from, to, 1)
}
