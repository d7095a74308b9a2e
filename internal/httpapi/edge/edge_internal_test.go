package edge

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

func TestRequestID_OfTheClient_IsTakenOverIfItIsPlain(t *testing.T) {
	t.Parallel()
	for sent, taken := range map[string]bool{
		"a": true, "0Az-_.~!{}\"<>": true, strings.Repeat("x", 128): true,
		"": false, " ": false, "a b": false, "a\tb": false, "ü": false, "\x7f": false, "a\r\nSet-Cookie: b": false,
		strings.Repeat("x", 129): false,
	} {
		got := requestIDFrom(sent)
		require.Equal(t, taken, got == sent, "%q", sent)
		require.NotEmpty(t, got)
	}
}

func TestContext_OutsideARequest_HasNoBodyAndNoID(t *testing.T) {
	t.Parallel()
	require.Nil(t, RawBody(context.Background()))
	require.Empty(t, RequestID(context.Background()))
}

func TestNewHTTPServer_HasEveryLimit(t *testing.T) {
	t.Parallel()
	s := NewHTTPServer(http.NotFoundHandler(), slog.New(slog.DiscardHandler))
	require.Equal(t, 5*time.Second, s.ReadHeaderTimeout)
	require.Equal(t, 15*time.Second, s.ReadTimeout)
	require.Equal(t, 2*time.Minute, s.WriteTimeout)
	require.Equal(t, 120*time.Second, s.IdleTimeout)
	require.Equal(t, 32<<10, s.MaxHeaderBytes)
	require.NotNil(t, s.ErrorLog)
}

func TestOperations_DatabaseIsDown_ReadinessFailsAndHealthDoesNot(t *testing.T) {
	t.Parallel()
	e := New(slog.New(slog.DiscardHandler), nil, nil)
	down := func(context.Context) (string, error) { return "", errors.New("the secret of a database") }
	e.ServeOperations(Operations{Ready: down})
	get := func(path string) *httptest.ResponseRecorder {
		rec := httptest.NewRecorder()
		e.Engine().ServeHTTP(rec, httptest.NewRequest(http.MethodGet, path, http.NoBody))
		return rec
	}
	require.Equal(t, http.StatusOK, get("/healthz").Code)
	a := get("/readyz")
	require.Equal(t, http.StatusServiceUnavailable, a.Code)
	require.Contains(t, a.Body.String(), string(problem.DatabaseUnavailable))
	require.Equal(t, "1", a.Header().Get("Retry-After"))
	require.NotContains(t, a.Body.String(), "secret")
	require.Equal(t, http.StatusNotFound, get("/metrics").Code, "nobody gave metrics")
}

func TestOperations_Readiness_SaysWhatCommitsWaitFor(t *testing.T) {
	t.Parallel()
	var err error
	e := New(slog.New(slog.DiscardHandler), nil, nil)
	e.ServeOperations(Operations{Ready: func(context.Context) (string, error) { return "the disk", err }})
	get := func() *httptest.ResponseRecorder {
		rec := httptest.NewRecorder()
		e.Engine().ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/readyz", http.NoBody))
		return rec
	}
	require.JSONEq(t, `{"status":"ready","commits":"the disk"}`, get().Body.String())
	err = problem.New(problem.DatabaseUnavailable, "Commits wait.")
	stuck := get()
	require.Equal(t, http.StatusServiceUnavailable, stuck.Code)
	require.Contains(t, stuck.Body.String(), "Commits wait.", "the reason is told")
}

func TestOperations_Warning_IsInTheReadiness(t *testing.T) {
	t.Parallel()
	warning := ""
	e := New(slog.New(slog.DiscardHandler), nil, nil)
	e.ServeOperations(Operations{Warning: func() string { return warning }})
	for _, step := range []struct{ warning, body string }{
		{"", `{"status":"ready"}`},
		{"mend it", `{"status":"ready","warning":"mend it"}`},
	} {
		warning = step.warning
		rec := httptest.NewRecorder()
		e.Engine().ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/readyz", http.NoBody))
		require.Equal(t, http.StatusOK, rec.Code, "requests are served all the same")
		require.JSONEq(t, step.body, rec.Body.String())
	}
}
