package lock

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/testtime"
)

// TestNames_Millions_CollideAsOftenAsTheRegistrySays hashes the ten million names of the registry's figures where the tests may take long, and else a
// tenth of them.
func TestNames_Millions_CollideAsOftenAsTheRegistrySays(t *testing.T) {
	t.Parallel()
	const ofTheRegistry = 10_000_000
	n := min(testtime.Rounds(ofTheRegistry/10), ofTheRegistry)
	shared, same := countCollisions(t, n)
	require.Zero(t, same, "two names have one key")
	// Of n draws from 2^32 so many are of a number that was drawn before, give or take the root of that.
	expected := float64(n) + math.Ldexp(math.Expm1(float64(n)*math.Log1p(-math.Ldexp(1, -32))), 32)
	require.InDelta(t, expected, shared, 4*math.Sqrt(expected))
	if n < ofTheRegistry {
		return
	}

	registry, err := os.ReadFile("../../docs/locks-registry.md")
	require.NoError(t, err)
	figures := regexp.MustCompile(`([0-9,]+) had low\s+32 bits that came before; chance gives ([0-9,]+)`).FindSubmatch(registry)
	require.NotNil(t, figures, "the registry tells the figures")
	require.Equal(t, strconv.Itoa(shared), strings.ReplaceAll(string(figures[1]), ",", ""))
	require.Equal(t, strconv.FormatFloat(expected, 'f', 0, 64), strings.ReplaceAll(string(figures[2]), ",", ""))
}

// countCollisions hashes n calendar names and counts those whose low 32 bits, and whose 64 bits, came before.
//
// Each name has a tenant of its own: names of one tenant differ in so few bytes that halves of their hashes collide in
// clumps, and a count of clumps says little. What all ids begin with is hashed once.
//
// The race detector has nothing to find in memory that nobody shares, and would take most of the time.
//
//go:norace
func countCollisions(t *testing.T, n int) (shared, same int) {
	t.Helper()
	dates := make([]string, 3653) // ten years
	for i := range dates {
		dates[i] = time.Date(2026, time.January, 1+i, 0, 0, 0, 0, time.UTC).Format(":" + time.DateOnly)
	}
	const sameStart = "01890a5d-ac96-774b-"
	start, random := fnv1a(fnvOffset, sameStart), rand.New(rand.NewPCG(1, 2))
	var raw [8]byte
	var rest [17]byte // xxxx-xxxxxxxxxxxx
	rest[4] = '-'
	table := make([]uint64, 1<<24) // open addressing
	for i := range n {
		binary.BigEndian.PutUint64(raw[:], random.Uint64())
		hex.Encode(rest[:4], raw[:2])
		hex.Encode(rest[5:], raw[2:])
		date := dates[random.IntN(len(dates))]
		h := fnv1a(fnv1a(start, string(rest[:])), date)
		if i == 0 {
			require.Equal(t, keyOf(sameStart+string(rest[:])+date).id, int64(h), "what is hashed here is a name")
		}
		before := false
		slot := uint32(h) >> 8
		for ; table[slot] != 0; slot = (slot + 1) % uint32(len(table)) {
			before = before || uint32(table[slot]) == uint32(h)
			if table[slot] == h {
				same++
			}
		}
		table[slot] = h
		if before {
			shared++
		}
	}
	return shared, same
}
