package httpapi

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

func TestResponse_Any_HasARequestID(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	for path, status := range map[string]int{
		"/healthz": 200, "/readyz": 200, "/metrics": 200, "/docs": 200, "/docs/": 200, "/docs/errors": 200,
		"/openapi.json":              200,
		"/v1/things?from=2030-01-02": 200, "/v1/things": 422, "/v1/nothing": 404, "/": 200, "/v1/fail/panic": 500,
		"/v1/fail/unknown": 500,
	} {
		a := s.request(t, http.MethodGet, path, "")
		require.Equal(t, status, a.status, path)
		id, err := uuid.Parse(a.header.Get("Request-Id"))
		require.NoError(t, err, path)
		require.Equal(t, uuid.Version(7), id.Version(), path)
	}
}

func TestRequestLog_Request_HasNoClientData(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	a := s.request(t, http.MethodPost, someThing, `{"name":"ab","customer":{"email":"lovelace@example.org"}}`,
		"Authorization",
		"Bearer hf_secret")
	require.Equal(t, http.StatusOK, a.status)
	s.request(t, http.MethodGet, "/v1/things?from=lovelace@example.org", "")
	require.Eventually(t, func() bool { return strings.Count(s.log.String(), `"msg":"request"`) == 2 }, patient,
		time.Millisecond)
	log := s.log.String()
	for _, part := range []string{
		`"method":"POST"`, `"route":"/v1/things/:id"`, `"status":200`,
		`"tenant_id":"11111111-1111-7111-8111-111111111111"`,
		`"request_id":"` + a.header.Get("Request-Id") + `"`, `"duration":`, `"bytes":`, `"code":"validation_failed"`,
		`"status":422`,
	} {
		require.Contains(t, log, part)
	}
	require.NotContains(t, log, "lovelace") // no word of hexadecimal digits, which an id may have
	require.NotContains(t, log, "secret")
}

func TestPanic_BeforeResponse_Is500LoggedAndCounted(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	a := s.request(t, http.MethodGet, "/v1/fail/panic", "")
	requireProblem(t, a, http.StatusInternalServerError, problem.Internal)
	require.NotContains(t, a.body, "secret")
	require.Contains(t, s.request(t, http.MethodGet, "/metrics", "").body, "holdfast_http_panics_total 1\n")
	require.Contains(t, s.log.String(), "the secret of a panic")
	require.Contains(t, s.log.String(), "problems_internal_test.go", "the stack")
	require.Equal(t, http.StatusOK, s.request(t, http.MethodGet, "/healthz", "").status, "the server lives on")
}

func TestPanic_DuringResponse_ClosesTheConnection(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, func(s *testServer) {
		s.routes.GET("/v1/half", func(c *gin.Context) {
			c.String(http.StatusOK, "half")
			c.Writer.Flush()
			panic("the other half")
		})
	})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/v1/half", http.NoBody)
	require.NoError(t, err)
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	_, err = io.ReadAll(res.Body)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.NoError(t, res.Body.Close())
}

func TestPanic_HeadersSet_AreRemoved(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, func(s *testServer) {
		s.routes.GET("/v1/promise", func(c *gin.Context) {
			c.Header("ETag", `"1"`)
			c.Header("Location", "/v1/x")
			c.Header("Content-Length", "3")
			panic("no")
		})
	})
	a := s.request(t, http.MethodGet, "/v1/promise", "")
	requireProblem(t, a, http.StatusInternalServerError, problem.Internal)
	require.Empty(t, a.header.Get("ETag")+a.header.Get("Location"))
}

func TestPanic_ClientGone_IsNotCounted(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, func(s *testServer) {
		s.routes.GET("/v1/flood", func(c *gin.Context) {
			for {
				if _, err := c.Writer.Write(make([]byte, 1<<20)); err != nil {
					panic(err) // as huma does
				}
			}
		})
	})
	conn := dial(t, s.addr)
	send(t, conn, "GET /v1/flood HTTP/1.1\r\nHost: x\r\n\r\n")
	_, err := bufio.NewReader(conn).ReadString('\n')
	require.NoError(t, err)
	require.NoError(t, conn.Close())
	require.Eventually(t, func() bool { return strings.Contains(s.log.String(), `"route":"/v1/flood"`) }, patient,
		time.Millisecond)
	require.Contains(t, s.request(t, http.MethodGet, "/metrics", "").body, "holdfast_http_panics_total 0\n")
}

func TestResponse_API_IsNoStore(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	for path, want := range map[string]string{
		"/v1/things?from=2030-01-02": "no-store", "/v1/nothing": "no-store", "/admin/nothing": "no-store",
		"/nothing":      "no-store",
		"/openapi.json": "no-cache", "/docs": "no-cache",
	} {
		a := s.request(t, http.MethodGet, path, "")
		require.Equal(t, want, a.header.Get("Cache-Control"), path)
		require.Equal(t, "nosniff", a.header.Get("X-Content-Type-Options"), path)
	}
}

func TestMetrics_ReplayAndConflict_AreCounted(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, func(s *testServer) {
		s.routes.POST("/v1/again", func(c *gin.Context) {
			c.Header("Idempotent-Replayed", "true")
			c.Status(http.StatusConflict)
		})
	})
	s.request(t, http.MethodGet, "/v1/fail/document", "")
	s.request(t, http.MethodGet, "/v1/fail/stale", "")
	s.request(t, http.MethodPost, "/v1/again", "")
	s.request(t, "BREW", "/v1/nothing/secret", "")
	metrics := s.request(t, http.MethodGet, "/metrics", "").body
	for _, line := range []string{
		`holdfast_conflicts_total{code="request_in_progress"} 1`,
		`holdfast_conflicts_total{code="version_mismatch"} 1`,
		`holdfast_idempotent_replays_total 1`,
		`holdfast_http_panics_total 0`,
		`holdfast_http_requests_in_flight 1`, // this one
		`holdfast_http_request_duration_seconds_count{method="GET",route="/v1/fail/:how",status="409"} 1`,
		`holdfast_http_request_duration_seconds_count{method="other",route="unmatched",status="404"} 1`,
	} {
		require.Contains(t, metrics, line+"\n")
	}
	require.NotContains(t, metrics, "secret")
	require.NotContains(t, metrics, "BREW")
}

func TestDrain_Announced_FailsReadyzThenRefusesThenWaits(t *testing.T) {
	t.Parallel()
	entered, leave := make(chan struct{}), make(chan struct{})
	s := newTestServer(t, func(s *testServer) {
		s.routes.GET("/v1/slow", func(c *gin.Context) {
			close(entered)
			<-leave
			c.Status(http.StatusNoContent)
		})
	})
	const list = "/v1/things?from=2030-01-02"

	s.api.Edge.Announce()
	ready := s.request(t, http.MethodGet, "/readyz", "")
	requireProblem(t, ready, http.StatusServiceUnavailable, problem.ShuttingDown)
	require.Equal(t, http.StatusOK, s.request(t, http.MethodGet, list, "").status, "still served")

	slow := make(chan int)
	go func() {
		res, err := http.Get(s.url + "/v1/slow")
		if err != nil {
			slow <- 0
			return
		}
		_ = res.Body.Close()
		slow <- res.StatusCode
	}()
	<-entered
	soon, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, s.api.Edge.Drain(soon), context.DeadlineExceeded, "one is at work")
	refused := s.request(t, http.MethodGet, list, "")
	requireProblem(t, refused, http.StatusServiceUnavailable, problem.ShuttingDown)
	require.Equal(t, "1", refused.header.Get("Retry-After"))
	require.Equal(t, http.StatusOK, s.request(t, http.MethodGet, "/healthz", "").status)
	require.Equal(t, http.StatusOK, s.request(t, http.MethodGet, "/metrics", "").status)

	close(leave)
	require.Equal(t, http.StatusNoContent, <-slow, "what was accepted is finished")
	require.NoError(t, s.api.Edge.Drain(t.Context()))
}

func TestDrain_Announced_ClosesConnectionsThatClientsKeep(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	closes := func() bool {
		res, err := client.Get(s.url + "/v1/things?from=2030-01-02")
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, res.StatusCode)
		_, err = io.Copy(io.Discard, res.Body)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		return res.Close
	}
	require.False(t, closes())
	s.api.Edge.Announce()
	require.True(t, closes(), "the next request may reach another server")
}

func TestHandler_NoTCPConnection_Works(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	rec := httptest.NewRecorder()
	req := httptest.NewRequest(http.MethodPost, someThing, strings.NewReader(`{"name":"ab"}`))
	req.Header.Set("Content-Type", "application/json")
	s.api.Edge.Engine().ServeHTTP(rec, req)
	require.Equal(t, http.StatusOK, rec.Code, rec.Body)
}
