package torture_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/postgres/pgtest"
	"holdfast/internal/torture"
	"holdfast/internal/torture/cluster"
)

// The variables of make torture.
const (
	seedEnv     = "TORTURE_SEED"
	durationEnv = "TORTURE_DURATION"
	modeEnv     = "TORTURE_MODE"
)

// short is how long each mode is tortured as part of make test.
const short = 15 * time.Second

// build compiles the server for the test's runs.
func build(t *testing.T) string {
	t.Helper()
	binary, err := cluster.Build(t.Context(), filepath.Join("..", ".."), t.TempDir())
	require.NoError(t, err)
	return binary
}

// run runs a torture, prints its report and fails the test on a violation.
func run(t *testing.T, cfg torture.Config) torture.Report {
	t.Helper()
	report, err := torture.Run(t.Context(), cfg)
	if errors.Is(err, pgtest.ErrNoPgBouncer) {
		t.Skip(err)
	}
	t.Logf("\n%s", &report)
	require.NoError(t, err)
	require.Empty(t, report.Violations, "again: %s", report.Repeat())
	return report
}

func TestRun_EverythingBreaks_PromisesHold(t *testing.T) {
	t.Parallel()
	if os.Getenv(durationEnv) != "" {
		t.Skip("a long run is asked for")
	}
	binary := build(t)
	seed := uint64(time.Now().Unix())
	for _, mode := range []torture.Mode{torture.Direct, torture.PgBouncer} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			report := run(t, torture.Config{Seed: seed, Duration: short, Mode: mode, Clients: 8, Binary: binary})
			require.Greater(t, report.Operations["create"].Done, 20, "the run tells nothing unless something was booked")
			require.NotEmpty(t, report.Faults)
		})
	}
}

// TestTorture is make torture.
func TestTorture(t *testing.T) {
	t.Parallel()
	text := os.Getenv(durationEnv)
	if text == "" {
		t.Skip("make torture runs it")
	}
	duration, err := time.ParseDuration(text)
	require.NoError(t, err)
	require.LessOrEqual(t, duration, time.Hour, "a run is bounded")
	seed, err := strconv.ParseUint(os.Getenv(seedEnv), 10, 64)
	require.NoError(t, err)
	mode := torture.Mode(os.Getenv(modeEnv))
	require.Contains(t, []torture.Mode{torture.Direct, torture.PgBouncer}, mode)
	run(t, torture.Config{Seed: seed, Duration: duration, Mode: mode, Binary: build(t)})
}
