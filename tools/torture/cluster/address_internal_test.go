package cluster

import (
	"errors"
	"net"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestReserveAddress_ManyReservations_NoPortIsGivenTwice(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 500 {
		a, err := reserveAddress()
		require.NoError(t, err)
		t.Cleanup(a.close)
		require.False(t, seen[a.name], a.name)
		seen[a.name] = true
	}
	for range 500 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		t.Cleanup(func() { _ = l.Close() })
		require.False(t, seen[l.Addr().String()], "the system gave a reserved port to another program")
	}
}

func TestReserveAddress_ItsProcessListensTwice_BothSucceedAndOneAtATime(t *testing.T) {
	t.Parallel()
	a, err := reserveAddress()
	require.NoError(t, err)
	t.Cleanup(a.close)
	for range 2 {
		var l net.Listener
		// A process that another test starts has a copy of the closed socket until its program runs.
		require.Eventually(t, func() bool {
			l, err = net.Listen("tcp", a.name)
			return !errors.Is(err, syscall.EADDRINUSE)
		}, 10*time.Second, time.Millisecond)
		require.NoError(t, err)
		_, err = net.Listen("tcp", a.name)
		require.ErrorIs(t, err, syscall.EADDRINUSE)
		require.NoError(t, l.Close())
	}
}
