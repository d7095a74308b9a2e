package sandbox

import (
	"fmt"
	"net/netip"
	"syscall"
)

// reserveAddress binds an IPv4 address without listening: connections are refused, and no other process gets the port until
// release is called.
//
// Errors: the address isn't IPv4, or it is in use.
func reserveAddress(addr string) (release func(), err error) {
	at, err := netip.ParseAddrPort(addr)
	if err != nil || !at.Addr().Is4() {
		return nil, fmt.Errorf("bind %s: not an IPv4 address", addr)
	}
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		return nil, fmt.Errorf("bind %s: %w", addr, err)
	}
	release = func() { _ = syscall.Close(socket) }
	syscall.CloseOnExec(socket)
	// SO_REUSEADDR allows binding while closed connections are in TIME_WAIT.
	err = syscall.SetsockoptInt(socket, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1)
	if err == nil {
		err = syscall.Bind(socket, &syscall.SockaddrInet4{Addr: at.Addr().As4(), Port: int(at.Port())})
	}
	if err != nil {
		release()
		return nil, fmt.Errorf("bind %s: %w", addr, err)
	}
	return release, nil
}
