package main

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/db/dbtest"
)

func TestSecrets_FromAFile_AreReadAsFromTheEnvironment(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	url := dbtest.Database(t)
	p, code := run(t, newDir(t), []string{"HOLDFAST_DATABASE_URL_FILE=" + file("url", url+"\n")}, "doctor", "--json")
	require.Zero(t, code, "%s", p.log())
	require.Contains(t, checkResults(t, p), "connection")

	for name, test := range map[string]struct {
		env  []string
		says string
	}{
		"a weak key": {
			[]string{"HOLDFAST_ADMIN_KEY_FILE=" + file("weak", "swordfish")},
			"HOLDFAST_ADMIN_KEY (--admin-key): expected 128 bits",
		},
		"no file": {[]string{"HOLDFAST_ADMIN_KEY_FILE=/nowhere"}, "HOLDFAST_ADMIN_KEY_FILE: open /nowhere"},
		"an empty file": {[]string{"HOLDFAST_STRIPE_KEY_FILE=" + file("empty", "\n")},
			"HOLDFAST_STRIPE_KEY_FILE: the file is empty"},
		"both": {
			[]string{"HOLDFAST_ADMIN_KEY_FILE=" + file("key", "x"), "HOLDFAST_ADMIN_KEY=y"},
			"HOLDFAST_ADMIN_KEY and HOLDFAST_ADMIN_KEY_FILE exclude each other",
		},
	} {
		p, code := run(t, newDir(t), test.env, "version")
		require.Equal(t, 2, code, name)
		require.Contains(t, p.log(), test.says, name)
		require.NotContains(t, p.log(), "swordfish")
	}
}

func TestLog_LengthOfTimeInJSON_HasItsUnitInTheName(t *testing.T) {
	t.Parallel()
	var text bytes.Buffer
	slog.New(slog.NewJSONHandler(&text, &slog.HandlerOptions{ReplaceAttr: nameUnit})).Info("request", "duration",
		250*time.Millisecond,
		"status", 200)
	require.Contains(t, text.String(), `"duration_seconds":0.25,"status":200}`)
}
