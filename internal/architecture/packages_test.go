package architecture_test

import (
	"fmt"
	"go/doc"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// packagesPage is the map of packages.
const packagesPage = "docs/packages.md"

const packagesIntro = `# The packages

<!-- Written by make generate/packages. Don't edit. -->

This page is made from the first sentence of each package's comment, and from what its files import. A package stands
above all packages that it imports. The last column names these without "internal/", and leaves out what the others of
them import anyway. [imports_test.go](../internal/architecture/imports_test.go) says what each package may import, and
which libraries only some packages may use. The comment of a package, mostly in its doc.go, says more and lists its
files.

What [sqlc](https://sqlc.dev) generates for a subject stands in packages below it, one for each lock that its
statements need. Only that subject can import them. See [ADR 56](adr/0056-walls-by-subject.md).
`

// HOLDFAST_TEST_UPDATE=1 writes the page.
func TestPackagesPage_IsCurrent(t *testing.T) {
	t.Parallel()
	sections := []struct {
		heading string
		has     func(name string) bool
	}{
		{"The product", func(name string) bool { return !permittedImports[name].testsOnly && !ofATool(name) }},
		{"For tests", func(name string) bool { return permittedImports[name].testsOnly && !ofATool(name) }},
		{"Tools and the Go client", ofATool},
	}
	all := packages(t)
	imports := importsOfPackages(all)
	page := packagesIntro
	for _, section := range sections {
		page += "\n## " + section.heading + "\n\n| package | it … | imports |\n|---|---|---|\n"
		for _, name := range topDown(imports) {
			if section.has(name) {
				page += fmt.Sprintf("| `%s` | %s | %s |\n", name, sentenceOf(t, all[name]),
					shortNames(nearest(imports, name)))
			}
		}
	}
	if os.Getenv("HOLDFAST_TEST_UPDATE") != "" {
		require.NoError(t, os.WriteFile(filepath.Join(root, packagesPage), []byte(page), 0o600))
	}
	if read(t, packagesPage) != page {
		t.Errorf("%s is old: run make generate/packages", packagesPage)
	}
}

// A permission that nothing uses says something untrue of the package.
func TestPackages_UseWhatTheyMayImport(t *testing.T) {
	t.Parallel()
	imports := importsOfPackages(packages(t))
	var unused []string
	for name, may := range permittedImports {
		for _, permitted := range may.imports {
			if !ofGenerated(permitted) && !slices.Contains(imports[name], permitted) {
				unused = append(unused, name+" doesn't import "+permitted)
			}
		}
	}
	require.Empty(t, unused, "lines of imports_test.go that can go")
}

func ofATool(name string) bool {
	return strings.HasPrefix(name, "tools/") || strings.HasPrefix(name, "clients/")
}

// ofGenerated reports whether sqlc generates a package.
func ofGenerated(name string) bool {
	return generated.MatchString(name) || name == "internal/db/internal/dbsqlc"
}

// importsOfPackages returns what each package imports of ours, tests and generated statements aside. A package of tests
// alone has those of its tests.
func importsOfPackages(all map[string][]source) map[string][]string {
	imports := make(map[string][]string, len(all))
	for name, files := range all {
		if ofGenerated(name) {
			continue
		}
		imports[name] = nil
		onlyTests := !slices.ContainsFunc(files, func(f source) bool { return !f.test })
		for _, f := range files {
			if f.test && !onlyTests {
				continue
			}
			for _, imported := range f.imports {
				target, ours := strings.CutPrefix(imported, module+"/")
				if ours && !ofGenerated(target) && !slices.Contains(imports[name], target) {
					imports[name] = append(imports[name], target)
				}
			}
		}
		slices.Sort(imports[name])
	}
	return imports
}

// topDown sorts packages: each stands above those that it imports, and as low as that allows.
func topDown(imports map[string][]string) []string {
	heights := map[string]int{}
	var height func(name string) int
	height = func(name string) int {
		if _, known := heights[name]; !known {
			highest := 0
			for _, imported := range imports[name] {
				highest = max(highest, height(imported)+1)
			}
			heights[name] = highest
		}
		return heights[name]
	}
	names := slices.Sorted(maps.Keys(imports))
	slices.SortStableFunc(names, func(a, b string) int { return height(b) - height(a) })
	return names
}

// sentenceOf returns the first sentence of a package's comment, without the words that all of them begin with.
func sentenceOf(t *testing.T, files []source) string {
	t.Helper()
	var sentence string
	for _, f := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), f.path, read(t, f.path),
			parser.PackageClauseOnly|parser.ParseComments)
		require.NoError(t, err)
		if parsed.Doc != nil && (!f.test || strings.HasSuffix(f.pkg, "_test")) {
			require.Empty(t, sentence, "%s: a package has one comment", f.path)
			sentence = new(doc.Package).Synopsis(parsed.Doc.Text())
		}
	}
	require.NotEmpty(t, sentence, "%v have no comment of their package", files)
	for _, kind := range []string{"Package ", "Command "} {
		if rest, ok := strings.CutPrefix(sentence, kind); ok {
			_, sentence, _ = strings.Cut(rest, " ")
		}
	}
	return strings.NewReplacer("<", "&lt;", "|", `\|`).Replace(sentence)
}

// nearest returns what a package imports, without what it reaches by another import too.
func nearest(imports map[string][]string, name string) []string {
	var reaches func(from, to string) bool
	reaches = func(from, to string) bool {
		return slices.ContainsFunc(imports[from], func(next string) bool { return next == to || reaches(next, to) })
	}
	return slices.DeleteFunc(slices.Clone(imports[name]), func(far string) bool {
		return slices.ContainsFunc(imports[name], func(other string) bool { return reaches(other, far) })
	})
}

// shortNames returns packages as a cell of the table has them.
func shortNames(names []string) string {
	short := make([]string, len(names))
	for i, name := range names {
		short[i] = strings.TrimPrefix(name, "internal/")
	}
	return strings.Join(short, ", ")
}
