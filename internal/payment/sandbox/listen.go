package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"runtime"
	"syscall"
)

// listen listens on addr and reserves the address, so that no other process gets the port while the server is down.
// release ends the reservation. It is nil if there is none: only Linux can reserve an address and listen on it, and
// only one of IPv4.
//
// Errors: the address is in use.
func listen(ctx context.Context, addr string) (listener net.Listener, release func(), err error) {
	if bound, free, err := reserveAddress(addr); err == nil {
		addr, release = bound, free
	}
	listener, err = new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil && release != nil {
		release()
	}
	return listener, release, err
}

// reserveAddress binds an IPv4 address with a socket that never listens. It returns the address with its port. Other
// sockets can listen on the address because they too have SO_REUSEADDR. Nobody who asks for any port gets this one.
func reserveAddress(addr string) (bound string, release func(), err error) {
	at, err := netip.ParseAddrPort(addr)
	if err != nil || !at.Addr().Is4() || runtime.GOOS != "linux" {
		return "", nil, errors.New("not an IPv4 address of Linux")
	}
	syscall.ForkLock.RLock() // no process may start in between and inherit the socket
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(socket)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return "", nil, os.NewSyscallError("socket", err)
	}
	release = func() { _ = syscall.Close(socket) }
	defer func() {
		if err != nil {
			release()
		}
	}()
	reuse := func() error {
		return os.NewSyscallError("setsockopt",
			syscall.SetsockoptInt(socket, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1))
	}
	if at.Port() != 0 { // closed connections may be in TIME_WAIT
		if err := reuse(); err != nil {
			return "", nil, err
		}
	}
	if err := syscall.Bind(socket, &syscall.SockaddrInet4{Addr: at.Addr().As4(), Port: int(at.Port())}); err != nil {
		return "", nil, os.NewSyscallError("bind", err)
	}
	if at.Port() == 0 { // before the bind, the system could choose a port that is reserved in this way
		if err := reuse(); err != nil {
			return "", nil, err
		}
	}
	name, err := syscall.Getsockname(socket)
	if err != nil {
		return "", nil, os.NewSyscallError("getsockname", err)
	}
	inet, ok := name.(*syscall.SockaddrInet4)
	if !ok {
		return "", nil, fmt.Errorf("a socket of IPv4 is bound to %T", name)
	}
	return netip.AddrPortFrom(at.Addr(), uint16(inet.Port)).String(), release, nil
}
