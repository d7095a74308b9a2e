package webhook_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/webhook"
)

func TestPost_SameURLAgain_UsesTheSameConnection(t *testing.T) {
	t.Parallel()
	for _, e := range endpoints(t, answerOK) {
		client := reach(t, e)
		for range 20 {
			_, err := post(t, client, e.URL)
			require.NoError(t, err)
		}
		require.Equal(t, int32(1), e.opened.Load())
		webhook.EndConnections(client)
		<-e.closed
		_, err := post(t, client, e.URL)
		require.NoError(t, err)
		require.Equal(t, int32(2), e.opened.Load())
	}
}

func TestPost_ManyAtOnce_OpensNoMoreConnectionsThanItMakesExchanges(t *testing.T) {
	t.Parallel()
	const atOnce = 20
	e := startEndpoint(t, "127.0.0.1:0", (*httptest.Server).Start, answerOK)
	client := reachPlain(t)
	for range 10 {
		var all sync.WaitGroup
		for range atOnce {
			all.Go(func() {
				_, err := post(t, client, e.URL)
				require.NoError(t, err)
			})
		}
		all.Wait()
	}
	// one that was opened for an exchange may be left to the next one
	require.LessOrEqual(t, e.opened.Load(), int32(2*atOnce))
}

func TestPost_OtherURLOnTheSameHost_UsesAnotherConnection(t *testing.T) {
	t.Parallel()
	e := startEndpoint(t, "127.0.0.1:0", (*httptest.Server).Start, answerOK)
	client := reachPlain(t)
	for range 3 {
		for _, path := range []string{"/a", "/b"} {
			_, err := post(t, client, e.URL+path)
			require.NoError(t, err)
		}
	}
	require.Equal(t, int32(2), e.opened.Load())
}

func TestPost_ConnectionsEndWhileAnExchangeUsesOne_IsClosedAfterIt(t *testing.T) {
	t.Parallel()
	arrived, answer := make(chan struct{}), make(chan struct{})
	e := startEndpoint(t, "127.0.0.1:0", (*httptest.Server).Start, func(_ *endpoint, w http.ResponseWriter,
		_ *http.Request) {
		close(arrived)
		<-answer
		w.WriteHeader(http.StatusNoContent)
	})
	client := reachPlain(t)
	done := make(chan error, 1)
	go func() {
		_, err := post(t, client, e.URL)
		done <- err
	}()
	<-arrived
	webhook.EndConnections(client)
	close(answer)
	require.NoError(t, <-done)
	<-e.closed
}

func TestPost_MoreURLsThanAreKept_ClosesTheConnectionsOfTheRest(t *testing.T) {
	t.Parallel()
	e := startEndpoint(t, "127.0.0.1:0", (*httptest.Server).Start, answerOK)
	client := reachPlain(t)
	webhook.KeepURLs(client, 256)
	for range 3 {
		_, err := post(t, client, e.URL)
		require.NoError(t, err)
		<-e.closed
	}
	require.Equal(t, int32(3), e.opened.Load())
}

// The endpoint reads the second request and closes the connection without an answer, as a server does whose keep-alive
// ended at that moment.
func TestPost_KeptConnectionIsClosedByTheEndpoint_IsSentOnAnother(t *testing.T) {
	t.Parallel()
	listener := listen(t, "127.0.0.1:0")
	t.Cleanup(func() { _ = listener.Close() })
	requests := make(chan string, 10)
	serve := func(conn net.Conn, answers int) {
		defer func() { _ = conn.Close() }()
		in := bufio.NewReader(conn)
		for range answers + 1 {
			r, err := http.ReadRequest(in)
			if err != nil {
				return
			}
			body, _ := io.ReadAll(r.Body)
			requests <- r.Header.Get("Idempotency-Key") + string(body)
			if answers--; answers < 0 {
				return
			}
			_, _ = io.WriteString(conn, "HTTP/1.1 204 No Content\r\n\r\n")
		}
	}
	go func() {
		for answers := 1; ; answers = 10 {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go serve(conn, answers)
		}
	}()
	client := reachPlain(t)
	for range 2 {
		response, err := post(t, client, "http://"+listener.Addr().String())
		require.NoError(t, err)
		require.Equal(t, http.StatusNoContent, response.Status)
	}
	for range 3 { // the second one twice
		require.Equal(t, "{}", <-requests)
	}
}

// reachPlain returns a client that may reach loopback addresses without TLS.
func reachPlain(t *testing.T) *webhook.Client {
	t.Helper()
	return webhook.NewClient(webhook.Config{Allowed: networks(t, "127.0.0.0/8")})
}
