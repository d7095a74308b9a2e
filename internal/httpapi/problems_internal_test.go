package httpapi

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"os"
	"strconv"
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
		return fmt.Errorf("booking: %w", problem.Wrap(errors.New("the secret of a cause"), problem.LockTimeout, "Waited too long.").
			Retry(1100*time.Millisecond))
	case "document":
		return toProblem(problem.New(problem.RequestInProgress, "Still running.").Retry(time.Second))
	case "unauthenticated":
		return problem.New(problem.Unauthenticated, "The key is not valid.")
	case "stale":
		return problem.New(problem.VersionMismatch, "It changed.")
	case "fields":
		return problem.Invalid("from", "too_small", "The date has passed.")
	}
	return context.Canceled
}

// codesOf reads the codes from the source of package problem.
func codesOf(t *testing.T) []problem.Code {
	t.Helper()
	files, err := parser.ParseDir(token.NewFileSet(), "../problem", nil, 0) //nolint:staticcheck // one package, no build tags
	require.NoError(t, err)
	var codes []problem.Code
	ast.Inspect(files["problem"], func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if kind, ok := spec.Type.(*ast.Ident); ok && kind.Name == "Code" {
			for _, v := range spec.Values {
				code, err := strconv.Unquote(v.(*ast.BasicLit).Value)
				require.NoError(t, err)
				codes = append(codes, problem.Code(code))
			}
		}
		return true
	})
	require.Greater(t, len(codes), 20)
	return codes
}

func TestEveryCodeHasAStatusAndATitle(t *testing.T) {
	t.Parallel()
	codes := codesOf(t)
	for _, code := range codes {
		row, ok := outcomes[code]
		require.True(t, ok, "no row for %s", code)
		require.GreaterOrEqual(t, row.status, 400, code)
		require.NotEmpty(t, row.title, code)
	}
	require.Len(t, outcomes, len(codes), "a row for a code that doesn't exist")
}

func TestEveryCodeIsInTheDocsWithItsStatus(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("../../docs/errors.md")
	require.NoError(t, err)
	for _, code := range codesOf(t) {
		row := fmt.Sprintf("| %d | `%s` |", outcomes[code].status, code)
		require.Equal(t, 1, strings.Count(string(doc), row), "docs/errors.md needs one row %q", row)
	}
	for _, r := range rules {
		require.Contains(t, string(doc), "`"+r.code+"`")
	}
}

func TestAnErrorThatIsNoProblemSaysNothing(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	a := s.request(t, http.MethodGet, "/v1/fail/unknown", "", "Request-Id", "find-me")
	requireProblem(t, a, http.StatusInternalServerError, problem.Internal)
	require.NotContains(t, a.body, "secret")
	require.Eventually(t, func() bool {
		return strings.Contains(s.log.String(), `"request_id":"find-me"`) && strings.Contains(s.log.String(), "the secret of an error")
	}, patient, time.Millisecond, "the log has the error")
}

func TestAProblemThatWasWrappedKeepsItsCodeAndHidesItsCause(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	a := s.request(t, http.MethodGet, "/v1/fail/wrapped", "")
	d := requireProblem(t, a, http.StatusServiceUnavailable, problem.LockTimeout)
	require.Equal(t, "Waited too long.", d.Detail)
	require.Equal(t, []string{"2"}, a.header.Values("Retry-After"), "rounded up")
	require.NotContains(t, a.body, "secret")
}

func TestADocumentThatARouteReturnsIsSentOnceWithItsHeaders(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	a := s.request(t, http.MethodGet, "/v1/fail/document", "")
	requireProblem(t, a, http.StatusConflict, problem.RequestInProgress)
	require.Equal(t, []string{"1"}, a.header.Values("Retry-After"))
}

func TestAnUnauthenticatedAnswerNamesTheScheme(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	a := s.request(t, http.MethodGet, "/v1/fail/unauthenticated", "")
	requireProblem(t, a, http.StatusUnauthorized, problem.Unauthenticated)
	require.Equal(t, []string{"Bearer"}, a.header.Values("WWW-Authenticate"))
}

func TestFieldsOfAProblemAreListed(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	d := requireProblem(t, s.request(t, http.MethodGet, "/v1/fail/fields", ""), http.StatusUnprocessableEntity, problem.ValidationFailed)
	require.Equal(t, []problemField{{Field: "from", Code: "too_small", Detail: "The date has passed."}}, d.Errors)
}

func TestRetryAfterIsNeverLessThanASecond(t *testing.T) {
	t.Parallel()
	d := toProblem(problem.New(problem.LockTimeout, "x").Retry(time.Millisecond))
	require.Equal(t, "1", d.GetHeaders().Get("Retry-After"))
	require.Empty(t, toProblem(problem.New(problem.LockTimeout, "x")).GetHeaders())
}

func TestACancelledRequestIsNoFailureOfOurs(t *testing.T) {
	t.Parallel()
	require.Equal(t, http.StatusRequestTimeout, toProblem(fmt.Errorf("read: %w", context.Canceled)).Status)
	require.Equal(t, problem.DatabaseUnavailable, toProblem(problem.Wrap(context.Canceled, problem.DatabaseUnavailable, "x")).Code)
}

func TestACodeWithoutARowIsAnInternalError(t *testing.T) {
	t.Parallel()
	d := toProblem(problem.New("made_up", "the secret of a code"))
	require.Equal(t, problem.Internal, d.Code)
	require.NotContains(t, string(d.encode()), "secret")
}
