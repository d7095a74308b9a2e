package torture_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/postgres/pgtest"
	"holdfast/tools/torture"
	"holdfast/tools/torture/cluster"
	"holdfast/tools/torture/history"
	"holdfast/tools/torture/nemesis"
)

// The variables of make torture.
const (
	seedEnv     = "TORTURE_SEED"
	durationEnv = "TORTURE_DURATION"
	modeEnv     = "TORTURE_MODE"
)

// short is how long each mode is tortured as part of make test, longest how long at most.
const (
	short   = 15 * time.Second
	longest = 15 * time.Minute
)

// buildDir holds the server under test.
var buildDir string

// runsAtOnce is how many runs there are at once, whatever number of cores there is: most of the time they wait for what must settle.
const runsAtOnce = 32

func TestMain(m *testing.M) {
	flag.Parse()
	err := flag.Set("test.parallel", strconv.Itoa(runsAtOnce))
	if err != nil {
		panic(err)
	}
	if buildDir, err = os.MkdirTemp("", "torture-bin"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(buildDir)
	os.Exit(code)
}

// built compiles the server, once for all runs.
var built = sync.OnceValues(func() (string, error) { return cluster.Build(context.Background(), buildDir) })

func build(t *testing.T) string {
	t.Helper()
	binary, err := built()
	require.NoError(t, err)
	return binary
}

// run runs a torture, prints its report and fails the test on a violation.
func run(t *testing.T, cfg torture.Config) torture.Report {
	t.Helper()
	cfg.Check = torture.Judge
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
			report := run(t, torture.Config{Seed: seed, Duration: short, Mode: mode, Binary: binary})
			require.Greater(t, report.Operations["create"].Done, 20, "the run tells nothing unless something was booked")
			require.NotEmpty(t, report.Faults)
		})
	}
}

func TestRun_ViolationUnderLoad_EndsTheLoadAndKeepsTheHistory(t *testing.T) {
	t.Parallel()
	if os.Getenv(durationEnv) != "" {
		t.Skip("a long run is asked for")
	}
	acted := make(chan string, 1)
	report, err := torture.Run(t.Context(), torture.Config{
		Seed: 1, Duration: 10 * time.Minute, Faults: []nemesis.Fault{}, Binary: build(t), Dir: t.TempDir(), CheckEvery: 100 * time.Millisecond,
		Rewrite: func(sql string) string {
			return strings.Replace(sql, "name: BookingInsert ", "name: BookingInsertRewritten ", 1)
		},
		Actor: func(_, _ context.Context, c *cluster.Cluster) error {
			acted <- c.Database.URL()
			return nil
		},
		Check: func(_ context.Context, e torture.Evidence) ([]torture.Violation, error) {
			if e.Final || len(e.Operations) < 50 {
				return nil, nil
			}
			return []torture.Violation{{Rule: "planted", Detail: "There are fifty operations.", Operations: []int64{50}}}, nil
		},
	})
	require.NoError(t, err)
	require.NotEmpty(t, <-acted)
	require.Less(t, report.Lasted, 5*time.Minute)
	require.NotZero(t, report.CaughtAfter)
	require.Len(t, report.Violations, 1)
	ops, err := history.Read(filepath.Join(report.Dir, "history.jsonl"))
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(ops), 50)
	page, err := os.ReadFile(filepath.Join(report.Dir, "report.txt"))
	require.NoError(t, err)
	for _, part := range []string{
		"planted: There are fifty operations.", "operations [50]", report.Dir, "make torture SEED=1 DURATION=10m0s MODE=direct",
		"Faults: none", "create",
	} {
		require.Contains(t, string(page), part)
	}
	require.NoDirExists(t, filepath.Join(report.Dir, "database"))
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
	require.LessOrEqual(t, duration, longest, "a run, and its history, is bounded")
	seed, err := strconv.ParseUint(os.Getenv(seedEnv), 10, 64)
	require.NoError(t, err)
	mode := torture.Mode(os.Getenv(modeEnv))
	require.Contains(t, []torture.Mode{torture.Direct, torture.PgBouncer}, mode)
	run(t, torture.Config{Seed: seed, Duration: duration, Mode: mode, Binary: build(t)})
}
