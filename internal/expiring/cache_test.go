package expiring_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/maypok86/otter/v2"
	"github.com/stretchr/testify/require"

	"holdfast/internal/expiring"
	"holdfast/internal/testtime"
)

// A bubble fails if a goroutine is left that waits for a tick.
func TestCache_EntriesExpire_WithoutAGoroutineThatLooksForThem(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := expiring.New(10, otter.ExpiryWriting[string, int](time.Minute))
		c.Set("a", 1)
		testtime.Advance(time.Minute - time.Nanosecond)
		got, found := c.GetIfPresent("a")
		require.True(t, found)
		require.Equal(t, 1, got)
		testtime.Advance(time.Nanosecond)
		_, found = c.GetIfPresent("a")
		require.False(t, found)

		c.Set("b", 2)
		c.CleanUp()
		require.Equal(t, 1, c.EstimatedSize(), "a write frees what has expired")
	})
}
