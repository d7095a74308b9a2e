package pgtest_test

import (
	"context"
	"net"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"holdfast/internal/postgres/pgtest"
)

// listener returns the process that listens on the Unix socket of a database's URL.
func listener(t *testing.T, address string) int {
	t.Helper()
	cfg, err := pgx.ParseConfig(address)
	require.NoError(t, err)
	conn, err := net.Dial("unix", filepath.Join(cfg.Host, ".s.PGSQL.6432"))
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	raw, err := conn.(*net.UnixConn).SyscallConn()
	require.NoError(t, err)
	var peer *unix.Ucred
	require.NoError(t, raw.Control(func(fd uintptr) {
		peer,
			err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}))
	require.NoError(t, err)
	return int(peer.Pid)
}

func TestPgBouncer_EndsByItself_IsStartedAgain(t *testing.T) {
	t.Parallel()
	address := pgtest.PgBouncer(t, pgtest.Database(t, nil), nil)
	require.NoError(t, syscall.Kill(listener(t, address), syscall.SIGKILL))
	require.Eventually(t, func() bool {
		conn, err := pgx.Connect(t.Context(), address)
		if err != nil {
			return false
		}
		defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
		return conn.Ping(t.Context()) == nil
	}, waitLimit, 5*time.Millisecond)
}
