package edge

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"holdfast/internal/problem"
)

// net/http answers a request that it can't read by itself, before a handler begins: in plain text without a code, and
// with 501 or 505 for some mistakes of the client. Clients were promised problem documents, and no 5xx for any input.
// So a connection knows whether a handler has begun, and replaces a response that is written when none has.

// conn is a connection that knows whether a handler has begun. The handler, connState and net/http's own responses all
// run on the goroutine that serves the connection.
type conn struct {
	*net.TCPConn
	handling bool        // a handler has begun, and its response is not yet written to the end
	linger   atomic.Bool // read by Close, which a closing server calls from elsewhere
	arriving bool        // a part of the request's body hasn't arrived, and nobody waits for it yet
	release  func()      // what it holds of its listener
	framing  framing
}

// Read keeps what it reads until it is known to which request it belongs.
func (c *conn) Read(p []byte) (int, error) {
	n, err := c.TCPConn.Read(p)
	c.framing.add(p[:n])
	return n, err
}

type connKey struct{}

func connContext(ctx context.Context, c net.Conn) context.Context {
	if c, ok := c.(*conn); ok {
		return context.WithValue(ctx, connKey{}, c)
	}
	return ctx
}

// trackHandling notes that a handler has begun. It refuses a request whose framing is ambiguous, and closes the
// connection after a chunked one.
func trackHandling(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, ok := r.Context().Value(connKey{}).(*conn); ok {
			ambiguous, last, whole := c.framing.begin(r)
			if last {
				w.Header().Set("Connection", "close")
			}
			if ambiguous {
				w.WriteHeader(http.StatusBadRequest) // replaced by Write, because no handler has begun
				return
			}
			c.handling = true
			c.linger.Store(r.ContentLength != 0)
			if c.arriving = !whole; c.arriving {
				_ = c.SetReadDeadline(time.Now().Add(unwantedTime))
			}
		}
		next.ServeHTTP(w, r)
	})
}

// unwantedTime is how long the rest of a body may take that no handler waits for, because it has refused the request.
// Before it answers, net/http reads on, so that the connection can be kept.
const unwantedTime = time.Second

// isArriving reports whether a part of a request's body hasn't arrived, and nobody waits for it yet.
func isArriving(r *http.Request) bool {
	c, ok := r.Context().Value(connKey{}).(*conn)
	return ok && c.arriving
}

// awaitBody gives a body that is arriving as long as the server gives it.
func awaitBody(r *http.Request) {
	c := r.Context().Value(connKey{}).(*conn)
	c.arriving = false
	deadline := time.Time{}
	if server, ok := r.Context().Value(http.ServerContextKey).(*http.Server); ok && server.ReadTimeout > 0 {
		deadline = time.Now().Add(server.ReadTimeout)
	}
	_ = c.SetReadDeadline(deadline)
}

// bodyRead notes that nothing of the request is left to read, so that its connection can be closed at once.
func bodyRead(ctx context.Context) {
	if c, ok := ctx.Value(connKey{}).(*conn); ok {
		c.linger.Store(false)
	}
}

// connState notes the end of a response: a connection becomes idle when its response was written to the end. A
// connection that doesn't become idle is closed or belongs to the handler.
func connState(c net.Conn, state http.ConnState) {
	if c, ok := c.(*conn); ok && state == http.StateIdle {
		c.handling = false
		c.linger.Store(false)
	}
}

// Write writes a handler's response as it is, and a problem document in place of net/http's own response.
func (c *conn) Write(p []byte) (int, error) {
	status := 0
	if !c.handling && len(p) > 12 && bytes.HasPrefix(p, []byte("HTTP/1.")) {
		status, _ = strconv.Atoi(string(p[9:12]))
	}
	if status < http.StatusBadRequest {
		return c.TCPConn.Write(p)
	}
	c.linger.Store(true)
	if _, err := c.TCPConn.Write(malformedRequest(status)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close closes the connection. A connection that is closed while bytes wait to be read is reset, and the reset may
// overtake the response. So where bytes are expected, Close first ends its side and reads on for a while (RFC 9112,
// section 9.6).
func (c *conn) Close() error {
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

// malformedRequest is the whole response to a request that net/http couldn't read and would answer with status.
func malformedRequest(status int) []byte {
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
