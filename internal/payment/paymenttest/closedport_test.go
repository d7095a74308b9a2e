package paymenttest_test

import (
	"net"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/payment/paymenttest"
)

func TestClosedPort_Open_RefusesConnectionsAndStaysBound(t *testing.T) {
	t.Parallel()
	address := strings.TrimPrefix(paymenttest.ClosedPort(t), "http://")
	_, err := net.Dial("tcp", address)
	require.ErrorIs(t, err, syscall.ECONNREFUSED)
	_, err = net.Listen("tcp", address)
	require.ErrorIs(t, err, syscall.EADDRINUSE)
}
