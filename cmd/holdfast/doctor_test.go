package main

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/db/dbtest"
	"holdfast/internal/db/preflight"
)

// checkResults returns what `doctor --json` printed.
func checkResults(t *testing.T, p *proc) map[string]preflight.Result {
	t.Helper()
	var list []preflight.Result
	require.NoError(t, json.Unmarshal([]byte(p.Stdout.String()), &list), "%s", p.Stdout.String())
	byCheck := make(map[string]preflight.Result)
	for _, f := range list {
		byCheck[f.Check] = f
	}
	require.Len(t, byCheck, len(list))
	return byCheck
}

func TestDoctor_SoundDatabaseBehindAPooler_PrintsThatEveryCheckPassed(t *testing.T) {
	t.Parallel()
	env, _ := pooledDatabase(t)
	_, code := run(t, newDir(t), env, "migrate")
	require.Zero(t, code)
	p, code := run(t, newDir(t), env, "doctor")
	require.Zero(t, code, "%s", p.log())
	table := p.Stdout.String()
	require.Regexp(t, `(?m)^CHECK +RESULT +WHAT IT MEANS, WHAT TO DO$`, table)
	require.Regexp(t, `(?m)^connection +ok +.*through a transaction pooler`, table)
	require.Regexp(t, `(?m)^session locks +ok +`, table)
	require.NotRegexp(t, `failed|skipped`, table)

	p, code = run(t, newDir(t), env, "doctor", "--json")
	require.Zero(t, code, "%s", p.log())
	for name, f := range checkResults(t, p) {
		// The databases of tests needn't survive a crash, are small, and have a superuser's login.
		if name != "durability" && name != "checkpoints" && name != "login" {
			require.Equal(t, preflight.OK, f.Result, name)
		}
		require.Regexp(t, `(?m)^`+name+` +`+f.Result+` +`, table)
	}
}

func TestDoctor_ASetupThatServeWouldRefuse_SaysWhatToDoAndFails(t *testing.T) {
	t.Parallel()
	env, _ := pooledDatabase(t)
	p, code := run(t, newDir(t), env[:1], "doctor")
	require.Equal(t, 1, code)
	require.Regexp(t, `(?m)^session locks +failed +.*transaction pooler.*\n +→ set HOLDFAST_DIRECT_DATABASE_URL`,
		p.Stdout.String())
	require.Regexp(t, `(?m)^schema +failed +there are no tables\n +→ run holdfast migrate$`, p.Stdout.String())
	require.Regexp(t, `(?m)^visibility +skipped +after schema$`, p.Stdout.String())
	require.Contains(t, p.log(), "2 of 23 checks failed")

	p, code = run(t, newDir(t), env[:1], "doctor", "--json")
	require.Equal(t, 1, code)
	require.Equal(t, "run holdfast migrate", checkResults(t, p)["schema"].Advice)
}

func TestDoctor_BesideAServer_ChecksItsDatabase(t *testing.T) {
	t.Parallel()
	dir := filledDir(t)
	server := start(t, dir)
	p, code := run(t, dir, nil, "doctor", "--json")
	require.Zero(t, code, "%s", p.log())
	results := checkResults(t, p)
	require.Equal(t, "the same connection", results["direct connection"].Meaning)
	require.NotContains(t, results, "login")
	// the embedded database follows our own advice
	for _, check := range []string{"durability", "log compression", "checkpoints"} {
		require.Equal(t, preflight.OK, results[check].Result, results[check].Meaning)
	}
	require.True(t, server.alive())
}

func TestDoctor_SomebodyHasLockedATable_SaysWho(t *testing.T) {
	t.Parallel()
	url := dbtest.Database(t)
	sql := dbtest.SQL(t, url)
	tx, err := sql.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }()
	_, err = tx.Exec(t.Context(), "LOCK TABLE closures IN ACCESS EXCLUSIVE MODE")
	require.NoError(t, err)
	waited := make(chan error, 1)
	go func() {
		_, err := sql.Exec(t.Context(), "SELECT FROM closures")
		waited <- err
	}()
	require.Eventually(t, func() bool {
		var waiting int
		err := sql.QueryRow(t.Context(),
			"SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'closures'::regclass").
			Scan(&waiting)
		return err == nil && waiting == 1
	}, 30*time.Second, time.Millisecond)
	p, code := run(t, newDir(t), []string{"HOLDFAST_DATABASE_URL=" + url}, "doctor", "--json")
	require.Equal(t, 1, code, "%s", p.log())
	results := checkResults(t, p)
	require.Contains(t, results["guards"].Meaning, "a table is locked", "it doesn't wait for the table for long")
	require.Equal(t, preflight.OK, results["visibility"].Result)
	waits := results["waits"]
	require.Equal(t, preflight.Advice, waits.Result)
	require.Regexp(t, `^1 sessions wait, for up to .*, behind process \d+ of .* which holds table closures$`,
		waits.Meaning)
	require.Regexp(t, `SELECT pg_terminate_backend\(\d+\)`, waits.Advice)
	require.NoError(t, tx.Rollback(t.Context()))
	require.NoError(t, <-waited)
}

func TestCommands_DirectoryWithoutADatabase_MakeNone(t *testing.T) {
	t.Parallel()
	for _, command := range []string{
		"doctor", "events list", "events stats", "events cancel --all", "wallets verify", "wallets rebuild --tenant a",
		"tenant list",
		"reconcile --from 2026-01-01 --to 2026-01-31",
	} {
		dir := filepath.Join(newDir(t), "missing")
		p, code := run(t, dir, nil, strings.Fields(command)...)
		require.NotZero(t, code, command)
		require.Contains(t, p.log(), "there is no database in "+dir, command)
		require.NoDirExists(t, dir, command)
	}
}

func TestDoctor_DatabaseOfAStoppedServer_IsStartedForTheChecks(t *testing.T) {
	t.Parallel()
	dir := filledDir(t)
	start(t, dir).stop(t)
	p, code := run(t, dir, nil, "doctor")
	require.Zero(t, code, "%s", p.log())
}

func TestDoctor_DatabaseThatCannotBeReached_SaysSoWithoutThePassword(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	p, code := run(t, dir, []string{
		"HOLDFAST_DATABASE_URL=" + dbtest.Database(t),
		"HOLDFAST_DIRECT_DATABASE_URL=postgres://me:secret@127.0.0.1:1/none",
	}, "doctor")
	require.Equal(t, 1, code)
	require.Regexp(t, `(?m)^direct connection +failed +.*connection refused`, p.Stdout.String())
	require.NotContains(t, p.log()+p.Stdout.String(), "secret")
	require.NoDirExists(t, dir, "nothing was begun")
}
