package registry_test

import (
	"os"
	"path/filepath"
	"regexp"
	"regexp/syntax"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/tools/lockslint/internal/registry"
)

func FuzzRead(f *testing.F) {
	page, err := os.ReadFile("../../../../docs/locks-registry.md")
	require.NoError(f, err)
	f.Add(page)
	for _, text := range []string{
		"", "|", "| name | key | scope | kind | constructor | taken by |", "| name | key | scope | kind | constructor | taken by |\n|---|---|---|---|---|---|\n| `{a}` | `1` | x | transaction | `f:g` | `f:h`, `f:i` |\n",
		"| name | key | scope | kind | constructor | taken by |\n|---|---|---|---|---|---|\n| `{a}` | `f(name)` | a | try | – | reserved |\n" +
			"\n| part | shape |\n|---|---|\n| `{a}` | `\\Q` |\n", "| part | shape |\n|---|---|\n| {a} | `[` |\n| {b} | `(a*)*` |\n", "| module | lock |\n|--|--|\n| `m` | – |", "| statement | function | kind |\n|-|-|-|\n| \\| | \x00 | ` |",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 32<<10 {
			return // the rows are compared in pairs
		}
		file := filepath.Join(t.TempDir(), "registry.md")
		require.NoError(t, os.WriteFile(file, text, 0o600))
		r, err := registry.Read(file)
		if err != nil {
			return
		}
		found := r.Check()
		for _, l := range r.Locks {
			_, err := regexp.Compile(r.Names(&l))
			require.NoError(t, err, "names that can't be compiled would never clash")
		}
		for _, problem := range found {
			require.True(t, problem.Line >= 1 && problem.Line <= len(r.Lines()), "line %d", problem.Line)
			require.NotEmpty(t, problem.Message)
		}
		// What stands in the page as it was read is written as it was read.
		same := make(map[registry.Ref]registry.Ref)
		for _, s := range r.Statements {
			if s.Ref != (registry.Ref{}) {
				same[s.Ref] = s.Ref
			}
		}
		require.NoError(t, r.Rewrite(same))
		again, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, text, again)
	})
}

// FuzzLanguages compares what is said of two regular expressions with what they match.
func FuzzLanguages(f *testing.F) {
	for _, pair := range [][2]string{
		{`[0-9a-f]{4}`, `[a-z]+`}, {`a*`, `(?i)B?A`}, {`(?s:.)`, `\n`}, {`a|bc`, `[^a]c`}, {``, `x?`}, {`\pL+`, `é`}, {`[`, `a`}, {`(a|b){2,3}`, `ab.`}, {`\Q`, `0`},
	} {
		f.Add(pair[0], pair[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a) > 20 || len(b) > 20 || !plain(a) || !plain(b) {
			return
		}
		matches := func(re, text string) bool { return regexp.MustCompile(`^(?:` + re + `)$`).MatchString(text) }
		text, found := registry.Common(a, b)
		if found {
			require.True(t, matches(a, text) && matches(b, text), "%q", text)
		}
		_, other := registry.Common(b, a)
		require.Equal(t, found, other)
		beyond, more := registry.Beyond(a, b)
		if more {
			require.True(t, matches(a, beyond) && !matches(b, beyond), "%q", beyond)
		}
		_, inside := registry.Beyond(a, a)
		require.False(t, inside, "nothing is beyond itself")
	})
}

// plain reports whether an expression is small and without anchors, which mean nothing in a registry.
func plain(re string) bool {
	parsed, err := syntax.Parse(re, syntax.Perl)
	if _, unclosed := syntax.Parse("(?:"+re+")", syntax.Perl); err != nil || unclosed != nil {
		return false
	}
	prog, err := syntax.Compile(parsed.Simplify())
	if err != nil || len(prog.Inst) > 40 {
		return false
	}
	for _, i := range prog.Inst {
		if i.Op == syntax.InstEmptyWidth {
			return false
		}
	}
	return true
}
