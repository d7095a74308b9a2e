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

// ownMemory returns how much memory the server process holds for itself, in megabytes; its database is not part of it. Pages of the
// program's file don't count: the kernel can drop them, and how many of them it maps depends on how it has cached the file. The
// same program had 33 or 36 MB of them, as a copy and as the linker wrote it.
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

// TestServe_OnExistingData_TakesLessThanASecondOfProcessorTime measures what the server and its database compute from start
// to stop: how long they take by the clock depends on what else the machine does.
//
//nolint:paralleltest // the other tests would disturb the measurement
func TestServe_OnExistingData_TakesLessThanASecondOfProcessorTime(t *testing.T) {
	const starts, limit = 5, time.Second
	dir := newDir(t)
	start(t, dir).stop(t)
	var took, computed []time.Duration
	for range starts {
		p := start(t, dir)
		a, err := p.send(http.MethodGet, "/readyz", "", "", nil)
		took = append(took, time.Since(p.launched))
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, a.status, "%s", a)
		p.stop(t)
		computed = append(computed, p.State().UserTime()+p.State().SystemTime())
	}
	slices.Sort(took)
	slices.Sort(computed)
	t.Logf("from exec to the first 200: best %v, median %v, worst %v; processor time: best %v, median %v", took[0], took[starts/2], took[starts-1],
		computed[0], computed[starts/2])
	require.Less(t, computed[0], limit)
}

func TestServe_HoldsLessThan16MegabytesOfItsOwnIdle_AndLittleMoreAfter200Bookings(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("resident memory is read from /proc, which only Linux has")
	}
	const bookings, clients, limit, busyLimit = 200, 8, 16.0, 32.0
	// Go collects at the latest so long after it last did: what the workers took after the server gave its memory back goes then.
	const collected = 2 * time.Minute
	p := start(t, newDir(t))
	var idle float64
	t.Cleanup(func() { t.Logf("memory after the start: %.1f MB", idle) })
	require.Eventually(t, func() bool { // what starting took is given back soon
		idle = p.ownMemory(t)
		return idle < limit
	}, collected+waitLimit, poll)
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
	busy := p.ownMemory(t)
	t.Logf("memory after %d bookings: %.1f MB", bookings, busy)
	require.Less(t, busy, busyLimit)
}
