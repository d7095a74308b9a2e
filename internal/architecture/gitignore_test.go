package architecture_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestGitignore_CoversFilesOfDocumentedCommands keeps a backup, or a key that a pasted command left behind, from being
// committed.
func TestGitignore_CoversFilesOfDocumentedCommands(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob(root + "/docs/*.md")
	require.NoError(t, err)
	var text []byte
	for _, page := range append(pages, root+"/README.md") {
		content, err := os.ReadFile(page)
		require.NoError(t, err)
		text = append(text, content...)
	}
	ignored, err := os.ReadFile(root + "/.gitignore")
	require.NoError(t, err)
	lines := strings.Fields(string(ignored))
	made := regexp.MustCompile(`pg_dump .* -f (\S+)|pg_basebackup .* -D (\S+)|HOLDFAST_DATA_DIR=(\w+)|\| tee (\S+)`).FindAllStringSubmatch(
		string(text), -1)
	require.Len(t, made, 5)
	for _, m := range made {
		name := strings.Join(m[1:], "")
		require.True(t, slices.Contains(lines, "/"+name) || slices.Contains(lines, "/"+name+"/"),
			"%s is not in .gitignore", name)
	}
}
