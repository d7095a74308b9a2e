package lock_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/lock"
)

const (
	root         = "../.."
	registryPath = root + "/docs/locks-registry.md"
)

func TestRegistry_AndThePackage_ListTheSameLocks(t *testing.T) {
	t.Parallel()
	var listed []string
	for _, row := range registryTable(t, "name", "key", "scope", "kind", "constructor", "taken by", "order", "timeout", "purpose") {
		if row["constructor"] != "–" {
			listed = append(listed, code(t, row["constructor"]))
		}
	}
	require.ElementsMatch(t, constructors(t), listed, "every constructor has one row, and every row a constructor")
}

func TestRegistry_EveryRow_IsComplete(t *testing.T) {
	t.Parallel()
	kinds := []string{"session", "session, try", "transaction", "transaction, then session"}
	key := regexp.MustCompile("^`(fnv1a64\\(name\\)|random|-?[0-9]+)`$")
	seen := map[string]bool{}
	for _, row := range registryTable(t, "name", "key") {
		for column, cell := range row {
			require.NotEmpty(t, cell, "%s of %s", column, row["name"])
		}
		require.False(t, seen[row["name"]], "%s is listed once", row["name"])
		seen[row["name"]] = true
		require.Regexp(t, key, row["key"])
		require.Contains(t, kinds, row["kind"])
		if strings.Contains(row["order"], "ascending") {
			require.Contains(t, row["order"], strconv.Itoa(lock.MaxKeys))
		}
	}
}

func TestRegistry_FixedNumbers_AreThoseOfThePackage(t *testing.T) {
	t.Parallel()
	want := map[string]int64{
		"internal/lock/global.go:Goose":              lock.Goose.ID(),
		"internal/lock/global.go:IdempotencyCleanup": lock.IdempotencyCleanup.ID(),
	}
	got := map[string]int64{}
	for _, row := range registryTable(t, "name", "key") {
		if id, err := strconv.ParseInt(code(t, row["key"]), 10, 64); err == nil {
			got[code(t, row["constructor"])] = id
		}
	}
	require.Equal(t, want, got)
	ids := slices.Collect(maps.Values(got))
	slices.Sort(ids)
	require.Len(t, slices.Compact(ids), len(got), "no number is used twice")
}

func TestRegistry_Takers_ExistAndReservedLocksHaveNone(t *testing.T) {
	t.Parallel()
	users := users(t)
	for _, row := range registryTable(t, "name", "key") {
		_, constructor, _ := strings.Cut(strings.Trim(row["constructor"], "`"), ":")
		if row["taken by"] == "reserved" {
			require.Empty(t, users[constructor], "%s is used, so somebody takes it: say who", constructor)
			continue
		}
		file, function, found := strings.Cut(code(t, row["taken by"]), ":")
		require.True(t, found, row["taken by"])
		require.True(t, strings.HasPrefix(file, "internal/store/"), "only internal/store takes locks")
		require.Contains(t, functions(t, filepath.Join(root, file)), function, file)
	}
}

func TestRegistry_WorkedExamples_HashToThePrintedNumbers(t *testing.T) {
	t.Parallel()
	calendar, err := lock.Calendar(tenantID, date(2026, time.July, 14))
	require.NoError(t, err)
	wallets, err := lock.Wallets(tenantID, walletID)
	require.NoError(t, err)
	want := map[string]lock.Key{
		"Balance":  lock.Balance(tenantID, bookingID).Keys()[0],
		"Calendar": calendar.Keys()[0],
		"Wallets":  wallets.Keys()[0],
	}
	examples := registryTable(t, "constructor", "name", "fnv1a64", "bigint")
	require.Len(t, examples, len(want))
	for _, row := range examples {
		key, known := want[code(t, row["constructor"])]
		require.True(t, known, row["constructor"])
		require.Equal(t, key.Name(), code(t, row["name"]))
		require.Equal(t, fmt.Sprintf("%016x", uint64(key.ID())), code(t, row["fnv1a64"]))
		require.Equal(t, strconv.FormatInt(key.ID(), 10), code(t, row["bigint"]))
	}
	hashed := 0
	for _, row := range registryTable(t, "name", "key") {
		if row["key"] == "`fnv1a64(name)`" {
			hashed++
		}
	}
	require.Len(t, examples, hashed, "every hashed name has an example")
}

func TestRegistry_CollisionFigures_AreThoseOfTheBirthdayBound(t *testing.T) {
	t.Parallel()
	rows := registryTable(t, "names", "64 bits", "32 bits")
	require.NotEmpty(t, rows)
	for _, row := range rows {
		n, err := strconv.ParseFloat(strings.ReplaceAll(row["names"], ",", ""), 64)
		require.NoError(t, err)
		require.Equal(t, threeDigits(collision(n, 64)), row["64 bits"], "%.0f names", n)
		require.Equal(t, threeDigits(collision(n, 32)), row["32 bits"], "%.0f names", n)
	}
}

// collision is the chance that any two of n names have the same hash.
func collision(n float64, bits int) float64 { return -math.Expm1(-n * (n - 1) / math.Ldexp(2, bits)) }

// threeDigits prints three digits, as a percentage where that is readable.
func threeDigits(p float64) string {
	switch {
	case p < 1e-6:
		s := fmt.Sprintf("%.2e", p)
		return strings.Replace(s, "e-0", "e-", 1)
	case p > 0.9995:
		return "100%"
	}
	percent := 100 * p
	decimals := 2 - int(math.Floor(math.Log10(percent)+1e-3)) // 0.99979% is rounded before its digits are counted
	return strconv.FormatFloat(percent, 'f', decimals, 64) + "%"
}

// registryTable returns the rows of the one table of the registry whose first columns are the given ones.
func registryTable(t *testing.T, columns ...string) []map[string]string {
	t.Helper()
	text, err := os.ReadFile(registryPath)
	require.NoError(t, err)
	lines := strings.Split(string(text), "\n")
	start := slices.IndexFunc(lines, func(line string) bool {
		cells := cellsOf(line)
		return len(cells) >= len(columns) && slices.Equal(cells[:len(columns)], columns)
	})
	require.GreaterOrEqual(t, start, 0, "the registry has a table with the columns %v", columns)
	header := cellsOf(lines[start])
	require.Equal(t, "|"+strings.Repeat("---|", len(header)), lines[start+1])
	var rows []map[string]string
	for _, line := range lines[start+2:] {
		cells := cellsOf(line)
		if cells == nil {
			break
		}
		require.Len(t, cells, len(header), line)
		row := make(map[string]string, len(header))
		for i, column := range header {
			row[column] = cells[i]
		}
		rows = append(rows, row)
	}
	return rows
}

func cellsOf(line string) []string {
	if !strings.HasPrefix(line, "| ") || !strings.HasSuffix(line, " |") {
		return nil
	}
	return strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "| "), " |"), " | ")
}

// code returns what stands between the backticks of a cell.
func code(t *testing.T, cell string) string {
	t.Helper()
	inner, found := strings.CutPrefix(cell, "`")
	require.True(t, found, "%s is in backticks", cell)
	inner, found = strings.CutSuffix(inner, "`")
	require.True(t, found, "%s is in backticks", cell)
	return inner
}

// constructors lists as file:name what makes a lock: the exported functions of the package and its constants
// of type Global.
func constructors(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	var names []string
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		add := func(name string) { names = append(names, "internal/lock/"+path+":"+name) }
		for _, d := range parse(t, path).Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil && d.Name.IsExported() {
					add(d.Name.Name)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if v, ok := s.(*ast.ValueSpec); ok && d.Tok == token.CONST && isGlobal(v) {
						add(v.Names[0].Name)
					}
				}
			}
		}
	}
	return names
}

func isGlobal(v *ast.ValueSpec) bool {
	kind, ok := v.Type.(*ast.Ident)
	return ok && kind.Name == "Global"
}

// users lists by name the files outside of this package that use a member of it, tests aside.
func users(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			if name := entry.Name(); name != ".." && strings.HasPrefix(name, ".") || path == filepath.Join(root, "internal", "lock") {
				return fs.SkipDir
			}
			return nil
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file := parse(t, path)
		if !slices.ContainsFunc(file.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"holdfast/internal/lock"` }) {
			return nil
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && x.Name == "lock" {
					found[s.Sel.Name] = append(found[s.Sel.Name], path)
				}
			}
			return true
		})
		return nil
	})
	require.NoError(t, err)
	return found
}

// functions lists what a file declares, methods as Type.Method.
func functions(t *testing.T, path string) []string {
	t.Helper()
	var names []string
	for _, d := range parse(t, path).Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		name := f.Name.Name
		if f.Recv != nil {
			kind := f.Recv.List[0].Type
			if star, ok := kind.(*ast.StarExpr); ok {
				kind = star.X
			}
			if id, ok := kind.(*ast.Ident); ok {
				name = id.Name + "." + name
			}
		}
		names = append(names, name)
	}
	return names
}

func parse(t *testing.T, path string) *ast.File {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	return file
}
