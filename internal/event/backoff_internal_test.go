package event

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestBackoff_DoublesUpToTheLongest_WithJitter(t *testing.T) {
	t.Parallel()
	b := Backoff{First: 2 * time.Second, Longest: time.Minute}
	for i, seconds := range []int{2, 4, 8, 16, 32, 60, 60, 60} {
		want := time.Duration(seconds) * time.Second
		seen := make(map[time.Duration]bool)
		for range 200 {
			pause := b.pause(i + 1)
			require.GreaterOrEqual(t, pause, want, "attempt %d", i+1)
			require.LessOrEqual(t, pause, want+want/4, "attempt %d", i+1)
			seen[pause] = true
		}
		require.Greater(t, len(seen), 100, "events that failed together must not be tried again together")
	}
	require.LessOrEqual(t, b.pause(1<<30), b.Longest+b.Longest/4, "the pause of a very late attempt")
}
