package architecture_test

import (
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// mappedFile is the name of a file in a line of a package's map.
var mappedFile = regexp.MustCompile(`\b\w+\.go\b`)

// A package with many files lists them in doc.go.
func TestPackageMaps_NameEveryFileAndNoOther(t *testing.T) {
	t.Parallel()
	var mapped []string
	for dir, files := range packages(t) {
		var named, there []string
		for _, f := range files {
			switch base := path.Base(f.path); {
			case f.test:
			case base != "doc.go":
				there = append(there, base)
			default:
				for _, line := range strings.Split(read(t, f.path), "\n") {
					if strings.HasPrefix(line, "//\t") {
						named = append(named, mappedFile.FindAllString(line, -1)...)
					}
				}
			}
		}
		if len(named) == 0 {
			continue
		}
		mapped = append(mapped, dir)
		require.ElementsMatch(t, there, named, "the map in %s/doc.go", dir)
	}
	require.Subset(t, mapped, []string{"internal/booking", "internal/event", "internal/httpapi", "internal/payment", "internal/store"})
}
