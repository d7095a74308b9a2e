package pgtest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/postgres"
	"holdfast/internal/testtime"
)

// OtherCluster starts a cluster beside the shared one, as another server, and returns the URL of its database
// "postgres". It can have standbys, and ends with the test.
func OtherCluster(t testing.TB) string {
	t.Helper()
	server, err := postgres.Start(t.Context(), postgres.Config{
		Dir: filepath.Join(companionDir(t), "data"), Ephemeral: true,
		Settings: map[string]string{"wal_level": "replica", "max_wal_senders": "4", "max_connections": "50"},
	})
	if err != nil {
		t.Fatalf("start another cluster: %v", err)
	}
	t.Cleanup(func() { _ = server.Stop(context.Background()) })
	return server.URL()
}

// Standby starts a standby of the primary at primaryURL, which OtherCluster has started, and returns the URL of the
// same database there. It ends with the test, which is skipped where PostgreSQL has no pg_basebackup.
func Standby(t testing.TB, primaryURL string) string {
	t.Helper()
	if testtime.Quick() {
		t.Skip("a standby takes long")
	}
	dir := companionDir(t)
	programs, err := programDir(t.Context(), primaryURL)
	if err != nil {
		t.Fatalf("find PostgreSQL's programs: %v", err)
	}
	data := filepath.Join(dir, "data")
	requireStarted(t, copyPrimary(programs, primaryURL, data, dir))
	standby, err := url.Parse(primaryURL)
	if err != nil {
		t.Fatalf("parse the primary's URL: %v", err)
	}
	query := standby.Query()
	query.Set("host", dir)
	standby.RawQuery = query.Encode()
	cmd := exec.Command(filepath.Join(programs, "postgres"), "-D", data, "-k", dir, "-h", "", "-p", query.Get("port"),
		"-F")
	c, err := startCompanion(t.Context(), cmd, standby.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.end(syscall.SIGQUIT)
		if t.Failed() {
			t.Logf("%s:\n%s", cmd.Path, c.output.String())
		}
	})
	return standby.String()
}

// copyPrimary makes the data directory of a standby. It returns ErrNotInstalled where there is no pg_basebackup beside
// the server's programs, as in the PostgreSQL that is fetched from npm.
func copyPrimary(programs, primaryURL, data, dir string) error {
	program, err := exec.LookPath(filepath.Join(programs, "pg_basebackup"))
	if err != nil {
		return fmt.Errorf("%w: pg_basebackup: %w", ErrNotInstalled, err)
	}
	if err := run(exec.Command(program, "--dbname="+primaryURL, "--pgdata="+data, "--checkpoint=fast", "--no-sync",
		"--write-recovery-conf"), dir); err != nil {
		return fmt.Errorf("copy the primary: %w", err)
	}
	return nil
}

// programDir asks a server where its programs are. If the programs of PG_BIN are the same ones, it returns PG_BIN: with
// HOLDFAST_TEST_TODAY, programs that are started there have that day.
func programDir(ctx context.Context, address string) (string, error) {
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close(ctx) }()
	var dir string
	if err := conn.QueryRow(ctx, "SELECT setting FROM pg_config WHERE name = 'BINDIR'").Scan(&dir); err != nil {
		return "", err
	}
	given := os.Getenv("PG_BIN")
	if program, err := filepath.EvalSymlinks(filepath.Join(given, "pg_basebackup")); err == nil &&
		filepath.Dir(program) == dir {
		return given, nil
	}
	return dir, nil
}
