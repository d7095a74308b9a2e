package hostile_test

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"holdfast/internal/testtime"
)

// tally counts requests. It may be used by several goroutines.
type tally struct {
	mu                    sync.Mutex
	began                 time.Time
	requests, broken      int // broken: answered with 5xx
	byOperation, byAnswer map[string]int
	successes             map[string]int // of drawn requests, by operation
}

func newTally() *tally {
	return &tally{began: testtime.Now(), byOperation: map[string]int{}, byAnswer: map[string]int{},
		successes: map[string]int{}}
}

// succeeded counts a drawn request that did what it asked for.
func (c *tally) succeeded(op operation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.successes[op.id]++
}

func (c *tally) add(r drawn, a answer) {
	operation, kind := cmp.Or(r.op.id, "none"), strconv.Itoa(a.status)
	if r.mayMissOperation {
		operation = "none, or damaged beyond it"
	}
	if code := a.text("code"); code != "" && a.status >= http.StatusBadRequest {
		kind += " " + code
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests++
	c.byOperation[operation]++
	c.byAnswer[kind]++
	if a.status >= http.StatusInternalServerError {
		c.broken++
	}
}

func (c *tally) total() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.requests
}

// table returns what was counted, the 5xx last.
func (c *tally) table(seed uint64) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	took := testtime.Now().Sub(c.began)
	var b strings.Builder
	for _, table := range []struct {
		title  string
		counts map[string]int
	}{{"operation", c.byOperation}, {"operation that succeeded", c.successes}, {"answer", c.byAnswer}} {
		fmt.Fprintf(&b, "\n%-40s requests\n", table.title)
		for _, name := range slices.Sorted(maps.Keys(table.counts)) {
			fmt.Fprintf(&b, "%-40s %8d\n", name, table.counts[name])
		}
	}
	fmt.Fprintf(&b, "\nseed %d: %d requests in %s, %.0f a second; 5xx: %d\n", seed, c.requests,
		took.Round(time.Second/10),
		float64(c.requests)/took.Seconds(), c.broken)
	return b.String()
}
