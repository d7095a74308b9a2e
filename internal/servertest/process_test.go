package servertest_test

import (
	"context"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/servertest"
)

const waitLimit = time.Minute

// start runs a shell script in place of the server.
func start(t *testing.T, script string, env ...string) *servertest.Process {
	t.Helper()
	p, err := servertest.Start(servertest.Config{Binary: "/bin/sh", Args: []string{"-c", script}, Env: env,
		OutputDir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(p.Kill)
	return p
}

func TestStart_VariablesOfTheServer_ComeFromTheConfigAlone(t *testing.T) {
	t.Setenv("HOLDFAST_INHERITED", "yes")
	t.Setenv("OTHER_INHERITED", "yes")
	p := start(t, "env", "HOLDFAST_GIVEN=yes")
	require.Zero(t, p.State().ExitCode())
	require.Contains(t, p.Stdout.String(), "OTHER_INHERITED=yes\n")
	require.Contains(t, p.Stdout.String(), "HOLDFAST_GIVEN=yes\n")
	require.NotContains(t, p.Stdout.String(), "HOLDFAST_INHERITED")
}

func TestStart_ProgramThatIsMissing_Fails(t *testing.T) {
	t.Parallel()
	_, err := servertest.Start(servertest.Config{Binary: "/does/not/exist", OutputDir: t.TempDir()})
	require.ErrorContains(t, err, "start /does/not/exist")
}

func TestAddress_ServerSaysThatItServes_ReturnsTheAddress(t *testing.T) {
	t.Parallel()
	p := start(t, "echo 'level=INFO msg=serving addr=127.0.0.1:4711' >&2; exec sleep 60")
	addr, err := p.Address(t.Context())
	require.NoError(t, err)
	require.Equal(t, "127.0.0.1:4711", addr)
}

func TestAddress_ProcessEndsEarly_FailsWithItsOutput(t *testing.T) {
	t.Parallel()
	_, err := start(t, "echo no database >&2; exit 3").Address(t.Context())
	require.ErrorContains(t, err, "exit status 3")
	require.ErrorContains(t, err, "no database")
}

func TestAwait_ContextEnds_Fails(t *testing.T) {
	t.Parallel()
	p := start(t, "exec sleep 60")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := p.Await(ctx, p.Stdout, regexp.MustCompile("never"))
	require.ErrorIs(t, err, context.Canceled)
}

func TestStop_ProcessEndsOnSIGTERM_Succeeds(t *testing.T) {
	t.Parallel()
	p := start(t, "exec sleep 60")
	require.NoError(t, p.Stop(waitLimit))
	require.Equal(t, syscall.SIGTERM, p.State().Sys().(syscall.WaitStatus).Signal())
}

func TestStop_ProcessIgnoresSIGTERM_IsKilledAndToldSo(t *testing.T) {
	t.Parallel()
	p := start(t, "trap '' TERM; echo ready; while :; do sleep 1; done")
	_, err := p.Await(t.Context(), p.Stdout, regexp.MustCompile("ready"))
	require.NoError(t, err)
	require.ErrorContains(t, p.Stop(time.Millisecond), "didn't end within 1ms")
	require.Equal(t, syscall.SIGKILL, p.State().Sys().(syscall.WaitStatus).Signal())
}

func TestOutput_OfSeveralProcesses_HasATail(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var p *servertest.Process
	for _, word := range []string{"one", "two", "three"} {
		var err error
		p, err = servertest.Start(servertest.Config{Binary: "/bin/sh", Args: []string{"-c", "echo " + word},
			OutputDir: dir})
		require.NoError(t, err)
		require.True(t, p.State().Success())
	}
	require.Equal(t, []string{"one", "two", "three"}, strings.Fields(p.Stdout.String()))
	require.Equal(t, "three\n", p.Stdout.Tail(6))
	require.Equal(t, "one\ntwo\nthree\n", p.Stdout.Tail(100))
}
