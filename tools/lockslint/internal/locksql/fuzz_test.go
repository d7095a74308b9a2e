package locksql_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/tools/lockslint/internal/locksql"
)

func FuzzCalls(f *testing.F) {
	for _, text := range []string{
		"", "SELECT pg_advisory_xact_lock($1)", "SELECT pg_try_advisory_lock(42); SELECT 1", "SELECT pg_advisory_lock(1, 2)",
		"-- pg_advisory_lock(1)\nSELECT 1", "SELECT 'pg_advisory_lock(1)'", "/* pg_advisory_lock( */ SELECT pg_\x00advisory_lock(\x00)",
		"SELECT pg_advisory_lock(((((1)))))", "SELECT pg_advisory_unlock_all()", "';\n--\n/*", "BEGIN; COMMIT", "pg_advisory_lock(99999999999999999999)",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		last := strings.Count(text, "\n")
		calls := locksql.Calls(text)
		for _, c := range calls {
			require.Contains(t, c.Function, "advisory")
			require.Contains(t, []string{"transaction", "session", "release"}, locksql.Kind(c.Function))
			require.Equal(t, locksql.Kind(c.Function), locksql.KindIn(calls, c.Function))
			require.True(t, c.Line >= 0 && c.Line <= last, "line %d of %d", c.Line, last)
			require.True(t, c.Alone || len(c.Keys) == 0 && !c.Made && !c.Pair, "the key of a call among others isn't read")
			require.False(t, c.Made && c.Pair)
		}
		if len(calls) > 0 {
			require.NotEmpty(t, locksql.Names(text))
		}
		for _, n := range locksql.NamesOutsideComments(text) {
			require.True(t, n.Line >= 0 && n.Line <= last, "line %d of %d", n.Line, last)
		}
		locksql.Begins(text)
		locksql.Ends(text)
	})
}

func FuzzQueries(f *testing.F) {
	for _, text := range []string{"", "SELECT 1", "-- name: A :one\nSELECT 1;\n-- name: B :exec\nSELECT 2;", "-- name:", "\n\n--name: C\n", "-- name: A\n-- name: A"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		lines := strings.SplitAfter(text, "\n")
		rest, last := text, 0
		for _, q := range locksql.Queries(text) {
			at := strings.Index(rest, q.Text)
			require.GreaterOrEqual(t, at, 0, "queries are parts of the file, in order")
			require.Empty(t, strings.TrimSpace(rest[:at]), "nothing but blanks is left out")
			rest = rest[at+len(q.Text):]
			require.Greater(t, q.Line, last)
			require.True(t, strings.HasPrefix(strings.Join(lines[q.Line-1:], ""), q.Text), "line %d", q.Line)
			last = q.Line
		}
		require.Empty(t, strings.TrimSpace(rest))
	})
}
