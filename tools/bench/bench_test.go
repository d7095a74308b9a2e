package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"holdfast/internal/testtime"
)

// TestMain has today's server built once for all tests. But for make soak, it is the server of every commit too:
// servers of two commits differ in nothing that a short test shows.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "hfbench-bin")
	if err != nil {
		panic(err)
	}
	build := buildToday
	built := sync.OnceValues(func() (string, error) { return build(context.Background(), dir) })
	buildToday = func(context.Context, string) (string, error) { return built() }
	if !testtime.Soaks() {
		buildCommit = func(context.Context, string, string) (string, error) { return built() }
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// soak skips a test that starts servers of its own to try a measurement that is seldom made.
func soak(t *testing.T) {
	t.Helper()
	if !testtime.Soaks() {
		t.Skip("make soak tries it")
	}
}

// smallSize is enough for every scenario to run, and briefly how long each is measured. A measurement has at least one
// operation, however slow the machine is.
var smallSize = size{uncontended: 20, contended: 5, bookings: 20, overloadOver: 20, overloadFor: 200 * time.Millisecond,
	crowdSize: 300}

const briefly = 30 * time.Millisecond

// TestBench measures everything on one server, one after the other.
func TestBench_EveryScenario_MeasuresEveryStrategy(t *testing.T) {
	t.Parallel()
	b, err := start(t.Context(), briefly, payableFor(1, briefly), smallSize, t.Output())
	require.NoError(t, err)
	t.Cleanup(b.stop)
	// pgbench runs for a second at least, and two scenarios have the same script.
	r, err := b.run(t.Context(), 1, regexp.MustCompile("^("+oneTenant+"/("+atService+"|"+atHTTP+")|"+
		strings.Join([]string{manyTenants, hotDate, contended, replays, availability, lists, payments}, "/|")+"/|"+
		neighbours+"|"+overload+
		"|"+visiting+")"))
	require.NoError(t, err)

	measured := map[string]int{}
	for _, x := range slices.Concat(r.scenarios...) {
		require.Len(t, x.rounds, 1, x.name())
		measured[x.scenario]++
		require.LessOrEqual(t, x.rounds[0].p50, x.rounds[0].p99, x.name())
		require.Positive(t, x.rate().median, x.name())
		require.Positive(t, x.rounds[0].p50, x.name())
	}
	for _, scenario := range []string{manyTenants, oneTenant, hotDate, contended} {
		require.GreaterOrEqual(t, measured[scenario], 7, scenario)
	}
	for _, scenario := range []string{replays, availability, payments} {
		require.Equal(t, 2, measured[scenario], scenario)
	}
	require.Equal(t, 1, measured[lists])
	require.Len(t, r.specials, 3)
	for _, s := range r.specials {
		require.Len(t, s.rounds, 1)
		require.Positive(t, s.rounds[0][0].value, s.name)
		for _, f := range s.rounds[0] {
			require.True(t, f.what != wrongAnswers || f.value == 0, f)
		}
	}

	requireEachSlotSoldOnce(t, b)
	requireTransfers(t, b)
	requireComparison(t, b)
	requireTraces(t, b)

	// The document gets what was measured, and keeps what people wrote around it.
	dir := t.TempDir()
	name := filepath.Join(dir, "benchmarks.md")
	require.NoError(t, os.WriteFile(name, []byte("before\n"+beginMark+"\nformer figures\n"+endMark+"\nafter\n"), 0o600))
	for range 2 {
		require.NoError(t, r.save(dir))
	}
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	document := string(text)
	require.True(t, strings.HasPrefix(document, "before\n") && strings.HasSuffix(document, "\nafter\n"), document)
	require.NotContains(t, document, "former figures")
	require.Contains(t, document, "| advisory lock | service | ")
}

// requireComparison compares today's server with that of a commit.
func requireComparison(t *testing.T, b *bench) {
	t.Helper()
	c, err := b.compare(t.Context(), "HEAD", 2, regexp.MustCompile("^("+replays+"|"+availability+")/"))
	require.NoError(t, err)
	require.Len(t, c.entries, 2)
	for _, e := range c.entries {
		require.Len(t, e.base, 2)
		require.Len(t, e.today, 2)
	}
	var out bytes.Buffer
	require.NoError(t, c.write(&out))
	require.Regexp(t, `(?m)^\| availability \| \d+ \| \d+ \| \d+\.\d\d \(\d+\.\d\d to \d+\.\d\d\) \|`, out.String())
}

// requireTraces compares servers that trace with one that doesn't.
func requireTraces(t *testing.T, b *bench) {
	t.Helper()
	c, err := b.compareTraces(t.Context(), 1)
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, c.write(&out))
	for _, traced := range []string{"1% traced", "100% traced"} {
		require.Regexp(t, `(?m)^\| many dates of 1,000 tenants, `+traced+` \| \d+ \| \d+ \| \d+\.\d\d \(`, out.String())
	}
}

func TestCells_SeveralClusters_AreMeasuredBesideOneDatabase(t *testing.T) {
	t.Parallel()
	soak(t)
	size := cellsSize{clusters: 2, cells: 3, tenants: 6, idle: briefly}
	r, err := measureCells(t.Context(), size, 1, briefly, t.Output())
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, r.write(&out))
	for _, row := range []string{
		`bookings/s in one of 3 cells \| \d+`, `p99 of the other cells: meanwhile, of that before \| \d+\.\d\d`,
		`a server with 3 cells, % of a core \| \d+\.\d\d`,
	} {
		require.Regexp(t, `(?m)^\| `+row, out.String())
	}
}

// requireTransfers measures transfers beside pgbench.
func requireTransfers(t *testing.T, b *bench) {
	t.Helper()
	r, err := b.transfers(t.Context(), 50, []int{1}, 1)
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, r.write(&out))
	require.Regexp(t, `(?m)^\| Holdfast \| service \| \d+ `, out.String())
	require.Regexp(t, `(?m)^\| pgbench, scale 1 \| database \| \d+ \(\d+–\d+\) \| – \| \d+\.\d\d × \|`, out.String())
}

// requireEachSlotSoldOnce checks what the strategies did where clients competed for few slots.
func requireEachSlotSoldOnce(t *testing.T, b *bench) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), b.database.url)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(t.Context())) }()
	var sold, twice int
	require.NoError(t, conn.QueryRow(t.Context(), `SELECT count(*), count(*) - count(DISTINCT (tenant_id, starts_at)) FROM bookings
		WHERE ends_at - starts_at = interval '1 hour' AND starts_at < $1`, b.fixture.Day(baselineDay)).Scan(&sold, &twice))
	require.Zero(t, twice)
	require.InDelta(t, int(b.attempts.Load())/attemptsPerSlot, sold, 1, "every slot that was asked for is sold")
}

func TestCommand_BadOptions_AreRefusedBeforeAnythingStarts(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"-rounds", "0"}, {"-duration", "1ms"}, {"-only", "("}, {"-nothing"}, {"-base", "no-such-commit"},
		{"-traces", "-wallets"}, {"-traces", "-base", "HEAD"}, {"-traces", "-only", "replays"},
		{"-cells", "-traces"}, {"-cells", "-base", "HEAD"}, {"-wallets", "-base", "HEAD"},
		{"-wallets", "-only", "replays"},
	} {
		var out bytes.Buffer
		require.Error(t, command(t.Context(), args, &out), args)
		require.Empty(t, out.String(), args)
	}
}

func TestSpread_OfFigures_IsTheirMedianAndTheirEnds(t *testing.T) {
	t.Parallel()
	require.Equal(t, spread{2, 1, 9}, spreadOver([]float64{9, 1, 2}))
	require.Equal(t, spread{2.5, 1, 9}, spreadOver([]float64{3, 1, 2, 9}))
}

func TestPgbenchLog_OnlyWhatEndsInTheWindow_Counts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	log := "0 1 300 0 100 0\n0 2 900 0 100 500000\n0 3 200 0 101 0\n0 4 100 0 101 1\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "log.1"), []byte(log), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "log.1.1"), []byte("1 1 400 0 100 700000\n"), 0o600))
	latencies, err := readPgbenchLog(dir, time.Unix(100, 0), time.Unix(101, 0))
	require.NoError(t, err)
	require.Equal(t, []time.Duration{200 * time.Microsecond, 400 * time.Microsecond, 900 * time.Microsecond}, latencies)
}
