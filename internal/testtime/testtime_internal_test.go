package testtime

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"cloud.google.com/go/civil"
	"github.com/stretchr/testify/require"

	"holdfast/internal/timezone"
)

func TestFirstAfter_OnEveryDayOfFiveYears_IsAMondayBeforeDaysOf24Hours(t *testing.T) {
	t.Parallel()
	var zones []*time.Location
	for _, name := range []string{"Europe/Berlin", "Europe/London", "America/New_York", "America/Los_Angeles",
		"Asia/Tokyo", "UTC"} {
		loc, err := timezone.Load(name)
		require.NoError(t, err)
		zones = append(zones, loc)
	}
	begin := civil.Date{Year: 2026, Month: time.January, Day: 1}
	for day := range 5 * 365 {
		earliest := begin.AddDays(day)
		got := firstAfter(earliest)
		require.Equal(t, time.Monday, got.Weekday(), "%s", earliest)
		require.False(t, got.Before(earliest), "%s", earliest)
		require.LessOrEqual(t, got.DaysSince(earliest), 226-leadDays, "%s", earliest)
		for _, loc := range zones {
			for n := range 110 {
				require.Equal(t, 24*time.Hour, got.AddDays(n+1).In(loc).Sub(got.AddDays(n).In(loc)),
					"%s and %d days in %s", got, n, loc)
			}
		}
	}
}

func TestAdvance_InABubble_RunsWhatIsDue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var ran atomic.Bool
		time.AfterFunc(time.Hour, func() { ran.Store(true) })
		Advance(time.Hour - 1)
		require.False(t, ran.Load())
		Advance(1)
		require.True(t, ran.Load())
	})
}

func TestDate_InOneProcess_CountsFromOneDay(t *testing.T) {
	t.Parallel()
	require.Equal(t, Date(0).AddDays(3), Date(3))
	require.GreaterOrEqual(t, Date(0).DaysSince(civil.DateOf(Now().UTC())), leadDays-1)
	require.Equal(t, Date(2), civil.DateOf(At(2, 23, 59, time.UTC)))
}

//nolint:paralleltest // it sets the environment
func TestRounds_MultipliesByTheVariable(t *testing.T) {
	for value, want := range map[string]int{"": 7, "3": 21, "0": 7, "-1": 7, "x": 7} {
		t.Setenv(roundsVariable, value)
		require.Equal(t, want, Rounds(7), "%q", value)
	}
}

func TestSeed_IsFixedUnlessTheVariableSaysAnother(t *testing.T) {
	t.Setenv(seedVariable, "")
	require.Equal(t, uint64(fixedSeed), Seed(t))
	t.Setenv(seedVariable, "18446744073709551615")
	require.Equal(t, uint64(1<<64-1), Seed(t))
}
