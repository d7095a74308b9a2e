package main

import (
	"fmt"
	"net/http"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var anonymousLine = regexp.MustCompile(`RssAnon:\s*(\d+) kB`)

// ownMemory returns how much memory the server process holds for itself, in megabytes; its database is not part of it.
// Pages of the program's file don't count: the kernel can drop them, and how many of them it maps depends on how it has
// cached the file. The same program had 33 or 36 MB of them, as a copy and as the linker wrote it.
func (p *proc) ownMemory(t testing.TB) float64 {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.PID()))
	require.NoError(t, err)
	match := anonymousLine.FindSubmatch(status)
	require.NotNil(t, match, "%s", status)
	kilobytes, err := strconv.ParseFloat(string(match[1]), 64) // of 1024 bytes
	require.NoError(t, err)
	return kilobytes * 1024 / 1e6
}

// releasedProgram returns the path of the program as it is released: the race detector takes several times the memory
// and the time.
func releasedProgram(t testing.TB) string {
	t.Helper()
	if os.Getenv("TEST_CLOCK_OFFSET") != "" {
		t.Skip("the program as it is released has the machine's clock, and the database has another one")
	}
	path, err := released()
	require.NoError(t, err)
	return path
}

// startReleased is start of the program as it is released.
func startReleased(t testing.TB, dir string) *proc {
	t.Helper()
	p := server(t, dir)
	p.config.Binary = releasedProgram(t)
	p.launch(t)
	p.awaitServing(t)
	return p
}

// computed returns the processor time of a process that has ended, its database included.
func (p *proc) computed() time.Duration { return p.State().UserTime() + p.State().SystemTime() }

// TestServe_OnExistingData_TakesLittleProcessorTime measures what the server and its database compute from start to
// stop: how long they take by the clock depends on what else the machine does. The unit is what holdfast migrate takes,
// which starts and stops the same database and finds nothing to migrate. A start has been 2.6 units.
func TestServe_OnExistingData_TakesLittleProcessorTime(t *testing.T) {
	t.Parallel()
	const tries, limit = 3, 5
	dir := filledDir(t)
	path := releasedProgram(t)
	var units, starts []time.Duration
	for range tries {
		unit := command(t, dir, nil, "migrate")
		unit.config.Binary = path
		unit.launch(t)
		require.Zero(t, unit.wait(t), "%s", unit.log())
		units = append(units, unit.computed())
		p := startReleased(t, dir)
		a, err := p.send(http.MethodGet, "/readyz", "", "", nil)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, a.status, "%s", a)
		p.stop(t)
		starts = append(starts, p.computed())
	}
	t.Logf("processor time: of a start %v, of holdfast migrate %v", starts, units)
	require.Less(t, slices.Min(starts), limit*slices.Min(units))
}

func TestServe_HoldsLessThan16MegabytesOfItsOwnIdle_AndLittleMoreAfter200Bookings(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("resident memory is read from /proc, which only Linux has")
	}
	const bookings, clients, limit, busyLimit = 200, 8, 16.0, 32.0
	// Go collects at the latest so long after it last did: what the workers took after the server gave its memory back
	// goes then.
	const collected = 2 * time.Minute
	p := startReleased(t, filledDir(t))
	awaitMemory := func(limit float64) { // what starting and working took is given back soon
		var memory float64
		defer func() { t.Logf("memory: %.1f MB", memory) }()
		require.Eventually(t, func() bool {
			memory = p.ownMemory(t)
			return memory < limit
		}, collected+waitLimit, 5*poll)
	}
	awaitMemory(limit)
	s := newShop(t, p)
	var all sync.WaitGroup
	for c := range clients {
		all.Go(func() {
			for i := c; i < bookings; i += clients {
				a, err := s.book(p, "client-"+strconv.Itoa(i), slot(i%20, i/20))
				if err != nil || a.status != http.StatusCreated {
					t.Errorf("booking %d: %s, %v", i, a, err)
				}
			}
		})
	}
	all.Wait()
	awaitMemory(busyLimit)
}
