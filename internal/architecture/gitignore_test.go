package architecture_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestGitignore_CoversWhatTheReadmesCommandsMake keeps a backup, or a key that a pasted command left behind, from being
// committed.
func TestGitignore_CoversWhatTheReadmesCommandsMake(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile(root + "/README.md")
	require.NoError(t, err)
	ignored, err := os.ReadFile(root + "/.gitignore")
	require.NoError(t, err)
	lines := strings.Fields(string(ignored))
	made := regexp.MustCompile(`pg_dump .* -f (\S+)|pg_basebackup .* -D (\S+)|HOLDFAST_DATA_DIR=(\w+)|\| tee (\S+)`).FindAllStringSubmatch(string(readme), -1)
	require.Len(t, made, 5)
	for _, m := range made {
		name := strings.Join(m[1:], "")
		require.True(t, slices.Contains(lines, "/"+name) || slices.Contains(lines, "/"+name+"/"), "%s is not in .gitignore", name)
	}
}
