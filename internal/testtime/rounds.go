package testtime

import (
	"os"
	"strconv"
	"testing"
)

const (
	roundsVariable = "HOLDFAST_TEST_ROUNDS"
	quickVariable  = "HOLDFAST_TEST_QUICK"
	seedVariable   = "HOLDFAST_TEST_SEED"
	fixedSeed      = 20261125
)

// Rounds returns n times HOLDFAST_TEST_ROUNDS, which make soak and make drill set: how often a test draws or repeats
// something. Without the variable, or with one that is no positive number, it returns n.
func Rounds(n int) int {
	if factor, err := strconv.Atoi(os.Getenv(roundsVariable)); err == nil && factor > 0 {
		return n * factor
	}
	return n
}

// Soaks reports whether make soak or make drill runs the tests: with long draws, and with what takes long and seldom
// finds anything.
func Soaks() bool { return Rounds(1) > 1 }

// Quick reports whether make quick runs the tests: without what takes long, such as processes and browsers. It isn't
// -short, with which rapid draws too little for tests that count what they drew.
func Quick() bool { return os.Getenv(quickVariable) != "" }

// Seed returns what a test's random draws begin with, and logs it: HOLDFAST_TEST_SEED, or else a fixed number, so that
// a run in CI draws the same each time. A variable that is no number fails the test.
func Seed(t testing.TB) uint64 {
	t.Helper()
	seed := uint64(fixedSeed)
	if text := os.Getenv(seedVariable); text != "" {
		parsed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatalf("%s: %v", seedVariable, err)
		}
		seed = parsed
	}
	t.Logf("%s=%d repeats these draws", seedVariable, seed)
	return seed
}

// Some returns all in make soak, and else two of them: others for each n, so that a test which asks with 0, 1, 2, …
// sees each.
func Some[T any](n int, all ...T) []T {
	if Soaks() || len(all) <= 2 {
		return all
	}
	return []T{all[n%len(all)], all[(n+len(all)/2)%len(all)]}
}
