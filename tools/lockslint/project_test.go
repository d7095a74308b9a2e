package main

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"

	"holdfast/tools/lockslint/internal/registry"
	"holdfast/tools/lockslint/internal/rules"
)

const projectRoot = "../.."

// TestLint_TheProject lints the project as it is and with wrong registries. It is loaded once for all of them.
func TestLint_TheProject(t *testing.T) {
	t.Parallel()
	p := loadProject(t)
	found, err := p.check(rules.DefaultRegistry, false)
	require.NoError(t, err)
	require.Empty(t, found)

	p.analyzeOnlyWhatTheRegistryNames(t)
	require.Empty(t, p.lintWith(t, p.lines), "with all of its rows")
	t.Run("without a row of its registry", p.failsWithoutARow)
	t.Run("with a wrong cell in its registry", p.failsWithAWrongCell)
}

func (p *project) failsWithoutARow(t *testing.T) {
	rows := []int{}
	for _, l := range p.registry.Locks {
		rows = append(rows, l.Line)
	}
	for _, part := range p.registry.Parts {
		rows = append(rows, part.Line)
	}
	for _, s := range p.registry.Statements {
		rows = append(rows, s.Line)
	}
	for _, m := range p.registry.ThirdParties {
		rows = append(rows, m.Line)
	}
	require.Greater(t, len(rows), 10)
	for _, row := range rows {
		require.NotEmpty(t, p.lintWith(t, slices.Delete(slices.Clone(p.lines), row-1, row)), "without line %d: %s", row, p.lines[row-1])
	}
}

func (p *project) failsWithAWrongCell(t *testing.T) {
	changed := 0
	change := func(line, column int, cell string) {
		t.Helper()
		lines := slices.Clone(p.lines)
		cells := strings.Split(lines[line-1], "|")
		if was := strings.TrimSpace(cells[column]); was == "–" || was == cell {
			return
		}
		cells[column] = " " + cell + " "
		lines[line-1] = strings.Join(cells, "|")
		require.NotEmpty(t, p.lintWith(t, lines), "line %d: %s", line, lines[line-1])
		changed++
	}
	const name, key, scope, kind, constructor, taker = 1, 2, 3, 4, 5, 6
	for _, l := range p.registry.Locks {
		if _, hashed := l.Hash(); hashed {
			change(l.Line, name, "`{tenant}:other:{booking}`")
			change(l.Line, key, "`fnv1a32(name)`")
		} else if l.Key != "random" {
			change(l.Line, key, "`4711`")
		}
		change(l.Line, scope, "one tenant")
		change(l.Line, constructor, "`internal/lock/key.go:MaxKeys`")
		change(l.Line, constructor, "`internal/lock/elsewhere.go:Calendar`")
		change(l.Line, taker, "`internal/store/read.go:Store.Nobody`")
		if l.Constructor == nil || l.Constructor.Name != "Goose" { // takes its lock where we can't look
			change(l.Line, taker, "`internal/store/store.go:Store.Ping`")
		}
		if !l.Reserved() && (l.Constructor == nil || l.Constructor.Name != "Goose") {
			change(l.Line, taker, "reserved")
			change(l.Line, kind, "session")
		}
	}
	const shape = 2
	for _, part := range p.registry.Parts {
		change(part.Line, shape, "integer")
	}
	const function, statementKind = 2, 3
	for _, s := range p.registry.Statements {
		change(s.Line, function, "`pg_advisory_lock_shared`")
		change(s.Line, statementKind, "mention")
	}
	require.Greater(t, changed, 30)
}

func TestLint_EachViolationPlantedInACopyOfTheProject_IsFound(t *testing.T) {
	t.Parallel()
	root := copyProject(t)
	for _, v := range violations {
		name := filepath.Join(root, filepath.FromSlash(v.file))
		if v.replace != "" {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			require.Contains(t, string(text), v.replace, "%s: the code has changed, so plant the violation in another way", v.file)
			v.text = strings.ReplaceAll(string(text), v.replace, v.text)
		}
		require.NoError(t, os.WriteFile(name, []byte(v.text), 0o600))
	}
	found, err := lint(root, rules.DefaultRegistry, false)
	require.NoError(t, err)
	for _, v := range violations {
		require.True(t, slices.ContainsFunc(found, func(f rules.Finding) bool {
			return f.Rule == v.rule && f.File == v.file && (v.message == "" || strings.Contains(f.Message, v.message))
		}), "%s in %s, among %v", v.rule, v.file, found)
	}
}

// violations are files that break a rule each. With replace, the text takes its place in a file that is there.
var violations = []struct {
	rule, file, replace, text, message string
}{
	{rule: "no row", message: "Seat makes a key and has no row", file: "internal/lock/planted_seat.go", text: `package lock

func Seat(tenant, seat [16]byte) Key { return keyOf(uuidText(tenant) + ":seat:" + uuidText(seat)) }
`},
	{rule: "no row", message: "Vacuum is a lock's number", file: "internal/lock/planted_number.go", text: `package lock

const Vacuum Global = 4711
`},
	{rule: "constructor", file: "internal/lock/planted_any.go", text: `package lock

func Any(name string) Key { return keyOf(name) }
`},
	{rule: "ambiguous", file: "internal/lock/planted_label.go", text: `package lock

func Label(label string, tenant [16]byte) Key { return keyOf(label + ":" + uuidText(tenant)) }
`},
	{rule: "ambiguous", message: "{label} may contain the separator", file: "docs/locks-registry.md", replace: "| `{tenant}:balance:{booking}`", text: "| `{label}:{tenant}` | `fnv1a64(name)` | one tenant's label | transaction | `internal/lock/planted_label.go:Label` | reserved | alone | – | planted |\n" +
		"| `{tenant}:balance:{booking}`"},
	{rule: "same name", file: "docs/locks-registry.md", replace: "| `{tenant}` | uuid |", text: "| `{label}` | text | planted |\n| `{tenant}` | uuid |"},
	{rule: "statement", file: "internal/booking/planted.go", text: `package booking

const planted = "SELECT pg_try_" + "advisory_xact_lock($1)"

var _ = planted
`},
	{rule: "statement", file: "internal/tenant/planted_plan9.go", text: `package tenant

const planted = "SELECT pg_advisory_lock($1)"
`},
	{rule: "pooled", file: "internal/store/planted_pooled.go", text: `package store

import (
	"context"

	"holdfast/internal/lock"
	"holdfast/internal/store/internal/dbsqlc"
)

func (s *Store) plantedPooled(ctx context.Context) error {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	q := dbsqlc.New(conn)
	_, err = q.PreflightSessionTry(ctx, lock.IdempotencyCleanup.ID())
	defer func() { _, _ = q.PreflightSessionUnlock(ctx, lock.IdempotencyCleanup.ID()) }()
	return err
}
`},
	{rule: "no release", file: "internal/store/planted_leak.go", text: `package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/lock"
	"holdfast/internal/store/internal/dbsqlc"
)

func (s *Store) plantedLeak(ctx context.Context, url string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	_, err = dbsqlc.New(conn).PreflightSessionTry(ctx, lock.IdempotencyCleanup.ID())
	return err
}
`},
	{rule: "no row", message: "neither it nor who calls it", file: "internal/store/planted_taker.go", text: `package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/store/internal/dbsqlc"
)

func plantedTaker(ctx context.Context, tx pgx.Tx, key int64) error { return dbsqlc.New(tx).SessionLock(ctx, key) }
`},
	{rule: "no row", message: "the number 815", file: "internal/store/planted_literal.go", text: `package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/store/internal/dbsqlc"
)

func plantedLiteral(ctx context.Context, tx pgx.Tx) error { return dbsqlc.New(tx).SessionLock(ctx, 815) }
`},
	{rule: "no transaction", file: "internal/store/planted_outside.go", text: `package store

import (
	"context"

	"holdfast/internal/store/internal/dbsqlc"
)

func (s *Store) plantedOutside(ctx context.Context, key int64) error { return dbsqlc.New(s.pool).SessionLock(ctx, key) }
`},
	{rule: "no transaction", file: "internal/store/tx.go", replace: `"begin isolation level`, text: `"set work_mem = '4MB' --`},
	{rule: "second lock", file: "internal/store/planted_second.go", text: `package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/lock"
	"holdfast/internal/store/internal/dbsqlc"
)

func plantedSecond(ctx context.Context, tx pgx.Tx, one, two []lock.Key) error {
	q := dbsqlc.New(tx)
	for _, k := range one {
		if err := q.SessionLock(ctx, k.ID()); err != nil {
			return err
		}
	}
	return q.SessionLock(ctx, two[0].ID())
}
`},
	{rule: "reference", message: "Store.PlantedWallets takes locks with the keys of Wallets", file: "docs/locks-registry.md", replace: "| part | shape |", text: "| part | shape |"},
	{rule: "statement", file: "internal/store/planted_wallets.go", text: `package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/lock"
)

// PlantedWallets takes a lock past the statements that may.
func (s *Store) PlantedWallets(ctx context.Context, tx pgx.Tx, keys lock.WalletKeys) error {
	_, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", keys.Keys()[0].ID())
	return err
}
`},
	{rule: "lock and read", file: "sql/queries/planted.sql", text: `-- name: PlantedLockAndRead :one
SELECT pg_catalog.pg_advisory_xact_lock(sqlc.arg(key)::bigint), name FROM tenants WHERE tenant_id = $1;
`},
	{rule: "statement", file: "migrations/00099_planted.sql", text: `-- +goose Up
SELECT pg_advisory_lock(42424242);
`},
}

// project is the real one, loaded once, and its registry.
type project struct {
	*module
	registry *registry.Registry
	lines    []string
}

func loadProject(t *testing.T) *project {
	t.Helper()
	root, err := filepath.Abs(projectRoot)
	require.NoError(t, err)
	m, err := load(root)
	require.NoError(t, err)
	reg, err := registry.Read(filepath.Join(root, rules.DefaultRegistry))
	require.NoError(t, err)
	return &project{m, reg, strings.Split(string(reg.Text), "\n")}
}

// analyzeOnlyWhatTheRegistryNames has the analyzer look only at packages that the registry names. A wrong row shows there.
func (p *project) analyzeOnlyWhatTheRegistryNames(t *testing.T) {
	t.Helper()
	named := map[string]bool{}
	add := func(refs ...registry.Ref) {
		for _, ref := range refs {
			named[path.Join(p.root, path.Dir(ref.File))] = true
		}
	}
	for _, l := range p.registry.Locks {
		if l.Constructor != nil {
			add(*l.Constructor)
		}
		add(l.Takers...)
	}
	for _, s := range p.registry.Statements {
		add(s.Ref)
	}
	p.analyzed = slices.DeleteFunc(slices.Clone(p.packages), func(pkg *packages.Package) bool { return !named[pkg.Dir] })
	require.NotEmpty(t, p.analyzed)
	require.Less(t, len(p.analyzed), len(p.packages))
}

// lintWith lints the project with another registry.
func (p *project) lintWith(t *testing.T, lines []string) []rules.Finding {
	t.Helper()
	name := filepath.Join(t.TempDir(), "registry.md")
	require.NoError(t, os.WriteFile(name, []byte(strings.Join(lines, "\n")), 0o600))
	at, err := filepath.Rel(p.root, name)
	require.NoError(t, err)
	found, err := p.check(filepath.ToSlash(at), false)
	require.NoError(t, err)
	return found
}

// copyProject copies what the lint reads of the project and what it needs to compile.
func copyProject(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	err := filepath.WalkDir(projectRoot, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		local, err := filepath.Rel(projectRoot, name)
		if err != nil || local == "." {
			return err
		}
		base := entry.Name()
		if entry.IsDir() {
			if strings.HasPrefix(base, ".") || base == "testdata" || local == "bin" || local == "tools" {
				return fs.SkipDir
			}
			return os.Mkdir(filepath.Join(root, local), 0o750)
		}
		if strings.HasSuffix(base, "_test.go") || !entry.Type().IsRegular() {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(root, local), text, 0o600)
	})
	require.NoError(t, err)
	return root
}
