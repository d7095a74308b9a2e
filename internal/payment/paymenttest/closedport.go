package paymenttest

import (
	"fmt"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// ClosedPort returns the URL of a loopback port that refuses connections. The port stays bound until the test ends, so
// no other process can listen on it.
func ClosedPort(t testing.TB) string {
	t.Helper()
	syscall.ForkLock.RLock() // no process may start in between and inherit the socket
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(socket)
	}
	syscall.ForkLock.RUnlock()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, syscall.Close(socket)) })
	require.NoError(t, syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	address, err := syscall.Getsockname(socket)
	require.NoError(t, err)
	return fmt.Sprintf("http://127.0.0.1:%d", address.(*syscall.SockaddrInet4).Port)
}
