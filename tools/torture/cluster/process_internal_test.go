package cluster

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/servertest"
	"holdfast/internal/testtime"
)

const waitLimit = time.Minute

func ready(context.Context) error { return nil }

// shell returns a process that runs a script.
func shell(t *testing.T, script string) servertest.Config {
	t.Helper()
	return servertest.Config{Binary: "/bin/sh", Args: []string{"-c", script}, OutputDir: t.TempDir()}
}

func TestProcess_EndsByItself_IsStartedAgainAndTold(t *testing.T) {
	t.Parallel()
	var starts atomic.Int32
	p := newProcess("a process", shell(t, "sleep 0.1; exit 3"), func(context.Context) error {
		starts.Add(1)
		return nil
	})
	t.Cleanup(p.Close)
	require.NoError(t, p.Start(t.Context()))
	require.Eventually(t, func() bool { return len(p.Crashes()) > 0 && starts.Load() > 1 }, waitLimit, time.Millisecond)
	require.Contains(t, p.Crashes()[0], "exit status 3")
}

func TestProcess_KilledOrStopped_StaysDownAndCounts_AsNoCrash(t *testing.T) {
	t.Parallel()
	p := newProcess("a process", shell(t, "exec sleep 60"), ready)
	t.Cleanup(p.Close)
	for _, end := range []func(){p.Kill, func() { require.NoError(t, p.Stop()) }} {
		require.NoError(t, p.Start(t.Context()))
		end()
		<-time.After(2 * restartPause) // long enough for a restart that must not happen
		require.Nil(t, p.running)
	}
	require.Empty(t, p.Crashes())
}

func TestProcess_ContextEndsWhileItIsntReady_StartReturns(t *testing.T) {
	t.Parallel()
	p := newProcess("a process", shell(t, "exec sleep 60"), func(ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	})
	t.Cleanup(p.Close)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, p.Start(ctx), context.DeadlineExceeded)
}

// The payment provider is the smallest process of the program under test that tells the time.
func TestBuild_OffsetInTheEnvironment_SetsTheProcesssClock(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	binary, err := Build(t.Context(), dir)
	require.NoError(t, err)
	a, err := reserveAddress()
	require.NoError(t, err)
	t.Cleanup(a.close)
	p := newProvider(Config{Dir: dir, Binary: binary}, a.name, "")
	t.Cleanup(p.Close)
	for _, offset := range []time.Duration{0, 26 * time.Hour, -26 * time.Hour} {
		require.NoError(t, p.Start(t.Context(), servertest.ClockAhead(offset)))
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.URL, http.NoBody)
		require.NoError(t, err)
		response, err := p.client.Do(request)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		date, err := http.ParseTime(response.Header.Get("Date"))
		require.NoError(t, err)
		require.WithinDuration(t, testtime.Now().Add(offset), date, waitLimit)
		p.Kill()
	}
}
