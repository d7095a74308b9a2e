// Package hostile_test sends the API requests that are drawn from its OpenAPI document, valid and damaged, and requires
// of every answer what the document and docs/errors.md promise. It sends the pages links and forms of their own, mostly
// damaged.
package hostile_test

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/testtime"
)

// How many requests make hostile sends, from which seed, and which of the seed's sequences alone if one is to be
// repeated.
const (
	requestsEnv = "HOLDFAST_HOSTILE_REQUESTS"
	seedEnv     = "HOLDFAST_HOSTILE_SEED"
	sequenceEnv = "HOLDFAST_HOSTILE_SEQUENCE"
)

// mostFailures end a run.
const mostFailures = 5

func TestRequests_HostileOnes_AreAnsweredAsDescribed(t *testing.T) {
	t.Parallel()
	if os.Getenv(seedEnv) != "" {
		attack(t, setting(t, seedEnv), int(setting(t, requestsEnv)), 2*runtime.GOMAXPROCS(0))
		return
	}
	successes := map[string]int{}
	for _, seed := range []uint64{1, testtime.Seed(t)} {
		for operation, n := range attack(t, seed, testtime.Rounds(500), 1).successes {
			successes[operation] += n
		}
	}
	for _, operation := range settingOperations {
		require.Positive(t, successes[operation],
			"no valid %s was drawn, so that nothing behind its validation was tried", operation)
	}
}

func setting(t *testing.T, name string) uint64 {
	t.Helper()
	value, err := strconv.ParseUint(os.Getenv(name), 10, 64)
	require.NoError(t, err, name)
	return value
}

// attack sends about n requests from several workers, each to a server of its own, prints what was answered, and
// returns the counts.
func attack(t *testing.T, seed uint64, n, workers int) *tally {
	t.Helper()
	var next, failures atomic.Uint64
	only := os.Getenv(sequenceEnv)
	if only != "" {
		next.Store(setting(t, sequenceEnv))
		workers = 1
	}
	count := newTally()
	servers := make([]*server, workers)
	for i := range servers {
		servers[i] = newServer(t)
	}
	description := readDescription(t, servers[0].address)
	count.began = testtime.Now()
	var all sync.WaitGroup
	for _, server := range servers {
		all.Go(func() {
			for first := true; first || only == "" && count.total() < n &&
				failures.Load() < mostFailures; first = false {
				number := next.Add(1) - 1
				s := newSequence(seed, number)
				s.description, s.server, s.count, s.line = description, server, count, &line{address: server.address}
				if wrong := s.run(); wrong != "" {
					failures.Add(1)
					t.Errorf("make hostile SEED=%d SEQUENCE=%d: %s\n%s", seed, number, wrong, s.curlHistory())
				}
				s.line.close()
			}
		})
	}
	all.Wait()
	t.Log(count.table(seed))
	return count
}

// curlHistory returns the last requests of a sequence as curl commands.
func (s *sequence) curlHistory() string {
	var b strings.Builder
	for _, r := range s.history {
		b.WriteString(r.curl() + "\n")
	}
	return b.String()
}
