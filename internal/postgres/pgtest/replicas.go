package pgtest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/postgres"
	"holdfast/internal/testtime"
)

const (
	replicaPort = "5432" // names the sockets; nothing listens on TCP
	// attachTimeout bounds how long a standby may take to catch up.
	attachTimeout = time.Minute
	// maxReplicas is how many servers a URL names.
	maxReplicas = 100
)

// Replicas are a primary and its synchronous standby: a COMMIT on the primary waits until the standby has written it to
// disk. Its methods are not safe for concurrent use.
type Replicas struct {
	Primary, Standby *Replica
	programs, dir    string
	made             int
}

// Replica is one server.
type Replica struct {
	// URL reaches its database "postgres" as the superuser.
	URL    string
	dir    string
	cmd    func() *exec.Cmd
	server *companion
	frozen int // the process that receives the log, while it is stopped
}

// SynchronousReplicas starts a primary with a synchronous standby. They end with the test, which is skipped where
// PostgreSQL has no pg_basebackup.
func SynchronousReplicas(t testing.TB) *Replicas {
	t.Helper()
	if testtime.Quick() {
		t.Skip("a standby takes long")
	}
	r, err := StartReplicas(t.Context(), Cluster(t).URL())
	requireStarted(t, err)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the primary's output is in %s until the test process ends; waits now:\n%s", r.Primary.dir,
				waits(r.Primary))
		}
		r.Close()
	})
	return r
}

// StartReplicas is SynchronousReplicas for callers that are no test: they end it with Close. serverURL reaches any
// server on this machine; its programs are used. Errors: ErrNotInstalled where PostgreSQL has no pg_basebackup.
func StartReplicas(ctx context.Context, serverURL string) (r *Replicas, err error) {
	r = new(Replicas)
	if r.programs, err = programDir(ctx, serverURL); err != nil {
		return nil, fmt.Errorf("find PostgreSQL's programs: %w", err)
	}
	if r.dir, err = makeCompanionDir(); err != nil {
		return nil, fmt.Errorf("make a directory: %w", err)
	}
	defer func() {
		if err != nil {
			r.Close()
		}
	}()
	r.Primary = r.newReplica()
	initdb := exec.Command(filepath.Join(r.programs, "initdb"), "--pgdata="+r.Primary.data(), "--username=postgres",
		"--auth=trust",
		"--no-sync",
		"--encoding=UTF8", "--locale=C")
	if err := run(initdb, r.dir); err != nil {
		return nil, fmt.Errorf("make a cluster: %w", err)
	}
	if err := r.Primary.Start(ctx); err != nil {
		return nil, fmt.Errorf("start the primary: %w", err)
	}
	err = r.AddStandby(ctx)
	return r, err
}

// URL reaches whichever server is the primary, now and after failovers: it names the servers of now and of later.
func (r *Replicas) URL() string {
	hosts, ports := make([]string, maxReplicas), make([]string, maxReplicas)
	for i := range hosts {
		hosts[i], ports[i] = r.dirOf(i+1), replicaPort
	}
	query := url.Values{
		"host": {strings.Join(hosts, ",")}, "port": {strings.Join(ports, ",")}, "sslmode": {"disable"},
		"target_session_attrs": {"read-write"},
	}
	return (&url.URL{Scheme: "postgres", User: url.User("postgres"), Path: "/postgres",
		RawQuery: query.Encode()}).String()
}

// AddStandby starts a synchronous standby of the primary and returns when it has caught up. Until then commits wait if
// the primary had a synchronous standby before.
func (r *Replicas) AddStandby(ctx context.Context) error {
	// Before the copy, which then has the setting too.
	if err := r.Primary.exec(ctx, "ALTER SYSTEM SET synchronous_standby_names = '*'",
		"SELECT pg_reload_conf()"); err != nil {
		return err
	}
	standby := r.newReplica()
	if err := copyPrimary(r.programs, r.Primary.URL, standby.data(), r.dir); err != nil {
		return err
	}
	r.Standby = standby
	if err := standby.Start(ctx); err != nil {
		return fmt.Errorf("start the standby: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, attachTimeout)
	defer cancel()
	for {
		attached, err := query[bool](ctx, r.Primary,
			"SELECT EXISTS (SELECT FROM pg_stat_replication WHERE state = 'streaming' AND sync_state = 'sync')")
		if attached || err != nil {
			return err
		}
		time.Sleep(companionPoll)
	}
}

// Failover kills the primary, and the standby too, whatever it was doing: what it had not written to its disk is lost.
// Then it starts the standby again and promotes it. The new primary has no standby and keeps the setting by which
// commits wait for one, so they wait until AddStandby or Forget.
func (r *Replicas) Failover(ctx context.Context) error {
	r.Primary.Kill()
	r.Standby.Kill()
	_ = os.RemoveAll(r.Primary.dir)
	r.Primary, r.Standby = r.Standby, nil
	if err := r.Primary.Start(ctx); err != nil {
		return fmt.Errorf("start the standby again: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, attachTimeout)
	defer cancel()
	for {
		// The log that it still replays may end any statement.
		_, err := query[bool](ctx, r.Primary, "SELECT pg_promote(false)")
		if standby, lastErr := query[bool](ctx, r.Primary, "SELECT pg_is_in_recovery()"); lastErr == nil && !standby {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("promote the standby: %w", errors.Join(ctx.Err(), err))
		}
		time.Sleep(companionPoll)
	}
}

// Forget has commits on the primary wait for no standby any more.
func (r *Replicas) Forget(ctx context.Context) error {
	return r.Primary.exec(ctx, "ALTER SYSTEM SET synchronous_standby_names = ''", "SELECT pg_reload_conf()")
}

// Close ends both servers.
func (r *Replicas) Close() {
	for _, replica := range []*Replica{r.Primary, r.Standby} {
		if replica != nil {
			replica.Kill()
		}
	}
	_ = os.RemoveAll(r.dir)
}

func (r *Replicas) dirOf(number int) string { return filepath.Join(r.dir, strconv.Itoa(number)) }

func (r *Replicas) newReplica() *Replica {
	r.made++
	dir := r.dirOf(r.made)
	replica := &Replica{dir: dir}
	query := url.Values{"host": {dir}, "port": {replicaPort}, "sslmode": {"disable"}}
	replica.URL = (&url.URL{Scheme: "postgres", User: url.User("postgres"), Path: "/postgres",
		RawQuery: query.Encode()}).String()
	replica.cmd = func() *exec.Cmd {
		cmd := exec.Command(filepath.Join(r.programs, "postgres"), "-D", replica.data(), "-k", dir, "-h", "", "-p",
			replicaPort, "-F",
			"-c", "max_connections=120", "-c", "shared_buffers=32MB", "-c", "wal_keep_size=64MB", "-c",
			"wal_retrieve_retry_interval=100ms",
			"-c", "max_wal_size=256MB")
		cmd.Dir = r.dir
		return cmd
	}
	return replica
}

func (r *Replica) data() string { return filepath.Join(r.dir, "data") }

// Start starts a server that was stopped, and returns when it answers.
func (r *Replica) Start(ctx context.Context) (err error) {
	r.server, err = startCompanion(ctx, r.cmd(), r.URL)
	return err
}

// Kill ends the server as if its machine had lost power, but for what the operating system had taken.
func (r *Replica) Kill() {
	if r.frozen != 0 {
		_ = syscall.Kill(r.frozen, syscall.SIGKILL) // fails only if it has ended
		r.frozen = 0
	}
	if r.server != nil {
		r.server.end(syscall.SIGQUIT)
		r.server = nil
	}
}

// Freeze stops the process of a standby that receives the log. The primary believes that it is there; it confirms
// nothing any more.
func (r *Replica) Freeze(ctx context.Context) error {
	pid, err := query[int](ctx, r, "SELECT pid FROM pg_stat_wal_receiver")
	if err != nil {
		return err
	}
	r.frozen = pid
	return syscall.Kill(pid, syscall.SIGSTOP)
}

// Thaw ends Freeze.
func (r *Replica) Thaw() error {
	pid := r.frozen
	r.frozen = 0
	if pid == 0 {
		return nil
	}
	return syscall.Kill(pid, syscall.SIGCONT)
}

func (r *Replica) exec(ctx context.Context, statements ...string) error {
	conn, err := pgx.Connect(ctx, r.URL)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	for _, sql := range statements {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	return nil
}

func query[T any](ctx context.Context, r *Replica, sql string) (value T, err error) {
	conn, err := pgx.Connect(ctx, r.URL)
	if err != nil {
		return value, err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if err := conn.QueryRow(ctx, sql).Scan(&value); err != nil {
		return value, fmt.Errorf("%s: %w", sql, err)
	}
	return value, nil
}

// waits says what the sessions of a server wait for.
func waits(r *Replica) string {
	ctx, cancel := context.WithTimeout(context.Background(), dropTimeout)
	defer cancel()
	text, err := query[string](ctx, r, `SELECT coalesce(string_agg(concat_ws(' ', pid, state, wait_event, left(query, 60)), E'\n'), 'none')
		FROM pg_stat_activity WHERE backend_type = 'client backend' AND wait_event IS NOT NULL`)
	if err != nil {
		return err.Error()
	}
	return text
}

// run runs a program without privileges.
func run(cmd *exec.Cmd, dir string) error {
	cmd.Dir = dir
	if _, _, err := postgres.Unprivileged(cmd); err != nil {
		return fmt.Errorf("choose a user: %w", err)
	}
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, output)
	}
	return nil
}
