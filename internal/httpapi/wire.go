package httpapi

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"holdfast/internal/problem"
)

// net/http answers requests that it can't read by itself: plain text, no code, and a 501 or 505 for what is
// the client's mistake. No handler sees them. What gives them away is the time of the write: before a handler
// has begun, nobody else writes to the connection. So each connection knows whether a handler has begun, and
// an answer written when none has is replaced.

// Listener returns l with connections on which a server made by NewHTTPServer answers everything with problem
// documents, also what net/http refuses by itself. Connections other than TCP are left as they are.
func Listener(l net.Listener) net.Listener { return LimitListener(l, 0) }

// LimitListener is a Listener that has at most that many connections open at once, if they are TCP; zero or less sets no
// limit. Others wait in the operating system's queue until one is closed.
func LimitListener(l net.Listener, most int64) net.Listener {
	if most <= 0 {
		most = math.MaxInt64
	}
	closed, closing := context.WithCancel(context.Background())
	return &listener{Listener: l, places: semaphore.NewWeighted(most), closed: closed, closing: closing}
}

type listener struct {
	net.Listener
	places  *semaphore.Weighted
	closed  context.Context //nolint:containedctx // it ends with the listener, not with a call
	closing context.CancelFunc
}

// Accept waits for the next connection.
func (l *listener) Accept() (net.Conn, error) {
	if l.places.Acquire(l.closed, 1) != nil {
		return nil, net.ErrClosed
	}
	conn, err := l.Listener.Accept()
	if tcp, ok := conn.(*net.TCPConn); ok {
		return &wireConn{TCPConn: tcp, release: sync.OnceFunc(func() { l.places.Release(1) })}, err
	}
	l.places.Release(1)
	return conn, err
}

// Close ends Accept, also where it waits for a connection to be closed.
func (l *listener) Close() error {
	l.closing()
	return l.Listener.Close()
}

// wireConn is a connection that knows whether a handler has begun to answer. Handler, connState and net/http's
// own answers all run on the goroutine that serves the connection.
type wireConn struct {
	*net.TCPConn
	answering bool
	linger    atomic.Bool // read by Close, which a closing server calls from elsewhere
	release   func()      // what it holds of its listener
}

type wireConnKey struct{}

func connContext(ctx context.Context, conn net.Conn) context.Context {
	if c, ok := conn.(*wireConn); ok {
		return context.WithValue(ctx, wireConnKey{}, c)
	}
	return ctx
}

func answering(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, ok := r.Context().Value(wireConnKey{}).(*wireConn); ok {
			c.answering = true
			c.linger.Store(r.ContentLength != 0)
		}
		next.ServeHTTP(w, r)
	})
}

// bodyRead says that nothing of the request is left to read, so that its connection can be closed at once.
func bodyRead(ctx context.Context) {
	if c, ok := ctx.Value(wireConnKey{}).(*wireConn); ok {
		c.linger.Store(false)
	}
}

// connState notes the end of an answer: a connection becomes idle when its answer was written to the end, and
// one that doesn't become idle is closed or belongs to the handler.
func connState(conn net.Conn, state http.ConnState) {
	if c, ok := conn.(*wireConn); ok && state == http.StateIdle {
		c.answering = false
		c.linger.Store(false)
	}
}

// Write writes a handler's answer as it is, and a problem document in place of net/http's own.
func (c *wireConn) Write(p []byte) (int, error) {
	status := 0
	if !c.answering && len(p) > 12 && bytes.HasPrefix(p, []byte("HTTP/1.")) {
		status, _ = strconv.Atoi(string(p[9:12]))
	}
	if status < http.StatusBadRequest {
		return c.TCPConn.Write(p)
	}
	c.linger.Store(true)
	if _, err := c.TCPConn.Write(unreadable(status)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close closes the connection. Closing one on which bytes wait to be read resets it, and the reset may overtake
// the answer; so where bytes are expected, Close says that the answer was all and reads on for a while first
// (RFC 9112, section 9.6).
func (c *wireConn) Close() error {
	defer c.release()
	if c.linger.Swap(false) {
		_ = c.CloseWrite()
		_ = c.SetReadDeadline(time.Now().Add(lingerTime))
		_, _ = io.CopyN(io.Discard, c.TCPConn, lingerBytes)
	}
	return c.TCPConn.Close()
}

const (
	lingerTime  = 500 * time.Millisecond
	lingerBytes = 16 << 20
)

// unreadable is the whole answer to a request that net/http couldn't read and would answer with status.
func unreadable(status int) []byte {
	detail := "The request is not valid HTTP: its request line, its headers or its framing can't be understood."
	switch {
	case status == http.StatusRequestHeaderFieldsTooLarge:
		detail = "The request's headers are too large."
	case status == http.StatusExpectationFailed:
		detail = "The only expectation that is supported is 100-continue."
	case status >= http.StatusInternalServerError:
		status = http.StatusBadRequest // asking for a version or coding that we don't speak is no failure of ours
	}
	document := problem.DocumentOf(problem.New(problem.MalformedRequest, detail))
	document.Status = status
	document.Title = http.StatusText(status)
	body := document.JSON()
	return fmt.Appendf(nil, "HTTP/1.1 %d %s\r\nConnection: close\r\nContent-Length: %d\r\nContent-Type: %s\r\n"+
		"Date: %s\r\nRequest-Id: %s\r\nX-Content-Type-Options: nosniff\r\n\r\n%s",
		status, document.Title, len(body), document.ContentType(""),
		time.Now().UTC().Format(http.TimeFormat), newRequestID(), body)
}
