package main

import (
	"cmp"
	"crypto/x509"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/postgres"
)

func TestHelpConfig_ListsEveryVariableWithItsDefault(t *testing.T) {
	t.Parallel()
	p, code := run(t, newDir(t), nil, "help", "config")
	require.Zero(t, code, "%s", p.log())
	printed := p.Stdout.String()
	for field := range reflect.TypeFor[Config]().Fields() {
		name := field.Tag.Get("env")
		require.Regexp(t, "^(HOLDFAST|OTEL)_", name, "%s has a variable", field.Name)
		require.NotEmpty(t, field.Tag.Get("help"), "%s is explained", field.Name)
		line := regexp.MustCompile(`(?m)^` + name + ` +--\S+ +` + regexp.QuoteMeta(field.Tag.Get("default")) + ` .*` +
			regexp.QuoteMeta(field.Tag.Get("range")) + ` .*` + regexp.QuoteMeta(field.Tag.Get("help")))
		require.Regexp(t, line, printed)
	}
	require.Equal(t, reflect.TypeFor[Config]().NumField(),
		strings.Count(printed, "\nHOLDFAST_")+strings.Count(printed, "\nOTEL_"),
		"nothing else is listed")
}

func TestHelpConfig_IsTheBlockInDocs(t *testing.T) {
	t.Parallel()
	p, code := run(t, newDir(t), nil, "help", "config")
	require.Zero(t, code, "%s", p.log())
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "configuration.md"))
	require.NoError(t, err)
	_, block, _ := strings.Cut(string(text), "```text\n")
	block, _, _ = strings.Cut(block, "```")
	require.Equal(t, p.Stdout.String(), block,
		"docs/configuration.md is stale: it shows what holdfast help config prints")
}

func TestHelp_OfACommand_IsWhatItsHelpFlagPrints(t *testing.T) {
	t.Parallel()
	for _, command := range [][]string{{}, {"serve"}, {"tenant", "create"}, {"reconcile"}} {
		asTopic, code := run(t, newDir(t), nil, append([]string{"help"}, command...)...)
		require.Zero(t, code, "%s", asTopic.log())
		byFlag, code := run(t, newDir(t), nil, append(command, "--help")...)
		require.Zero(t, code)
		require.Contains(t, asTopic.Stdout.String(), "Usage: holdfast")
		require.Equal(t, byFlag.Stdout.String(), asTopic.Stdout.String(), command)
	}
	unknown, code := run(t, newDir(t), nil, "help", "tenant", "crate")
	require.Equal(t, 2, code)
	require.Contains(t, unknown.log(), `did you mean "create"?`)
}

func TestVersion_IsPrintedWithThatOfTheTimeZones(t *testing.T) {
	t.Parallel()
	p, code := run(t, newDir(t), nil, "version")
	require.Zero(t, code)
	require.Regexp(t, `^holdfast dev\ntime zones 20\d\d[a-z]\n$`, p.Stdout.String())
}

func TestOpenAPI_IsTheDocumentInDocs(t *testing.T) {
	t.Parallel()
	p, code := run(t, newDir(t), nil, "openapi")
	require.Zero(t, code, "%s", p.log())
	document, err := os.ReadFile(filepath.Join("..", "..", "docs", "openapi.json"))
	require.NoError(t, err)
	const stale = "docs/openapi.json is stale: run make generate/openapi"
	want, got := strings.SplitAfter(p.Stdout.String(), "\n"), strings.SplitAfter(string(document), "\n")
	for i := range min(len(want), len(got)) { // line by line, because a difference of the whole would fill the screen
		require.Equal(t, want[i], got[i], stale)
	}
	require.Len(t, got, len(want), stale)
}

var apiKeyLine = regexp.MustCompile(`(?m)^API key +(hf_\S+)$`)

// createTenantBy runs the command and returns the tenant's API key.
func createTenantBy(t testing.TB, dir, slug string) string {
	t.Helper()
	p, code := run(t, dir, nil, "tenant", "create", "--slug="+slug, "--name=Shop", "--time-zone=Europe/Berlin",
		"--currency=EUR")
	require.Zero(t, code, "%s", p.log())
	match := apiKeyLine.FindStringSubmatch(p.Stdout.String())
	require.NotNil(t, match, "%s", p.Stdout.String())
	return match[1]
}

func (p *proc) requireOpens(t testing.TB, apiKey string) {
	t.Helper()
	a, err := p.send(http.MethodGet, "/v1/services", apiKey, "", nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, a.status, "%s", a)
}

func TestCommands_WithoutAServer_RunADatabaseOfTheirOwnAndStopIt(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	p, code := run(t, dir, nil, "migrate")
	require.Zero(t, code, "%s", p.log())
	require.Contains(t, p.Stdout.String(), "up to date")
	require.Empty(t, databaseProcesses(t, dir))
	require.False(t, postgres.InUse(dir))
	key := createTenantBy(t, dir, "shop")
	require.Empty(t, databaseProcesses(t, dir))

	server := start(t, dir)
	server.requireOpens(t, key)
	require.NotContains(t, server.log(), "migrated", "migrate did it")
}

func TestCommands_BesideAServer_UseItsDatabaseAndLeaveItRunning(t *testing.T) {
	t.Parallel()
	dir := filledDir(t)
	server := start(t, dir)
	p, code := run(t, dir, nil, "migrate")
	require.Zero(t, code, "%s", p.log())
	require.Contains(t, p.Stdout.String(), "up to date")
	arguments := []string{"tenant", "create", "--slug=shop", "--name=Shop", "--time-zone=UTC", "--currency=EUR"}
	p, code = run(t, dir, nil, arguments...)
	require.Zero(t, code, "%s", p.log())
	server.requireOpens(t, apiKeyLine.FindStringSubmatch(p.Stdout.String())[1])

	p, code = run(t, dir, nil, arguments...)
	require.NotZero(t, code, "the slug is taken")
	require.Contains(t, p.log(), "A tenant with this slug exists")
	p, code = run(t, dir, nil, "tenant", "create", "--slug=leap", "--name=Leap", "--time-zone=right/Europe/Berlin",
		"--currency=EUR")
	require.NotZero(t, code, "the host's files are no IANA zones")
	require.Contains(t, p.log(), "time_zone")
	require.Equal(t, []string{"shop"}, query[string](t, server.databaseURL(t), "SELECT slug FROM tenants"))
	require.True(t, server.alive())
}

func TestCommands_WronglyUsed_FailWithAMessage(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		args, env []string
		message   string
		status    int // 2 if absent
	}{
		"no command": {message: "expected one of"},
		"unknown command": {args: []string{"sevre"},
			message: `unexpected argument sevre, did you mean "serve"?`},
		"unknown flag": {args: []string{"serve", "--prot=1"}, message: "unknown flag --prot"},
		"mistyped flag": {args: []string{"serve", "--adr=x"},
			message: `unknown flag --adr, did you mean "--addr"?`},
		"flag that can't be read": {args: []string{"serve", "--lock-timeout=soon"}, message: "--lock-timeout"},
		"variable that can't be read": {
			args: []string{"serve"}, env: []string{"HOLDFAST_DATABASE_CONNS=many"}, message: "HOLDFAST_DATABASE_CONNS",
		},
		"log format that doesn't exist": {args: []string{"serve", "--log-format=xml"}, message: "--log-format"},
		"log level that doesn't exist":  {args: []string{"serve", "--log-level=loud"}, message: "--log-level"},
		"tenant without a currency": {
			args: []string{"tenant", "create", "--slug=a", "--name=A", "--time-zone=UTC"}, message: "--currency",
		},
		"database that can't be reached": {
			args: []string{"serve"}, env: []string{"HOLDFAST_DATABASE_URL=postgres://me:hunter2@127.0.0.1:1/none"},
			message: "connection refused", status: 1,
		},
		"database URL that can't be read": {
			args: []string{"serve"}, env: []string{"HOLDFAST_DATABASE_URL=postgres://me:hunter2@127.0.0.1:port/none"},
			message: "HOLDFAST_DATABASE_URL (--database-url)",
		},
		"weak admin key": {
			args: []string{"serve"}, env: []string{"HOLDFAST_ADMIN_KEY=hunter2"},
			message: "HOLDFAST_ADMIN_KEY (--admin-key)",
		},
		"negative rate": {args: []string{"serve"}, env: []string{"HOLDFAST_RATE_LIMIT=-1"},
			message: "HOLDFAST_RATE_LIMIT (--rate-limit)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := newDir(t)
			p, code := run(t, dir, test.env, test.args...)
			require.Equal(t, cmp.Or(test.status, 2), code)
			require.Contains(t, p.log(), test.message)
			require.Equal(t, 1, strings.Count(p.log(), "\n"), "one line: %s", p.log())
			require.NotContains(t, p.log()+p.Stdout.String(), "hunter2")
			require.NoDirExists(t, dir, "nothing was begun")
		})
	}
}

// The image has no files of the system, and calls payment providers, webhooks and mail servers by TLS.
func TestMain_SystemWithoutCertificates_HasRootsOfItsOwn(t *testing.T) {
	t.Parallel()
	require.Panics(t, func() { x509.SetFallbackRoots(x509.NewCertPool()) }, "roots can be set only once")
}
