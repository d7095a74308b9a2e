package webhook

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestPause_AllAttempts_ReachOverThreeDays(t *testing.T) {
	t.Parallel()
	var least, most time.Duration
	for attempt := 1; attempt < maxAttempts; attempt++ {
		p := pause(attempt, 0)
		least, most = least+pauses[attempt-1], most+pauses[attempt-1]*11/10
		require.GreaterOrEqual(t, p, pauses[attempt-1])
		require.LessOrEqual(t, p, pauses[attempt-1]*11/10)
	}
	require.Greater(t, least, 3*24*time.Hour)
	require.Less(t, most, 4*24*time.Hour)
	require.Equal(t, 30*time.Hour, pause(1, 30*time.Hour), "an endpoint may ask for a longer pause")
	require.Less(t, pause(2, time.Second), 6*time.Minute, "not for a shorter one")
}

func TestFailed_AttemptThatBeganBeforeTheCircuitOpened_DoesNotOpenItForLonger(t *testing.T) {
	t.Parallel()
	now := time.Date(2027, 7, 1, 10, 0, 0, 0, time.UTC)
	e := Endpoint{Status: Enabled, Version: 1}
	for range openAfter {
		e = e.failed(now, false)
	}
	require.Equal(t, now.Add(firstPause), *e.openUntil)
	for range 100 {
		e = e.failed(now.Add(time.Second), false)
	}
	require.Equal(t, now.Add(firstPause), *e.openUntil)
	require.Equal(t, int64(2), e.Version, "the API shows failing_since, and nothing else changed")
}

func TestFailed_AfterVeryManyProbes_StillPausesForTheLongestPause(t *testing.T) {
	t.Parallel()
	now := time.Date(2027, 7, 1, 10, 0, 0, 0, time.UTC)
	e := Endpoint{Status: Enabled, failures: 1 << 29}
	require.Equal(t, now.Add(longestPause), *e.failed(now, true).openUntil)
}

func TestProbing_ClosedOrOpenCircuit_LetsNobodyProbe(t *testing.T) {
	t.Parallel()
	now := time.Date(2027, 7, 1, 10, 0, 0, 0, time.UTC)
	until := now.Add(time.Second)
	for _, e := range []Endpoint{{}, {openUntil: &until}} {
		_, ok := e.probing(now)
		require.False(t, ok)
	}
	e, ok := Endpoint{openUntil: &until}.probing(until)
	require.True(t, ok)
	_, ok = e.probing(until)
	require.False(t, ok, "the second one waits")
}
