package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

// testFailure is what the test route returns.
func testFailure(how string) error {
	switch how {
	case "panic":
		panic("the secret of a panic")
	case "unknown":
		return errors.New("the secret of an error")
	case "wrapped":
		return fmt.Errorf("booking: %w",
			problem.Wrap(errors.New("the secret of a cause"), problem.LockTimeout, "Waited too long.").
				Retry(1100*time.Millisecond))
	case "document":
		return problem.DocumentOf(problem.New(problem.RequestInProgress, "Still running.").Retry(time.Second))
	case "unauthenticated":
		return problem.New(problem.Unauthenticated, "The key is not valid.")
	case "stale":
		return problem.New(problem.VersionMismatch, "It changed.")
	case "fields":
		return problem.Invalid("from", "too_small", "The date has passed.")
	}
	return context.Canceled
}

func TestProblem_UnknownError_HidesItsText(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	a := s.request(t, http.MethodGet, "/v1/fail/unknown", "", "Request-Id", "find-me")
	requireProblem(t, a, http.StatusInternalServerError, problem.Internal)
	require.NotContains(t, a.body, "secret")
	require.Eventually(t, func() bool {
		return strings.Contains(s.log.String(), `"request_id":"find-me"`) &&
			strings.Contains(s.log.String(), "the secret of an error")
	}, patient, time.Millisecond, "the log has the error")
}

func TestProblem_Wrapped_KeepsCodeHidesCause(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	a := s.request(t, http.MethodGet, "/v1/fail/wrapped", "")
	d := requireProblem(t, a, http.StatusServiceUnavailable, problem.LockTimeout)
	require.Equal(t, "Waited too long.", d.Detail)
	require.Equal(t, []string{"2"}, a.header.Values("Retry-After"), "rounded up")
	require.NotContains(t, a.body, "secret")
}

func TestProblem_Document_IsSentWithHeaders(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	a := s.request(t, http.MethodGet, "/v1/fail/document", "")
	requireProblem(t, a, http.StatusConflict, problem.RequestInProgress)
	require.Equal(t, []string{"1"}, a.header.Values("Retry-After"))
}

func TestProblem_401_HasWWWAuthenticate(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	a := s.request(t, http.MethodGet, "/v1/fail/unauthenticated", "")
	requireProblem(t, a, http.StatusUnauthorized, problem.Unauthenticated)
	require.Equal(t, []string{"Bearer"}, a.header.Values("WWW-Authenticate"))
}

func TestProblem_Fields_AreListed(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	d := requireProblem(t, s.request(t, http.MethodGet, "/v1/fail/fields", ""), http.StatusUnprocessableEntity,
		problem.ValidationFailed)
	require.Equal(t, []problem.Field{{Name: "from", Code: "too_small", Detail: "The date has passed."}}, d.Errors)
}
