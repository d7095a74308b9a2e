package webhook_test

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/webhook"
)

const maxBody = 16 << 10

// endpoints starts a server of each version of HTTP.
func endpoints(t *testing.T, handler func(e *endpoint, w http.ResponseWriter, r *http.Request)) []*endpoint {
	t.Helper()
	return []*endpoint{startTLS(t, handler), startEndpoint(t, "127.0.0.1:0", func(s *httptest.Server) {
		s.EnableHTTP2 = true
		s.StartTLS()
	}, handler)}
}

func TestPost_Body10MB_Keeps16KiB(t *testing.T) {
	t.Parallel()
	body := bytes.Repeat([]byte("0123456789abcdef"), 10<<20/16)
	for _, e := range endpoints(t, func(_ *endpoint, w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(body) }) {
		response, err := post(t, reach(t, e), e.URL)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, response.Status)
		require.True(t, response.Truncated)
		require.Equal(t, string(body[:maxBody]), response.Body)
	}
}

func TestPost_BodyWithoutEnd_Keeps16KiBAndCloses(t *testing.T) {
	t.Parallel()
	block := bytes.Repeat([]byte("x"), 1000)
	for _, e := range endpoints(t, func(_ *endpoint, w http.ResponseWriter, _ *http.Request) {
		for {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	}) {
		response, err := post(t, reach(t, e), e.URL)
		require.NoError(t, err)
		require.True(t, response.Truncated)
		require.Len(t, response.Body, maxBody)
		<-e.closed
	}
}

// drip writes a byte at a time until the test ends or the client has gone.
func drip(e *endpoint, w io.Writer, flush func() error) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-e.done:
			return
		case <-tick.C:
		}
		if _, err := io.WriteString(w, "x"); err != nil {
			return
		}
		if flush() != nil {
			return
		}
	}
}

func TestPost_BodyByteByByte_IsTimeoutAndCloses(t *testing.T) {
	t.Parallel()
	for _, e := range endpoints(t, func(e *endpoint, w http.ResponseWriter, _ *http.Request) {
		drip(e, w, http.NewResponseController(w).Flush)
	}) {
		response, err := post(t, reachBriefly(t, e), e.URL)
		requireFailure(t, webhook.ReasonTimeout, response, err)
		<-e.closed
	}
}

func TestPost_HeadersByteByByte_IsTimeout(t *testing.T) {
	t.Parallel()
	e := startTLS(t, func(e *endpoint, w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nA: ")
		drip(e, conn, func() error { return nil })
	})
	response, err := post(t, reachBriefly(t, e), e.URL)
	requireFailure(t, webhook.ReasonTimeout, response, err)
}

func TestPost_SwitchingProtocols_IsNoResponseAndCloses(t *testing.T) {
	t.Parallel()
	for _, status := range []string{"101 Switching Protocols", "000 None"} {
		gone := make(chan struct{})
		e := startTLS(t, func(_ *endpoint, w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				return
			}
			defer func() { _ = conn.Close() }()
			_, _ = io.WriteString(conn, "HTTP/1.1 "+status+"\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n")
			_, _ = io.Copy(io.Discard, conn) // until the client closes
			close(gone)
		})
		response, err := post(t, reach(t, e), e.URL)
		requireFailure(t, webhook.ReasonProtocol, response, err)
		select {
		case <-gone:
		case <-time.After(time.Minute):
			require.Fail(t, "the client keeps the connection")
		}
	}
}

func TestPost_NoResponse_IsTimeout(t *testing.T) {
	t.Parallel()
	for _, e := range endpoints(t, func(e *endpoint, _ http.ResponseWriter, _ *http.Request) { <-e.done }) {
		response, err := post(t, reachBriefly(t, e), e.URL)
		requireFailure(t, webhook.ReasonTimeout, response, err)
	}
}

func TestPost_TLSHandshakeWithoutAnswer_IsTimeoutAndCloses(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		_, _ = io.Copy(io.Discard, conn) // it ends when the client closes
		_ = conn.Close()
	}()
	client := webhook.NewClient(webhook.Config{Allowed: networks(t, "127.0.0.0/8"), Timeout: shortTimeout})
	response, err := post(t, client, "https://"+listener.Addr().String())
	requireFailure(t, webhook.ReasonTimeout, response, err)
	<-closed
}

func TestPost_DNSWithoutAnswer_IsTimeout(t *testing.T) {
	t.Parallel()
	_, resolver := startNameServer(t, nil)
	client := webhook.NewClient(webhook.Config{Allowed: networks(t, "127.0.0.0/8"), Timeout: shortTimeout,
		Resolver: resolver})
	response, err := post(t, client, "https://"+hookName)
	requireFailure(t, webhook.ReasonTimeout, response, err)
}

func TestPost_HeadersOver16KiB_IsProtocol(t *testing.T) {
	t.Parallel()
	for _, value := range []string{strings.Repeat("x", 1<<20), strings.Repeat("x", 17<<10)} {
		for _, e := range endpoints(t, func(_ *endpoint, w http.ResponseWriter,
			_ *http.Request) {
			w.Header().Set("X-Flood", value)
		}) {
			response, err := post(t, reach(t, e), e.URL)
			requireFailure(t, webhook.ReasonProtocol, response, err)
		}
	}
}

func TestPost_InterimResponsesWithoutEnd_IsProtocol(t *testing.T) {
	t.Parallel()
	for _, e := range endpoints(t, func(e *endpoint, w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			select {
			case <-e.done:
				return
			default:
				w.Header().Set("Link", "</style.css>; rel=preload")
				w.WriteHeader(http.StatusEarlyHints)
			}
		}
	}) {
		response, err := post(t, reach(t, e), e.URL)
		requireFailure(t, webhook.ReasonProtocol, response, err)
	}
}
