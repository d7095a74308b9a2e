package architecture_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// mappedFile is the name of a file in a line of a package's map.
var mappedFile = regexp.MustCompile(`\b\w+\.go\b`)

// mapFrom is how many files, besides tests and doc.go, a package of the server has that must list them. Packages that
// sqlc generates list none: their names end with sql, or with dbsqlc.
const mapFrom = 8

// A package with many files lists them in doc.go.
func TestPackageMaps_NameEveryFileAndNoOther(t *testing.T) {
	t.Parallel()
	mapped := 0
	for dir, files := range packages(t) {
		var named, there []string
		for _, f := range files {
			switch base := path.Base(f.path); {
			case f.test:
			case base != "doc.go":
				there = append(there, base)
			default:
				for _, line := range strings.Split(read(t, f.path), "\n") {
					if strings.HasPrefix(line, "//\t") || strings.HasPrefix(line, "//   ") {
						named = append(named, mappedFile.FindAllString(line, -1)...)
					}
				}
			}
		}
		if len(named) == 0 {
			ofServer := strings.HasPrefix(dir, "cmd/") || strings.HasPrefix(dir, "internal/")
			generated := strings.HasSuffix(strings.TrimSuffix(dir, "c"), "sql")
			require.False(t, ofServer && !generated && len(there) >= mapFrom, "%s/doc.go lists no files", dir)
			continue
		}
		mapped++
		require.ElementsMatch(t, there, named, "the map in %s/doc.go", dir)
	}
	require.Greater(t, mapped, 40)
}

var (
	codeBlock   = regexp.MustCompile("(?s)```.*?\n *```")
	inlineCode  = regexp.MustCompile("`[^`\n]+`")
	heading     = regexp.MustCompile(`(?m)^#+ (.*)$`)
	link        = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	notOfAnchor = regexp.MustCompile(`[^\w\- ]`)
)

// anchors returns what links to a page's headings end with: the heading in lower case without punctuation, hyphens for spaces.
func anchors(t *testing.T, name string) []string {
	t.Helper()
	var found []string
	for _, match := range heading.FindAllStringSubmatch(codeBlock.ReplaceAllString(read(t, name), ""), -1) {
		found = append(found, strings.ReplaceAll(notOfAnchor.ReplaceAllString(strings.ToLower(match[1]), ""), " ", "-"))
	}
	return found
}

func TestDocs_TheirIndex_HasEveryPage(t *testing.T) {
	t.Parallel()
	index := read(t, "docs/README.md")
	for _, name := range walk(t, ".md") {
		if page, ok := strings.CutPrefix(name, "docs/"); ok && page != "README.md" {
			require.Contains(t, index, "]("+page+")")
		}
	}
}

func TestDocs_LinksLeadToFilesAndHeadings(t *testing.T) {
	t.Parallel()
	links := 0
	for _, name := range walk(t, ".md") {
		for _, match := range link.FindAllStringSubmatch(inlineCode.ReplaceAllString(codeBlock.ReplaceAllString(read(t,
			name), ""), ""),
			-1) {
			if strings.Contains(match[1], "://") {
				continue
			}
			links++
			file, anchor, _ := strings.Cut(match[1], "#")
			target := name
			if file != "" {
				target = path.Join(path.Dir(name), file)
			}
			_, err := os.Stat(filepath.Join(root, target))
			require.NoError(t, err, "a link of %s", name)
			if anchor != "" {
				require.Contains(t, anchors(t, target), anchor, "%s links to %s", name, match[1])
			}
		}
	}
	require.Greater(t, links, 100)
}
