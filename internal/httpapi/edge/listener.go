package edge

import (
	"context"
	"log/slog"
	"math"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"
)

// ConnectionLimits bound the connections that are open at once. The zero value sets no limit.
type ConnectionLimits struct {
	// Most is how many there may be. Others wait in the operating system's queue until one is closed. One address may
	// have a quarter of them, so that no client keeps all others out; what it opens beyond that is closed at once. Zero
	// or less sets no limit.
	Most int64
	// Proxies are the networks whose connections aren't one client's: see Edge.TrustProxies. They may have all.
	Proxies []netip.Prefix
	// Log tells that connections of an address are refused; nil tells nobody.
	Log *slog.Logger
}

// shareOfAddress is the part of all connections that one address may have.
const shareOfAddress = 4

// Listener returns l with connections on which a server made by NewHTTPServer refuses everything with problem
// documents, also what net/http refuses by itself. Connections other than TCP are left as they are.
func Listener(l net.Listener) net.Listener { return LimitListener(l, ConnectionLimits{}) }

// LimitListener is a Listener whose connections are bounded, if they are TCP.
func LimitListener(l net.Listener, limits ConnectionLimits) net.Listener {
	if limits.Most <= 0 {
		limits.Most = math.MaxInt64
	}
	if limits.Log == nil {
		limits.Log = slog.New(slog.DiscardHandler)
	}
	closed, closing := context.WithCancel(context.Background())
	return &listener{
		Listener: l,
		limits:   limits,
		permits:  semaphore.NewWeighted(limits.Most),
		open:     make(map[netip.Prefix]int64),
		told:     &rate.Sometimes{Interval: 10 * time.Second},
		closed:   closed,
		closing:  closing,
	}
}

type listener struct {
	net.Listener
	limits  ConnectionLimits
	permits *semaphore.Weighted
	told    *rate.Sometimes
	closed  context.Context //nolint:containedctx // it ends with the listener, not with a call
	closing context.CancelFunc

	mu   sync.Mutex
	open map[netip.Prefix]int64 // connections of an address
}

// Accept waits for the next connection.
func (l *listener) Accept() (net.Conn, error) {
	if l.permits.Acquire(l.closed, 1) != nil {
		return nil, net.ErrClosed
	}
	for {
		accepted, err := l.Listener.Accept()
		tcp, ok := accepted.(*net.TCPConn)
		if !ok {
			l.permits.Release(1)
			return accepted, err
		}
		if leave, ok := l.enter(tcp); ok {
			return &conn{TCPConn: tcp, release: sync.OnceFunc(func() { leave(); l.permits.Release(1) })}, nil
		}
		_ = tcp.Close()
	}
}

// enter counts a connection of its address until leave is called; false if the address has its share.
func (l *listener) enter(c *net.TCPConn) (leave func(), ok bool) {
	remote, ok := c.RemoteAddr().(*net.TCPAddr)
	if !ok {
		return func() {}, true
	}
	ip := remote.AddrPort().Addr().Unmap()
	if slices.ContainsFunc(l.limits.Proxies, func(n netip.Prefix) bool { return n.Contains(ip) }) {
		return func() {}, true
	}
	address := networkOf(ip)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[address] >= max(l.limits.Most/shareOfAddress, 1) {
		l.told.Do(func() {
			l.limits.Log.Warn("an address has as many connections open as it may; others of it are closed. If it is a proxy's, "+
				"it belongs into HOLDFAST_TRUSTED_PROXIES. This line comes at most every ten seconds",
				"address", address.String(), "connections", l.open[address])
		})
		return nil, false
	}
	l.open[address]++
	return func() { l.leave(address) }, true
}

func (l *listener) leave(address netip.Prefix) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[address]--; l.open[address] == 0 {
		delete(l.open, address)
	}
}

// Close ends Accept, also where it waits for a connection to be closed.
func (l *listener) Close() error {
	l.closing()
	return l.Listener.Close()
}
