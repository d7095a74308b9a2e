package torture_test

import (
	"context"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/postgres/pgtest"
	"holdfast/internal/testtime"
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

const (
	// longest is how long make torture may take.
	longest = 15 * time.Minute
	// mostLoad bounds the load of all other runs, which end when enough was done, and mostSettling the time until
	// everything has settled. Only a run that fails, or a slow machine, needs so long.
	mostLoad     = 5 * time.Minute
	mostSettling = 5 * time.Minute
)

// buildDir holds the server under test.
var buildDir string

// runsAtOnce is how many runs there are at once, whatever number of cores there is: most of the time they wait for what
// must settle. With more, a slow machine has no time to start the servers of each.
const runsAtOnce = 2

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
	if errors.Is(err, pgtest.ErrNotInstalled) {
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
	seed := testtime.Seed(t)
	modes := torture.Modes[:1]
	if testtime.Soaks() {
		modes = torture.Modes
	}
	for _, mode := range modes {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			const bookings = 20
			wanted := mode.Faults()
			if mode == torture.Cells { // the other modes have the other faults
				wanted = nemesis.FewCellFaults()
			}
			faults, struck := counted(wanted)
			report := run(t, torture.Config{
				Seed:     seed,
				Duration: mostLoad,
				Settle:   mostSettling,
				Mode:     mode,
				Binary:   binary,
				Clients:  8,
				Pace:     120 * time.Millisecond,
				Faults:   faults,
				Enough: func(done map[string]int) bool {
					return done["create"] > bookings &&
						int(struck.Load()) >= len(faults)
				},
			})
			require.Greater(t, report.Operations["create"].Done, bookings,
				"the run tells nothing unless something was booked")
			require.NotEmpty(t, report.Faults)
		})
	}
}

// countedFault counts how often it was to strike.
type countedFault struct {
	nemesis.Fault
	struck *atomic.Int64
}

// Strike counts, and strikes.
func (f countedFault) Strike(ctx context.Context, c *cluster.Cluster, random *rand.Rand,
) (func(context.Context) error, error) {
	f.struck.Add(1)
	return f.Fault.Strike(ctx, c, random)
}

// counted has faults counted together. Faults come in rounds, so that each was to strike once there are as many strikes
// as faults.
func counted(faults []nemesis.Fault) ([]nemesis.Fault, *atomic.Int64) {
	struck := new(atomic.Int64)
	for i, f := range faults {
		faults[i] = countedFault{f, struck}
	}
	return faults, struck
}

func TestRun_ViolationUnderLoad_EndsTheLoadAndKeepsTheHistory(t *testing.T) {
	t.Parallel()
	if os.Getenv(durationEnv) != "" {
		t.Skip("a long run is asked for")
	}
	acted := make(chan string, 1)
	report, err := torture.Run(t.Context(), torture.Config{
		Seed:       1,
		Duration:   mostLoad,
		Faults:     []nemesis.Fault{},
		Binary:     build(t),
		Dir:        t.TempDir(),
		CheckEvery: 100 * time.Millisecond,
		Rewrite: func(_ int, sql string) string {
			return strings.Replace(sql, "name: BookingInsert ", "name: BookingInsertRewritten ", 1)
		},
		Actor: func(_, _ context.Context, c *cluster.Cluster) error {
			acted <- c.Databases[0].URL()
			return nil
		},
		Check: func(_ context.Context, e torture.Evidence) ([]torture.Violation, error) {
			if e.Final || len(e.Operations) < 50 {
				return nil, nil
			}
			return []torture.Violation{{Rule: "planted", Detail: "There are fifty operations.",
				Operations: []int64{50}}}, nil
		},
	})
	require.NoError(t, err)
	require.NotEmpty(t, <-acted)
	require.Less(t, report.Lasted, mostLoad)
	require.NotZero(t, report.CaughtAfter)
	require.Len(t, report.Violations, 1)
	ops, err := history.Read(filepath.Join(report.Dir, "history.jsonl"))
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(ops), 50)
	page, err := os.ReadFile(filepath.Join(report.Dir, "report.txt"))
	require.NoError(t, err)
	for _, part := range []string{
		"planted: There are fifty operations.", "operations [50]", report.Dir,
		"make torture SEED=1 DURATION=5m0s MODE=direct",
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
	require.Contains(t, torture.Modes, mode)
	run(t, torture.Config{Seed: seed, Duration: duration, Mode: mode, Binary: build(t)})
}
