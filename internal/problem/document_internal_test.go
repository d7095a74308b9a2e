package problem

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// codesOf reads the codes from the source of the package.
func codesOf(t *testing.T) []Code {
	t.Helper()
	files, err := parser.ParseDir(token.NewFileSet(), ".", nil, 0) //nolint:staticcheck // one package, no build tags
	require.NoError(t, err)
	var codes []Code
	ast.Inspect(files["problem"], func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if kind, ok := spec.Type.(*ast.Ident); ok && kind.Name == "Code" {
			for _, v := range spec.Values {
				code, err := strconv.Unquote(v.(*ast.BasicLit).Value)
				require.NoError(t, err)
				codes = append(codes, Code(code))
			}
		}
		return true
	})
	require.Greater(t, len(codes), 20)
	return codes
}

func TestCodes_EachHasAStatusAndATitle(t *testing.T) {
	t.Parallel()
	codes := codesOf(t)
	for _, code := range codes {
		row, ok := meanings[code]
		require.True(t, ok, "no row for %s", code)
		require.GreaterOrEqual(t, row.status, 400, code)
		require.NotEmpty(t, row.title, code)
	}
	require.Len(t, meanings, len(codes), "a row for a code that doesn't exist")
}

func TestCodes_EachIsInTheDocsWithItsStatusAndKey(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("../../docs/errors.md")
	require.NoError(t, err)
	for _, code := range codesOf(t) {
		key := "free"
		if Final(New(code, "x")) {
			key = "final"
		}
		row := fmt.Sprintf("| %d | `%s` | %s |", meanings[code].status, code, key)
		require.Equal(t, 1, strings.Count(string(doc), row), "docs/errors.md needs one row %q", row)
	}
}

// released.txt lists the codes that were released, each with its status.
func TestCodes_ReleasedOnes_KeepTheirStatus(t *testing.T) {
	t.Parallel()
	released, err := os.ReadFile("testdata/released.txt")
	require.NoError(t, err)
	rows := strings.Fields(string(released))
	require.NotEmpty(t, rows)
	for row := range slices.Chunk(rows, 2) {
		require.Equal(t, row[1], strconv.Itoa(meanings[Code(row[0])].status), row[0])
	}
}

func TestDocument_RetryAfter_IsAtLeastASecond(t *testing.T) {
	t.Parallel()
	d := DocumentOf(New(LockTimeout, "x").Retry(time.Millisecond))
	require.Equal(t, "1", d.GetHeaders().Get("Retry-After"))
	require.Empty(t, DocumentOf(New(LockTimeout, "x")).GetHeaders())
}

func TestDocument_CancelledRequest_Is408(t *testing.T) {
	t.Parallel()
	require.Equal(t, http.StatusRequestTimeout, DocumentOf(fmt.Errorf("read: %w", context.Canceled)).Status)
	require.Equal(t, DatabaseUnavailable, DocumentOf(Wrap(context.Canceled, DatabaseUnavailable, "x")).Code)
}

func TestDocument_CodeWithoutARow_IsAnInternalError(t *testing.T) {
	t.Parallel()
	d := DocumentOf(New("made_up", "the secret of a code"))
	require.Equal(t, Internal, d.Code)
	require.NotContains(t, string(d.JSON()), "secret")
}
