package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/tools/lockslint/internal/rules"
)

// TestLint_EveryRule_FindsTheBadAndNotTheGood lints a module for each rule. What a line of code, SQL, go.mod or the registry
// breaks stands in a comment on it; every other line must be fine.
func TestLint_EveryRule_FindsTheBadAndNotTheGood(t *testing.T) {
	t.Parallel()
	modules, err := os.ReadDir("testdata")
	require.NoError(t, err)
	require.NotEmpty(t, modules)
	for _, m := range modules {
		if strings.HasPrefix(m.Name(), "_") { // a module that others require
			continue
		}
		t.Run(m.Name(), func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join("testdata", m.Name())
			found, err := lint(dir, rules.DefaultRegistry, false)
			require.NoError(t, err)
			requireFindings(t, wanted(t, dir), found)
		})
	}
}

// want is what a comment says of its line.
type want struct {
	file    string
	line    int
	message string // a regular expression
}

var (
	wantMark   = regexp.MustCompile("want ((?:\"(?:[^\"\\\\]|\\\\.)*\"|`[^`]*`)(?: (?:\"(?:[^\"\\\\]|\\\\.)*\"|`[^`]*`))*)")
	wantString = regexp.MustCompile("\"(?:[^\"\\\\]|\\\\.)*\"|`[^`]*`")
)

func wanted(t *testing.T, dir string) []want {
	t.Helper()
	var all []want
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		file, err := filepath.Rel(dir, name)
		for i, line := range strings.Split(string(text), "\n") {
			mark := wantMark.FindStringSubmatch(line)
			if mark == nil {
				continue
			}
			for _, quoted := range wantString.FindAllString(mark[1], -1) {
				message, err := strconv.Unquote(quoted)
				if err != nil {
					return err
				}
				all = append(all, want{filepath.ToSlash(file), i + 1, message})
			}
		}
		return err
	})
	require.NoError(t, err)
	return all
}

// requireFindings requires that each want has a finding of its own, and each finding a want.
func requireFindings(t *testing.T, wants []want, found []rules.Finding) {
	t.Helper()
	var missing []string
	for _, w := range wants {
		met := false
		for i, f := range found {
			if f.File == w.file && f.Line == w.line && regexp.MustCompile(w.message).MatchString(f.Message) {
				found = append(found[:i:i], found[i+1:]...)
				met = true
				break
			}
		}
		if !met {
			missing = append(missing, fmt.Sprintf("%s:%d: %s", w.file, w.line, w.message))
		}
	}
	require.Empty(t, missing, "what is wrong is found; also found: %v", found)
	require.Empty(t, found, "what is right is left alone")
}
