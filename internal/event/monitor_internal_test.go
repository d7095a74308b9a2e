package event

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/testtime"
)

// One poll finds the lease that has ended, and the next one the event.
func TestPauses_OfTwoPolls_AddUpToFiveSecondsAtMost(t *testing.T) {
	t.Parallel()
	w := NewWorker(new(db.DB), Config{})
	require.LessOrEqual(t, 2*w.cfg.Poll, 5*time.Second)
}

func TestLeaseSearch_AfterACompleteOne_BeginsThereAndNowAndThenWithTheOldest(t *testing.T) {
	t.Parallel()
	const pause = 2 * time.Second
	l, now := leaseSearch{}, testtime.Now()
	search := func(all bool) time.Duration {
		within := l.within(now)
		l.searched(within, now, all)
		now = now.Add(pause)
		return within
	}
	require.Zero(t, search(false), "the first search begins with the oldest lease")
	require.Zero(t, search(true), "more may have ended before")
	for range lookBackEvery/pause - 1 {
		require.Equal(t, pause+sinceMargin, search(true))
	}
	require.Zero(t, search(true))
	require.Equal(t, pause+sinceMargin, search(false))
	require.Equal(t, 2*pause+sinceMargin, search(true),
		"after one that failed or found more than it takes, the next goes as far back")
	require.Equal(t, pause+sinceMargin, search(true))
}
