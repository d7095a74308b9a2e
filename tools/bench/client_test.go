package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestClient_ReadsEveryAnswerToItsEnd(t *testing.T) {
	t.Parallel()
	answers := map[string]http.HandlerFunc{
		"/sized": func(w http.ResponseWriter, _ *http.Request) {
			_,
				_ = w.Write([]byte("HTTP/1.1 500 is only text"))
		},
		"/chunked": func(w http.ResponseWriter, _ *http.Request) {
			_,
				_ = w.Write([]byte(strings.Repeat("x\r\n", 10_000)))
		},
		"/none": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) },
		"/last": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Connection", "close")
			w.WriteHeader(http.StatusServiceUnavailable)
		},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
		answers[r.URL.Path](w, r)
	}))
	t.Cleanup(server.Close)
	c := client{addr: server.Listener.Addr().String()}
	defer c.close()
	for range 2 { // what was left unread would be taken for the next answer
		for path, want := range map[string]int{
			"/sized": http.StatusOK, "/chunked": http.StatusOK, "/none": http.StatusNoContent,
			"/last": http.StatusServiceUnavailable,
		} {
			status, err := c.send(t.Context(), get(path, ""))
			require.NoError(t, err, path)
			require.Equal(t, want, status, path)
			require.Equal(t, path == "/last", c.conn == nil, path)
		}
	}
	server.Close()
	_, err := c.send(t.Context(), get("/none", ""))
	require.Error(t, err)
}
