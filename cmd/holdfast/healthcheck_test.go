package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHealthcheck_ServerIsReady_SucceedsUntilItIsStopped(t *testing.T) {
	t.Parallel()
	p := start(t, filledDir(t))
	address := "HOLDFAST_ADDR=" + strings.TrimPrefix(p.url, "http://")
	asked, code := run(t, newDir(t), []string{address}, "healthcheck")
	require.Zero(t, code, "%s", asked.log())
	require.Contains(t, asked.Stdout.String(), `"status":"ready"`)
	asked, code = run(t, newDir(t), nil, "healthcheck", "--url="+p.url+"/healthz")
	require.Zero(t, code, "%s", asked.log())
	p.stop(t)
	asked, code = run(t, newDir(t), []string{address}, "healthcheck")
	require.Equal(t, 1, code)
	require.Contains(t, asked.log(), "connection refused")
}

func TestHealthcheck_ServerIsNotReady_FailsWithItsReason(t *testing.T) {
	t.Parallel()
	var path string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path = r.URL.Path
		http.Error(w, "the database is away", http.StatusServiceUnavailable)
	}))
	asked, code := run(t, newDir(t), []string{"HOLDFAST_ADDR=" + server.Listener.Addr().String()}, "healthcheck")
	server.Close()
	require.Equal(t, 1, code)
	require.Contains(t, asked.log(), "503 Service Unavailable: the database is away")
	require.Equal(t, "/readyz", path)
}

func TestHealthcheck_ServerDoesNotAnswer_FailsAfterTheTimeout(t *testing.T) {
	t.Parallel()
	hanging := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hanging }))
	t.Cleanup(func() { close(hanging); server.Close() })
	asked, code := run(t, newDir(t), nil, "healthcheck", "--timeout=50ms", "--url="+server.URL)
	require.Equal(t, 1, code)
	require.Contains(t, asked.log(), "deadline exceeded")
}

func TestReadyURL_AddressToListenOn_LeadsToAnAddressToAsk(t *testing.T) {
	t.Parallel()
	for addr, url := range map[string]string{
		":8080":          "http://127.0.0.1:8080/readyz",
		"0.0.0.0:80":     "http://127.0.0.1:80/readyz",
		"[::]:8080":      "http://[::1]:8080/readyz",
		"[fd00::1]:8080": "http://[fd00::1]:8080/readyz",
		"10.0.0.7:8081":  "http://10.0.0.7:8081/readyz",
		"inside:8080":    "http://inside:8080/readyz",
	} {
		require.Equal(t, url, readyURL(addr), addr)
	}
}
