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
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// poolerPort names the socket; nothing listens on TCP.
const poolerPort = "6432"

// PgBouncer starts a PgBouncer in transaction mode in front of the database at databaseURL and returns the
// database's URL through it. It ends with the test. settings are lines of its configuration that are added or win
// over the ones here. The test is skipped where PgBouncer isn't installed.
func PgBouncer(t testing.TB, databaseURL string, settings map[string]string) string {
	t.Helper()
	pooled, stop, err := StartPgBouncer(t.Context(), databaseURL, settings)
	requireStarted(t, err)
	t.Cleanup(stop)
	return pooled
}

// StartPgBouncer is PgBouncer for callers that are no test: stop ends it. It returns ErrNotInstalled where there is no
// PgBouncer.
func StartPgBouncer(ctx context.Context, databaseURL string, settings map[string]string,
) (pooledURL string, stop func(), err error) {
	program := findPgBouncer()
	if program == "" {
		return "", nil, fmt.Errorf("PgBouncer is %w: apt-get install pgbouncer, or the like", ErrNotInstalled)
	}
	target, err := pgx.ParseConfig(databaseURL)
	if err != nil {
		return "", nil, fmt.Errorf("parse the database's URL: %w", err)
	}
	dir, err := makeCompanionDir()
	if err != nil {
		return "", nil, fmt.Errorf("make a directory: %w", err)
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(dir)
		}
	}()
	file := filepath.Join(dir, "pgbouncer.ini")
	config := []byte(poolerConfig(target, dir, settings))
	if err := os.WriteFile(file, config, 0o644); err != nil { //nolint:gosec // G306: another user reads it
		return "", nil, fmt.Errorf("configure PgBouncer: %w", err)
	}
	query := url.Values{"host": {dir}, "port": {poolerPort}, "sslmode": {"disable"}}
	pooled := url.URL{Scheme: "postgres", User: url.UserPassword(target.User, target.Password),
		Path:     "/" + target.Database,
		RawQuery: query.Encode()}
	start := func(ctx context.Context) (*companion, error) {
		return startCompanion(ctx, exec.Command(program, file), pooled.String())
	}
	pooler, err := start(ctx)
	if err != nil {
		return "", nil, err
	}
	running, end := context.WithCancel(context.WithoutCancel(ctx))
	var supervisor sync.WaitGroup
	supervisor.Go(func() { keepRunning(running, pooler, start) })
	return pooled.String(), func() {
		end()
		supervisor.Wait()
		_ = os.RemoveAll(dir)
	}, nil
}

// keepRunning starts the pooler again when it ends by itself, as a service manager does, until ctx ends, and then ends
// it. PgBouncer 1.18 can end when a client cancels a query under load:
// https://github.com/pgbouncer/pgbouncer/issues/822
func keepRunning(ctx context.Context, pooler *companion, start func(context.Context) (*companion, error)) {
	for {
		select {
		case <-ctx.Done():
			pooler.end(syscall.SIGTERM)
			return
		case <-pooler.exited:
			fmt.Fprintf(os.Stderr, "PgBouncer ended by itself (%s) and is started again; its output:\n%s",
				pooler.cmd.ProcessState,
				&pooler.output)
			again, err := start(ctx)
			if err != nil {
				time.Sleep(companionPoll)
				continue
			}
			pooler = again
		}
	}
}

func poolerConfig(target *pgx.ConnConfig, dir string, settings map[string]string) string {
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
	return ini
}

// findPgBouncer returns the path of the program, "" if there is none. Debian's is where only root looks.
func findPgBouncer() string {
	for _, name := range []string{"pgbouncer", "/usr/sbin/pgbouncer", "/usr/local/sbin/pgbouncer",
		"/opt/homebrew/bin/pgbouncer"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}
