package architecture_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A database that has run a migration doesn't run it again: an edited one would leave it with another schema than a new
// database has. released.sha256 lists what was released, as sha256sum writes it. What comes after the last of them
// isn't released yet.
func TestMigrations_ReleasedOnes_AreNotEdited(t *testing.T) {
	t.Parallel()
	released, err := os.ReadFile("../../migrations/released.sha256")
	require.NoError(t, err)
	sums := map[string]string{}
	var last string
	for line := range strings.Lines(string(released)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		sums[name] = sum
		last = max(last, name)
	}
	require.NotEmpty(t, sums)
	files, err := filepath.Glob("../../migrations/*.sql")
	require.NoError(t, err)
	for _, file := range files {
		name := filepath.Base(file)
		if name > last {
			continue
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		sum := sha256.Sum256(text)
		require.Equal(t, sums[name], hex.EncodeToString(sum[:]),
			"%s was released, or comes before what was: add another migration", name)
		delete(sums, name)
	}
	require.Empty(t, sums, "a released migration is missing")
}
