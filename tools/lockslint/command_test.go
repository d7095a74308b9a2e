package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/tools/lockslint/internal/rules"
)

func TestRun_NothingWrong_SaysNothingAndExitsWith0(t *testing.T) {
	t.Parallel()
	code, stdout, stderr := runIn(t, "testdata/good/store", "./...")
	require.Zero(t, code, stderr)
	require.Empty(t, stdout+stderr)
}

func TestRun_AnotherModulesDirectory_ChecksThatModule(t *testing.T) {
	t.Parallel()
	code, stdout, stderr := runIn(t, ".", "-C", "testdata/othersystem")
	require.Equal(t, 1, code, stderr)
	require.Contains(t, stdout, "store/store_plan9.go:3:1: ")

	code, stdout, stderr = runIn(t, "testdata/othersystem", "-C", copyModule(t, "testdata/good"))
	require.Zero(t, code, stdout+stderr)
}

func TestRun_SomethingWrong_PrintsFileLineAndAdviceAndExitsWith1(t *testing.T) {
	t.Parallel()
	code, stdout, stderr := runIn(t, "testdata/othersystem")
	require.Equal(t, 1, code, stderr)
	require.Equal(t, "store/store_plan9.go:3:1: pg_advisory_lock is named in a file for another system: "+
		"move it to a file that is always compiled, where it can be checked (statement)\n", stdout)
}

func TestRun_WhatCannotBeChecked_ExitsWith2AndSaysWhatToDo(t *testing.T) {
	t.Parallel()
	for _, refused := range []struct {
		dir, says string
		args      []string
	}{
		{"testdata/good", "say with -registry where it is", []string{"-registry", "docs/none.md"}},
		{"testdata/good", "run it in the module", []string{"./store"}},
		{"testdata/good", "flag provided but not defined", []string{"-nonsense"}},
		{t.TempDir(), "run it inside of a Go module", nil},
	} {
		code, stdout, stderr := runIn(t, refused.dir, refused.args...)
		require.Equal(t, 2, code, stderr)
		require.Contains(t, stderr, refused.says)
		require.Empty(t, stdout)
	}
	dir := copyModule(t, "testdata/good")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "keys", "broken.go"), []byte("package keys\n\nvar x int = \"\"\n"), 0o600))
	code, _, stderr := runIn(t, dir)
	require.Equal(t, 2, code)
	require.Contains(t, stderr, "the module doesn't compile")
}

func TestRun_JSON_IsAListOfFindings(t *testing.T) {
	t.Parallel()
	code, stdout, _ := runIn(t, "testdata/othersystem", "-json")
	require.Equal(t, 1, code)
	var found []rules.Finding
	require.NoError(t, json.Unmarshal([]byte(stdout), &found))
	require.Len(t, found, 1)
	require.Equal(t, "store/store_plan9.go", found[0].File)
	require.Equal(t, 3, found[0].Line)
	require.Equal(t, "statement", found[0].Rule)

	code, stdout, _ = runIn(t, "testdata/good", "-json")
	require.Zero(t, code)
	require.JSONEq(t, "[]", stdout)
}

func TestRun_SARIF_SaysWhereAndWhat(t *testing.T) {
	t.Parallel()
	code, stdout, _ := runIn(t, "testdata/othersystem", "-sarif")
	require.Equal(t, 1, code)
	var log sarifLog
	require.NoError(t, json.Unmarshal([]byte(stdout), &log))
	require.Equal(t, "2.1.0", log.Version)
	require.Equal(t, "lockslint", log.Runs[0].Tool.Driver.Name)
	require.Equal(t, []sarifRule{{ID: "statement"}}, log.Runs[0].Tool.Driver.Rules)
	require.Len(t, log.Runs[0].Results, 1)
	result := log.Runs[0].Results[0]
	require.Equal(t, "statement", result.RuleID)
	require.Equal(t, "store/store_plan9.go", result.Locations[0].PhysicalLocation.ArtifactLocation.URI)
	require.Equal(t, 3, result.Locations[0].PhysicalLocation.Region.StartLine)

	_, stdout, _ = runIn(t, "testdata/good", "-sarif")
	require.Contains(t, stdout, `"results": []`)
}

func TestRun_Fix_CorrectsReferencesToCodeThatMovedAndNothingElse(t *testing.T) {
	t.Parallel()
	dir := copyModule(t, "testdata/good")
	name := filepath.Join(dir, "docs", "locks-registry.md")
	right, err := os.ReadFile(name)
	require.NoError(t, err)
	wrong := strings.NewReplacer("keys/keys.go:Order", "keys/order.go:Order", "store/store.go:Pay", "payments/pay.go:Pay",
		"store/store.go:take", "store/sql.go:take").Replace(string(right))
	require.NoError(t, os.WriteFile(name, []byte(wrong), 0o600))
	code, stdout, _ := runIn(t, dir)
	require.Equal(t, 1, code)
	require.Contains(t, stdout, "run lockslint with -fix")

	code, stdout, stderr := runIn(t, dir, "-fix")
	require.Zero(t, code, stdout+stderr)
	fixed, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, string(right), string(fixed))
}

func TestVet_RunsTheAnalyzerAsItsTool(t *testing.T) {
	t.Parallel()
	tool := filepath.Join(t.TempDir(), "lockslint")
	out, err := exec.Command("go", "build", "-o", tool, ".").CombinedOutput()
	require.NoError(t, err, string(out))
	vet := func(dir string) (string, error) {
		cmd := exec.Command("go", "vet", "-vettool="+tool, "./...")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOWORK=off")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	said, err := vet("testdata/good")
	require.NoError(t, err, said)
	said, err = vet("testdata/session")
	require.Error(t, err)
	for _, what := range []string{
		"a session lock on a pooled connection",       // seen in one package
		"the session lock is not let go of",           // learnt from another function
		"store/bad.go:", "a session lock on a pool s", // with file and line
	} {
		require.Contains(t, said, what)
	}
}

func TestLint_AModuleOfManyFiles_FindsTheOneThatIsWrong(t *testing.T) {
	t.Parallel()
	found, err := lint(moduleOfManyFiles(t, 10), rules.DefaultRegistry, false)
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.Equal(t, "p009/f9.go", found[0].File)
}

// BenchmarkLint_AModuleOf1000Files tells how long the lint takes on a module of that size, once what it imports is built.
func BenchmarkLint_AModuleOf1000Files(b *testing.B) {
	dir := moduleOfManyFiles(b, 100)
	for b.Loop() {
		_, err := lint(dir, rules.DefaultRegistry, false)
		require.NoError(b, err)
	}
}

// moduleOfManyFiles returns a copy of a good module with more packages of ten files each. The last file is wrong.
func moduleOfManyFiles(t testing.TB, packages int) string {
	t.Helper()
	dir := copyModule(t, "testdata/good")
	const files = 10
	for p := range packages {
		name := fmt.Sprintf("p%03d", p)
		require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o750))
		for f := range files {
			text := fmt.Sprintf(fileOfMany, name, f)
			if p == packages-1 && f == files-1 {
				text += "\nconst planted = \"SELECT pg_advisory_lock($1)\"\n"
			}
			require.NoError(t, os.WriteFile(filepath.Join(dir, name, fmt.Sprintf("f%d.go", f)), []byte(text), 0o600))
		}
	}
	return dir
}

// fileOfMany is a file of some package, of the size that files have: what the lint looks at is texts and calls.
const fileOfMany = `package %[1]s

import (
	"context"
	"database/sql"
	"fmt"
)

// T%[2]d is a row.
type T%[2]d struct {
	id   int64
	name string
}

// Load reads the row.
func (t *T%[2]d) Load(ctx context.Context, db *sql.DB) error {
	if err := db.QueryRowContext(ctx, "SELECT id, name FROM things WHERE id = $1", t.id).Scan(&t.id, &t.name); err != nil {
		return fmt.Errorf("load %%d: %%w", t.id, err)
	}
	return nil
}

// Save writes the row in a transaction.
func (t *T%[2]d) Save(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	for _, column := range []string{"name", "other"} {
		if _, err := tx.ExecContext(ctx, "UPDATE things SET "+column+" = $2 WHERE id = $1", t.id, t.name); err != nil {
			return fmt.Errorf("save %%s of %%d: %%w", column, t.id, err)
		}
	}
	return tx.Commit()
}
`

func runIn(t *testing.T, dir string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(dir, args, &out, &errs)
	return code, out.String(), errs.String()
}

func copyModule(t testing.TB, from string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(from)))
	return dir
}
