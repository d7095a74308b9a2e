package event

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/store"
	"holdfast/internal/testtime"
)

// The longest pauses are half as long again as the mean ones.
func TestPauses_OfTheMonitorAndThePoll_AddUpToFiveSecondsAtMost(t *testing.T) {
	t.Parallel()
	w := NewWorker(new(store.Store), Config{})
	require.LessOrEqual(t, (rescueEvery+w.cfg.Poll)*3/2, 5*time.Second)
}

func TestLeaseSearch_AfterACompleteOne_BeginsThereAndNowAndThenWithTheOldest(t *testing.T) {
	t.Parallel()
	l, now := leaseSearch{}, testtime.Now()
	search := func(all bool) time.Duration {
		within := l.within(now)
		l.searched(within, now, all)
		now = now.Add(rescueEvery)
		return within
	}
	require.Zero(t, search(false), "the first search begins with the oldest lease")
	require.Zero(t, search(true), "more may have ended before")
	for range lookBackEvery/rescueEvery - 1 {
		require.Equal(t, rescueEvery+sinceMargin, search(true))
	}
	require.Zero(t, search(true))
	require.Equal(t, rescueEvery+sinceMargin, search(false))
	require.Equal(t, 2*rescueEvery+sinceMargin, search(true),
		"after one that failed or found more than it takes, the next goes as far back")
	require.Equal(t, rescueEvery+sinceMargin, search(true))
}
