package pgtest

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
)

// poolerPort names the socket; nothing listens on TCP.
const poolerPort = "6432"

// PgBouncer starts a PgBouncer in transaction mode in front of the database at databaseURL and returns the
// database's URL through it. It ends with the test. settings are lines of its configuration that are added or win
// over the ones here. The test is skipped where PgBouncer isn't installed.
func PgBouncer(t testing.TB, databaseURL string, settings map[string]string) string {
	t.Helper()
	program := findPgBouncer()
	if program == "" {
		t.Skip("PgBouncer isn't installed: apt-get install pgbouncer, or the like")
	}
	target, err := pgx.ParseConfig(databaseURL)
	if err != nil {
		t.Fatalf("parse the database's URL: %v", err)
	}
	dir := companionDir(t)
	all := map[string]string{
		"auth_type":          "any", // everybody is the user of the line of the database
		"listen_port":        poolerPort,
		"log_connections":    "0",
		"log_disconnections": "0",
		"pool_mode":          "transaction",
		"unix_socket_dir":    dir,
	}
	maps.Copy(all, settings)
	line := fmt.Sprintf("* = host='%s' port=%d user='%s'", target.Host, target.Port, target.User)
	if target.Password != "" {
		line += fmt.Sprintf(" password='%s'", target.Password)
	}
	ini := "[databases]\n" + line + "\n[pgbouncer]\n"
	for _, name := range slices.Sorted(maps.Keys(all)) {
		ini += name + " = " + all[name] + "\n"
	}
	file := filepath.Join(dir, "pgbouncer.ini")
	if err := os.WriteFile(file, []byte(ini), 0o644); err != nil { //nolint:gosec // G306: another user reads it
		t.Fatalf("configure PgBouncer: %v", err)
	}
	query := url.Values{"host": {dir}, "port": {poolerPort}, "sslmode": {"disable"}}
	pooled := url.URL{Scheme: "postgres", User: url.UserPassword(target.User, target.Password), Path: "/" + target.Database, RawQuery: query.Encode()}
	startCompanion(t, exec.Command(program, file), syscall.SIGTERM, func() error { return reach(t.Context(), pooled.String()) })
	return pooled.String()
}

// findPgBouncer returns the path of the program, "" if there is none. Debian's is where only root looks.
func findPgBouncer() string {
	for _, name := range []string{"pgbouncer", "/usr/sbin/pgbouncer", "/usr/local/sbin/pgbouncer", "/opt/homebrew/bin/pgbouncer"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// reach returns nil when the database at address answers.
func reach(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, companionTimeout)
	defer cancel()
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	return conn.Ping(ctx)
}
