package event

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/testtime"
)

func TestLook_ReturnsWhatThereIsToDo_AndEverythingNowAndThen(t *testing.T) {
	t.Parallel()
	w := NewWorker(dbtest.Open(t, db.Config{URL: dbtest.Database(t)}), Config{},
		Kind{Name: "test.kind", Concurrency: 1,
			Handle: func(context.Context, Event) (Result, error) { return Done(), nil }})
	require.Nil(t, w.poll(t.Context()), "the first one looks everything through")
	later := w.polls.last.Add(time.Hour) // not while this test runs
	require.Equal(t, lookBackEvery, w.polls.lookBack.Sub(w.polls.last))
	w.polls.lookBack = later
	names := w.poll(t.Context())
	require.NotNil(t, names)
	require.Empty(t, names, "nothing is due")
	require.Equal(t, later, w.polls.lookBack)

	ended, end := context.WithCancel(t.Context())
	end()
	before := w.polls
	require.Nil(t, w.poll(ended), "after a failure, everything is looked through")
	require.Equal(t, before, w.polls, "the next one goes as far back")
	require.True(t, w.contact.wasLost(testtime.Now()))
	require.Empty(t, w.poll(t.Context()))

	last := w.polls.last
	w.polls.lookBack = last
	require.Nil(t, w.poll(t.Context()), "what was due long before it was planned is found")
	require.True(t, w.polls.last.After(last))
	require.Equal(t, lookBackEvery, w.polls.lookBack.Sub(w.polls.last))
}

func TestUntilPoll_AllWorkersOfAProcess_PollAtTheSameMoments(t *testing.T) {
	t.Parallel()
	for passed, pause := range map[time.Duration]time.Duration{
		0: time.Second, time.Nanosecond: time.Second - time.Nanosecond, 300 * time.Millisecond: 700 * time.Millisecond,
		time.Second: time.Second, time.Hour + 999*time.Millisecond: time.Millisecond,
	} {
		require.Equal(t, pause, untilPoll(started.Add(passed), time.Second), "%v after the start", passed)
	}
}

func TestWake_NamesOfJobs_RunTheseJobs(t *testing.T) {
	t.Parallel()
	w := NewWorker(new(db.DB), Config{Jobs: []Job{{Name: "relay", Woken: db.WakeFeed}, {Name: "by the clock"}}})
	woken := func() (names []string) {
		for _, j := range w.jobs {
			select {
			case <-j.woken:
				names = append(names, j.Name)
			default:
			}
		}
		return names
	}
	w.wake([]string{})
	require.Empty(t, woken())
	w.wake([]string{db.WakeFeed, "test.kind"})
	require.Equal(t, []string{"relay"}, woken())
	w.wake([]string{db.WakeLeases})
	require.Equal(t, []string{"take back events whose lease has ended"}, woken())
	w.wake(nil)
	require.Equal(t, []string{"take back events whose lease has ended", "relay"}, woken())
}
