package edge

import (
	"context"
	"math"
	"net"
	"sync"

	"golang.org/x/sync/semaphore"
)

// Listener returns l with connections on which a server made by NewHTTPServer refuses everything with problem
// documents, also what net/http refuses by itself. Connections other than TCP are left as they are.
func Listener(l net.Listener) net.Listener { return LimitListener(l, 0) }

// LimitListener is a Listener that has at most that many connections open at once, if they are TCP; zero or less sets no
// limit. Others wait in the operating system's queue until one is closed.
func LimitListener(l net.Listener, most int64) net.Listener {
	if most <= 0 {
		most = math.MaxInt64
	}
	closed, closing := context.WithCancel(context.Background())
	return &listener{Listener: l, permits: semaphore.NewWeighted(most), closed: closed, closing: closing}
}

type listener struct {
	net.Listener
	permits *semaphore.Weighted
	closed  context.Context //nolint:containedctx // it ends with the listener, not with a call
	closing context.CancelFunc
}

// Accept waits for the next connection.
func (l *listener) Accept() (net.Conn, error) {
	if l.permits.Acquire(l.closed, 1) != nil {
		return nil, net.ErrClosed
	}
	accepted, err := l.Listener.Accept()
	if tcp, ok := accepted.(*net.TCPConn); ok {
		return &conn{TCPConn: tcp, release: sync.OnceFunc(func() { l.permits.Release(1) })}, err
	}
	l.permits.Release(1)
	return accepted, err
}

// Close ends Accept, also where it waits for a connection to be closed.
func (l *listener) Close() error {
	l.closing()
	return l.Listener.Close()
}
