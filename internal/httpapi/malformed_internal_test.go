package httpapi

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

func TestMalformed_RejectedByNetHTTP_IsAProblem(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	for name, tt := range map[string]struct {
		request string
		status  int
	}{
		"no HTTP at all":             {"secret\r\n\r\n", 400},
		"a broken request line":      {"GET /secret\r\nHost: x\r\n\r\n", 400},
		"a broken escape":            {"GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n", 400},
		"no host":                    {"GET / HTTP/1.1\r\n\r\n", 400},
		"two hosts":                  {"GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400},
		"a malformed host":           {"GET / HTTP/1.1\r\nHost: x y\r\n\r\n", 400},
		"a control byte in a header": {"GET / HTTP/1.1\r\nHost: x\r\nIdempotency-Key: a\x01secret\r\n\r\n", 400},
		"a NUL in a header":          {"GET / HTTP/1.1\r\nHost: x\r\nIdempotency-Key: a\x00b\r\n\r\n", 400},
		"a broken header name":       {"GET / HTTP/1.1\r\nHost: x\r\nA B: c\r\n\r\n", 400},
		"no colon":                   {"GET / HTTP/1.1\r\nHost: x\r\nsecret\r\n\r\n", 400},
		"a negative length":          {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 400},
		"two lengths": {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
			400},
		"an unknown transfer coding": {"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: secret\r\n\r\n", 400},
		"an unknown version":         {"GET / HTTP/3.0\r\nHost: x\r\n\r\n", 400},
		"headers beyond the limit": {"GET / HTTP/1.1\r\nHost: x\r\nA: " + strings.Repeat("secret", 10_000) +
			"\r\n\r\n", 431},
		"a URL beyond the limit": {"GET /" + strings.Repeat("secret", 10_000) + " HTTP/1.1\r\nHost: x\r\n\r\n",
			431},
		"an unknown expectation": {"POST / HTTP/1.1\r\nHost: x\r\nExpect: secret\r\nContent-Length: 2\r\n\r\n{}",
			417},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn := dial(t, s.addr)
			send(t, conn, tt.request)
			in := bufio.NewReader(conn)
			res, err := http.ReadResponse(in, nil)
			require.NoError(t, err)
			require.True(t, res.Close)
			a := answerOf(t, res)
			requireProblem(t, a, tt.status, problem.MalformedRequest)
			require.Equal(t, http.StatusText(tt.status), strings.TrimPrefix(res.Status, res.Status[:4]))
			require.NotContains(t, a.body, "secret")
			_, err = in.ReadByte()
			require.ErrorIs(t, err, io.EOF, "the connection ends")
		})
	}
}

func TestMalformed_OnReusedConnection_IsAProblem(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	conn := dial(t, s.addr)
	in := bufio.NewReader(conn)
	for range 3 {
		send(t, conn, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
		res, err := http.ReadResponse(in, nil)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, answerOf(t, res).status)
	}
	send(t, conn, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\n\r\n") // pipelined
	res, err := http.ReadResponse(in, nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, answerOf(t, res).status)
	res, err = http.ReadResponse(in, nil)
	require.NoError(t, err)
	requireProblem(t, answerOf(t, res), http.StatusBadRequest, problem.MalformedRequest)
}

func TestMalformed_ClientStillSending_GetsTheResponse(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	for range 20 { // a reset that overtakes the answer does so only sometimes
		conn := dial(t, s.addr)
		send(t, conn, "POST / HTTP/1.1\r\nHost: x\r\nBad Header: y\r\nContent-Length: 100000\r\n\r\n"+
			strings.Repeat("x", 100_000))
		requireProblem(t, receive(t, conn), http.StatusBadRequest, problem.MalformedRequest)
	}
}

// canned is what net/http's own refusal looks like.
const canned = "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n400 Bad Request"

func TestConn_HandlersResponse_IsUnchanged(t *testing.T) {
	t.Parallel()
	large := strings.Repeat(canned, 20_000)
	s := newTestServer(t, func(s *testServer) {
		s.routes.GET("/v1/canned", func(c *gin.Context) { c.String(http.StatusBadRequest, canned) })
		s.routes.GET("/v1/large", func(c *gin.Context) { c.String(http.StatusOK, large) })
		s.routes.GET("/v1/pieces", func(c *gin.Context) {
			c.Header("Content-Length", "420") // so that a piece is a write of its own, with nothing before it
			for range 420 / len(canned) {
				_, _ = c.Writer.WriteString(canned)
				c.Writer.Flush()
			}
			_, _ = c.Writer.WriteString(strings.Repeat("x", 420%len(canned)))
		})
		s.routes.GET("/v1/hijack", func(c *gin.Context) {
			conn, _, err := c.Writer.Hijack()
			if err == nil {
				_, _ = io.WriteString(conn, canned)
				_ = conn.Close()
			}
		})
	})
	conn := dial(t, s.addr)
	in := bufio.NewReader(conn)
	for range 2 { // on a connection that is kept
		for path, want := range map[string]string{
			"/v1/canned": canned,
			"/v1/large":  large,
			"/v1/pieces": strings.Repeat(canned, 420/len(canned)) + strings.Repeat("x", 420%len(canned)),
		} {
			send(t, conn, "GET "+path+" HTTP/1.1\r\nHost: x\r\n\r\n")
			res, err := http.ReadResponse(in, nil)
			require.NoError(t, err)
			require.Equal(t, want, answerOf(t, res).body)
		}
	}
	send(t, conn, "GET /v1/hijack HTTP/1.1\r\nHost: x\r\n\r\n")
	got, err := io.ReadAll(in)
	require.NoError(t, err)
	require.Equal(t, canned, string(got))
}

func TestServer_PlainListener_Works(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go func() { _ = s.http.Serve(l) }()
	conn := dial(t, l.Addr().String())
	send(t, conn, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
	require.Equal(t, http.StatusOK, receive(t, conn).status)
}
