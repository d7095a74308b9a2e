package httpapi

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"holdfast/internal/tenant"
	"holdfast/internal/usecase"
)

// newUnauthenticatedRequest returns a request with a key that has to be looked up.
func newUnauthenticatedRequest() *http.Request {
	req := httptest.NewRequest(http.MethodPost, "/v1/bookings", http.NoBody)
	req.Header.Set("Authorization", "Bearer hf_"+strings.Repeat("0", 26)+"AAAAAAAA_"+strings.Repeat("a", 43))
	return req
}

func TestServe_WorkerPanics_IsAnsweredAndLoggedWithItsStack(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	registry := prometheus.NewRegistry()
	// no store
	a := New(Config{Logger: slog.New(slog.NewTextHandler(&log, nil)), Registry: registry},
		usecase.All{Tenants: tenant.NewService(nil)})
	answer := httptest.NewRecorder()
	a.Edge.Engine().ServeHTTP(answer, newUnauthenticatedRequest())
	require.Equal(t, http.StatusInternalServerError, answer.Code)
	require.Contains(t, answer.Body.String(), "internal_error")
	require.Contains(t, log.String(), "tenant.(*Service).Authenticate")
	text := httptest.NewRecorder()
	a.Edge.Engine().ServeHTTP(text, httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody))
	require.Contains(t, text.Body.String(), `holdfast_requests_working{bulkhead="general"} 0`,
		"its permit is free again")
	require.Contains(t, text.Body.String(), `holdfast_requests_waiting{bulkhead="general"} 0`)
}
