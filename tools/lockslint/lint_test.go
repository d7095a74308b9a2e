package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// agreeing is a module whose registry and code agree. A line "-- name --" begins a file, and "^" is a backquote.
const agreeing = `-- go.mod --
module example

require example.com/migrator v0.0.0

replace example.com/migrator => ./migrator
-- migrator/go.mod --
module example.com/migrator
-- migrator/migrator.go --
package migrator

const DefaultLockID int64 = 77

const lock = "SELECT pg_advisory_lock($1)"
-- internal/lock/lock.go --
package lock

const (
	Sweep    Global = 4711
	Migrator Global = 77
)

func Order(id string) (OrderKey, error) { return OrderKey{Set{keyOf("order:" + id)}}, nil }

func keyOf(name string) Key { return Key{id: hash(name)} }

func (g Global) named() Key { return Key{id: int64(g)} }
-- internal/db/db.go --
package db

import (
	_ "example.com/migrator"

	locks "example/internal/lock"
)

func (s *DB) Pay(key locks.OrderKey, decide func(*Tx) error) error { return s.begin(key.Set, decide) }

func (s *DB) begin(keys locks.Set, decide func(*Tx) error) error { return s.LockOrder(keys.ID()) }

func (tx *Tx) Covers(key locks.OrderKey) bool { return true }

func (s *DB) Sweep() { s.TrySweep(locks.Sweep.ID()) }

func Migrate() {}

func watch(db DB, sql string) bool { return db.IsThere() && db.try() && strings.Contains(sql, "pg_advisory_xact_lock($") }

func try(db DB) { db.Exec(("SELECT pg_try_advisory_lock(" + "$1") + ")") }
-- internal/db/db_test.go --
package db

const lock = "SELECT pg_advisory_lock(1)"
-- internal/db/internal/dbsqlc/locks.sql.go --
package dbsqlc

const lockOrder = "SELECT pg_advisory_xact_lock($1::bigint)"
-- .cache/a.sql --
SELECT pg_advisory_lock(1);
-- sql/queries/locks.sql --
-- No statement here calls pg_advisory_lock.

-- name: LockOrder :exec
SELECT pg_catalog.pg_advisory_xact_lock(sqlc.arg(key)::bigint)::text AS locked FROM tenants t WHERE t.tenant_id = sqlc.arg(tenant_id);

-- name: TrySweep :one
-- TrySweep doesn't wait, as pg_advisory_lock does.
SELECT pg_try_advisory_lock(sqlc.arg(key)::bigint) AS locked;

-- name: IsThere :one
SELECT to_regprocedure('pg_advisory_xact_lock(bigint)') IS NOT NULL;
-- docs/locks-registry.md --
| name | key | scope | kind | constructor | taken by | purpose |
|---|---|---|---|---|---|---|
| ^order:{order}^ | ^fnv1a64(name)^ | one order | transaction | ^internal/lock/lock.go:Order^ | ^internal/db/db.go:DB.Pay^ | pay |
| ^sweep^ | ^4711^ | all | session, try | ^internal/lock/lock.go:Sweep^ | ^internal/db/db.go:DB.Sweep^ | sweep |
| ^migrator^ | ^77^ | all | session | ^internal/lock/lock.go:Migrator^ | ^internal/db/db.go:Migrate^ | migrate |
| ^check^ | ^random^ | all | transaction, then session, wait or try | – | ^internal/db/db.go:watch^ | check |

| part | shape |
|---|---|
| ^{order}^ | uuid |

| constructor | name | fnv1a64 | bigint |
|---|---|---|---|
| ^Order^ | ^order:01890a5e-8f3c-7c21-9d4e-5a6b7c8d9e0f^ | ^b1d6abeb918244e3^ | ^-5632125255733328669^ |

| statement | function | kind | called by |
|---|---|---|---|
| ^sql/queries/locks.sql:LockOrder^ | ^pg_advisory_xact_lock^ | transaction | ^internal/db/db.go:DB.begin^ |
| ^sql/queries/locks.sql:TrySweep^ | ^pg_try_advisory_lock^ | session | ^internal/db/db.go:DB.Sweep^ |
| ^sql/queries/locks.sql:IsThere^ | ^pg_advisory_xact_lock^ | mention | – |
| ^internal/db/db.go:watch^ | ^pg_advisory_xact_lock^ | mention | – |
| ^internal/db/db.go:try^ | ^pg_try_advisory_lock^ | session | – |

| module | lock |
|---|---|
| ^example.com/migrator^ | ^migrator^ |
`

func TestLint_ModuleThatAgrees_FindsNothing(t *testing.T) {
	t.Parallel()
	require.Empty(t, lintModule(t, agreeing))
}

func TestLint_OneThingChanged_SaysWhereAndWhatToDo(t *testing.T) {
	t.Parallel()
	for _, c := range changes {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			require.Contains(t, agreeing, c.old)
			found := lintModule(t, strings.Replace(agreeing, c.old, c.new, 1))
			for _, expected := range c.found {
				says := func(f finding) bool { return strings.Contains(f.String(), expected) }
				require.True(t, slices.ContainsFunc(found, says), "%s, in %v", expected, found)
			}
			require.Len(t, found, len(c.found), "%v", found)
		})
	}
}

// lintModule writes the files of a module and lints it.
func lintModule(t *testing.T, files string) []finding {
	t.Helper()
	found, err := lint(t.Context(), writeModule(t, files))
	require.NoError(t, err)
	return found
}

// fileStart is the line with which a file begins.
var fileStart = regexp.MustCompile(`(?m)^-- (\S+) --\n`)

func writeModule(t *testing.T, files string) (root string) {
	t.Helper()
	root = t.TempDir()
	files = strings.ReplaceAll(files, "^", "`")
	names, texts := fileStart.FindAllStringSubmatch(files, -1), fileStart.Split(files, -1)[1:]
	for i, text := range texts {
		path := filepath.Join(root, filepath.FromSlash(names[i][1]))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o750))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return root
}

func TestRun_ExitCode_SaysWhetherSomethingIsWrong(t *testing.T) {
	t.Parallel()
	wrong := strings.Replace(agreeing, "^4711^", "^4712^", 1)
	for name, c := range map[string]struct {
		args           []string
		code           int
		stdout, stderr string
	}{
		"nothing wrong": {[]string{"-C", writeModule(t, agreeing)}, 0, "", ""},
		"something wrong": {[]string{"-C", writeModule(t, wrong)}, 1,
			onPage + "4: the number of Sweep is 4711 and the row says 4712", ""},
		"no module": {[]string{"-C", t.TempDir()}, 2, "", "locks-registry.md"},
		"code broken": {[]string{"-C", writeModule(t, agreeing+"-- a.go --\nx\n")}, 2, "",
			"a.go:1:1: expected 'package'"},
		"unknown library": {[]string{"-C", writeModule(t, agreeing+"-- a.go --\npackage a\n\nimport \"b.c/d\"\n")}, 2,
			"", "b.c/d"},
		"unknown flag": {[]string{"-fix"}, 2, "", "flag provided but not defined"},
		"a package":    {[]string{"./..."}, 2, "", "takes no packages"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr strings.Builder
			require.Equal(t, c.code, run(t.Context(), c.args, &stdout, &stderr), stderr.String())
			require.Contains(t, stdout.String(), c.stdout)
			require.Contains(t, stderr.String(), c.stderr)
			require.Equal(t, c.code == 1, stdout.Len() > 0)
		})
	}
}

func FuzzParseRegistry(f *testing.F) {
	_, page, _ := strings.Cut(strings.ReplaceAll(agreeing, "^", "`"), "-- docs/locks-registry.md --\n")
	f.Add(page)
	f.Fuzz(func(t *testing.T, page string) {
		registry, unread := parseRegistry(page)
		for _, l := range registry.locks {
			require.NotPanics(t, func() { registry.names(l.name) })
		}
		for _, u := range unread {
			require.True(t, u.line >= 1 && u.line <= 1+strings.Count(page, "\n"), u)
		}
	})
}
