package pgtest

import (
	"context"
	"net/url"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// Machine is a directory for one PostgreSQL server, as a machine of its own would have it. It belongs to the user that
// the server runs as.
type Machine struct {
	// Dir holds Data, the data directory, and the server's socket. What else a test puts there is removed with it.
	Dir, Data string
	programs  string
	server    *companion
}

// NewMachine returns a machine with the programs of one PostgreSQL version and no data. Its server ends with the test.
func NewMachine(t testing.TB, programs string) *Machine {
	t.Helper()
	dir := companionDir(t)
	m := &Machine{Dir: dir, Data: filepath.Join(dir, "data"), programs: programs}
	t.Cleanup(m.Kill)
	return m
}

// Init makes an empty cluster, whose superuser is postgres. Segments of the log have 1 MB, so that archives are small.
func (m *Machine) Init(t testing.TB) {
	t.Helper()
	if err := run(exec.Command(filepath.Join(m.programs, "initdb"), "--pgdata="+m.Data, "--username=postgres",
		"--auth=trust", "--no-sync",
		"--encoding=UTF8", "--locale=C", "--wal-segsize=1"), m.Dir); err != nil {
		t.Fatalf("make a cluster: %v", err)
	}
}

// URL reaches a database as a user.
func (m *Machine) URL(user, database string) string {
	query := url.Values{"host": {m.Dir}, "port": {replicaPort}, "sslmode": {"disable"}}
	return (&url.URL{Scheme: "postgres", User: url.User(user), Path: "/" + database, RawQuery: query.Encode()}).String()
}

// Start starts the server and returns when it answers.
func (m *Machine) Start(t testing.TB) {
	t.Helper()
	cmd := exec.Command(filepath.Join(m.programs, "postgres"), "-D", m.Data, "-k", m.Dir, "-h", "", "-p", replicaPort,
		"-F",
		"-c", "max_connections=60", "-c", "shared_buffers=32MB", "-c", "wal_retrieve_retry_interval=100ms")
	cmd.Dir = m.Dir
	var err error
	if m.server, err = startCompanion(context.WithoutCancel(t.Context()), cmd,
		m.URL("postgres", "postgres")); err != nil {
		t.Fatal(err)
	}
}

// Stop ends the server as pg_ctl stop does: it writes what it has, and archives its log.
func (m *Machine) Stop() { m.end(syscall.SIGINT) }

// Kill ends the server as if its machine had lost power, but for what the operating system had taken.
func (m *Machine) Kill() { m.end(syscall.SIGQUIT) }

func (m *Machine) end(signal syscall.Signal) {
	if m.server != nil {
		m.server.end(signal)
		m.server = nil
	}
}
