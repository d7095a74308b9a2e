package cluster

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"syscall"
)

// address is an address of the loopback, HOST:PORT, that belongs to one process of a run. Its socket is bound to the
// port and never listens: nobody else gets the port while that process is down, and the process can listen on it,
// because both sockets have SO_REUSEADDR.
type address struct {
	socket int
	name   string
}

// reserveAddress returns an address where nobody listens. The caller closes it.
func reserveAddress() (a *address, err error) {
	syscall.ForkLock.RLock() // no process may start in between and inherit the socket
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(socket)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	a = &address{socket: socket}
	defer func() {
		if err != nil {
			a.close()
		}
	}()
	// SO_REUSEADDR comes after the bind: before it, the system could choose a port that another run has reserved.
	if err := syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return nil, os.NewSyscallError("bind", err)
	}
	if err := syscall.SetsockoptInt(socket, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1); err != nil {
		return nil, os.NewSyscallError("setsockopt", err)
	}
	bound, err := syscall.Getsockname(socket)
	if err != nil {
		return nil, os.NewSyscallError("getsockname", err)
	}
	inet, ok := bound.(*syscall.SockaddrInet4)
	if !ok {
		return nil, fmt.Errorf("a socket of the loopback is bound to %T", bound)
	}
	a.name = net.JoinHostPort("127.0.0.1", strconv.Itoa(inet.Port))
	return a, nil
}

// close frees the port.
func (a *address) close() { _ = syscall.Close(a.socket) }
