package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// clientsDir has the clients, each with an example that books, repeats, lists, and receives a webhook.
var clientsDir = filepath.Join("..", "..", "clients")

// exampleOutput is what each example prints.
var exampleOutput = regexp.MustCompile(`^booked [0-9a-f-]{36} \S+.*
again true replayed true
refused 404 not_found
listed 1
received webhook.ping
$`)

// clientTime bounds the installation of a client's libraries, its tests and its example.
const clientTime = 10 * time.Minute

// exampleEnv starts a server that may send webhooks to this machine, and returns the environment of an example.
func exampleEnv(t *testing.T) []string {
	t.Helper()
	p := start(t, filledDir(t), "HOLDFAST_WEBHOOK_ALLOW=127.0.0.0/8")
	s := newShop(t, p)
	return append(os.Environ(), "HOLDFAST_URL="+p.url, "HOLDFAST_API_KEY="+s.key)
}

// output runs a program and returns what it printed.
func output(ctx context.Context, t *testing.T, dir string, env []string, program string, args ...string) string {
	t.Helper()
	command := exec.CommandContext(ctx, program, args...)
	command.Dir, command.Env = dir, env
	printed, err := command.CombinedOutput()
	require.NoError(t, err, "%s %v: %s", program, args, printed)
	return string(printed)
}

func TestClients_GoExample_WorksWithAServer(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), clientTime)
	defer cancel()
	program := filepath.Join(t.TempDir(), "book")
	output(ctx, t, filepath.Join(clientsDir, "go"), os.Environ(), "go", "build", "-o", program, "./examples/book")
	require.Regexp(t, exampleOutput, output(ctx, t, ".", exampleEnv(t), program))
}

func TestClients_TypeScriptTestsAndExample_WorkWithAServer(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not on PATH: the TypeScript client isn't tested (apt-get install nodejs npm)", program)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), clientTime)
	defer cancel()
	dir := t.TempDir()
	for _, name := range []string{"package.json", "package-lock.json", "tsconfig.json"} {
		text, err := os.ReadFile(filepath.Join(clientsDir, "typescript", name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
	}
	for _, name := range []string{"src", "test", "examples"} {
		require.NoError(t, os.CopyFS(filepath.Join(dir, name), os.DirFS(filepath.Join(clientsDir, "typescript", name))))
	}
	output(ctx, t, dir, os.Environ(), "npm", "ci", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund")
	output(ctx, t, dir, os.Environ(), "npm", "test")
	require.Regexp(t, exampleOutput,
		output(ctx, t, dir, exampleEnv(t), "node", filepath.Join("dist", "examples", "book.js")))
}
