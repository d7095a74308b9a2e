package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	root = "../.."
	// packagesVariable names the directory of what make packages has built. With it no test that root can run is
	// skipped.
	packagesVariable = "HOLDFAST_PACKAGES"
	startLimit       = 3 * time.Minute
)

// built returns the only file of make packages whose name has the suffix, for this machine's architecture.
func built(t *testing.T, suffix string) string {
	t.Helper()
	dir := os.Getenv(packagesVariable)
	if dir == "" {
		t.Skip("make verify/packages builds what this test needs")
	}
	files, err := filepath.Glob(filepath.Join(dir, "holdfast_*"+runtime.GOARCH+suffix))
	require.NoError(t, err)
	require.Len(t, files, 1, "*%s in %s", suffix, dir)
	return files[0]
}

// needRoot skips a test that mounts file systems.
func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can mount file systems and change to another user")
	}
}

// need skips the test without a program of a Debian package, unless make verify/packages runs it as root: then it
// fails.
func need(t *testing.T, program, debianPackage string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		if os.Getenv(packagesVariable) != "" && os.Geteuid() == 0 {
			require.FailNow(t, program+" isn't installed: apt-get install "+debianPackage)
		}
		t.Skip(program + " isn't installed: apt-get install " + debianPackage)
	}
}

// output runs a program and returns what it prints. The test fails if the program does.
func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	printed, err := exec.Command(name, args...).CombinedOutput()
	require.NoError(t, err, "%s %s\n%s", name, strings.Join(args, " "), printed)
	return string(printed)
}

// read returns a file of the repository.
func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	require.NoError(t, err)
	return string(text)
}

// block returns the code of docs/deploy.md after a line.
func block(t *testing.T, after string) string {
	t.Helper()
	_, text, found := strings.Cut(read(t, "docs/deploy.md"), after+"\n")
	require.True(t, found, "docs/deploy.md has the line %q", after)
	_, text, _ = strings.Cut(text, "\n```")
	_, text, _ = strings.Cut(text, "\n")
	text, _, found = strings.Cut(text, "\n```")
	require.True(t, found)
	return text
}

// book runs the calls of docs/deploy.md against a server, and asserts that they end with a booking.
func book(t *testing.T, url, adminKey string) {
	t.Helper()
	need(t, "curl", "curl")
	need(t, "jq", "jq")
	script := exec.Command("bash", "-euo", "pipefail", "-c", block(t, "## The first booking"))
	script.Env = append(os.Environ(), "URL="+url, "ADMIN="+adminKey)
	script.Dir = t.TempDir()
	printed, err := script.CombinedOutput()
	require.NoError(t, err, "%s", printed)
	require.Contains(t, string(printed), `"status":"confirmed"`)
}

var (
	setting      = regexp.MustCompile(`\bHOLDFAST_[A-Z_]+`)
	knownSetting = regexp.MustCompile(`(?m)^HOLDFAST_[A-Z_]+`)
)

// requireKnown asserts that a file names no setting that the server doesn't have.
func requireKnown(t *testing.T, file string, others ...string) {
	t.Helper()
	known := append(knownSetting.FindAllString(read(t, "docs/configuration.md"), -1), others...)
	named := setting.FindAllString(read(t, file), -1)
	require.NotEmpty(t, named, file)
	require.Subset(t, known, named, file)
}

// limited returns a context for starting a server.
func limited(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), startLimit)
	t.Cleanup(cancel)
	return ctx
}
