package failover_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/db/preflight"
	"holdfast/internal/problem"
)

func (b *testBundle) check(t testing.TB, name string) preflight.Result {
	t.Helper()
	for _, c := range preflight.Diagnose(t.Context(), b.process.store) {
		if c.Check == name {
			return c
		}
	}
	require.FailNow(t, "no such check")
	return preflight.Result{}
}

func TestReady_SaysWhatCommitsWaitForAndWhenTheyWait(t *testing.T) {
	t.Parallel()
	b := setup(t, db.Config{CommitTimeout: 500 * time.Millisecond, LockTimeout: 500 * time.Millisecond})
	const promise = "a COMMIT waits for the disk and for synchronous standbys (synchronous_commit is on, synchronous_standby_names is " +
		"*); attached: 1, synchronous now: 1"
	commits, err := preflight.Ready(t.Context(), b.process.store)
	require.NoError(t, err)
	require.Equal(t, promise, commits)
	require.Equal(t, preflight.Result{Check: "commits", Result: preflight.OK, Meaning: promise}, b.check(t, "commits"))

	require.NoError(t, b.replicas.Standby.Freeze(t.Context()))
	_, err = b.create(t.Context(), t, b.process, uuid.NewString(), 0)
	requireCode(t, err, problem.OutcomeUnknown)
	require.Eventually(t, func() bool {
		_, err = preflight.Ready(t.Context(), b.process.store)
		return err != nil
	}, longestWait, poll)
	requireCode(t, err, problem.DatabaseUnavailable)
	require.ErrorContains(t, err, "1 sessions wait")
	require.NoError(t, b.replicas.Standby.Thaw())
	require.Eventually(t, func() bool {
		_, err = preflight.Ready(t.Context(), b.process.store)
		return err == nil
	}, longestWait, poll)

	// The promoted standby keeps the setting by which commits wait.
	require.NoError(t, b.replicas.Failover(t.Context()))
	var stuck error
	require.Eventually(t, func() bool {
		_, stuck = preflight.Ready(t.Context(), b.process.store)
		return problem.Is(stuck, problem.DatabaseUnavailable) && strings.Contains(stuck.Error(), "none is attached")
	}, longestWait, poll, "%v", stuck)
	advice := b.check(t, "commits")
	require.Equal(t, preflight.Advice, advice.Result)
	require.Contains(t, advice.Meaning, "none is attached")
	require.Contains(t, advice.Advice, "synchronous_standby_names = ''")
	require.ErrorContains(t, preflight.Check(t.Context(), b.process.store),
		"commits wait for a standby: none is attached",
		"a server doesn't start")

	require.NoError(t, b.replicas.Forget(t.Context()))
	require.Eventually(t, func() bool {
		commits, err = preflight.Ready(t.Context(), b.process.store)
		return err == nil
	}, longestWait, poll)
	require.Equal(t, "a COMMIT waits for the disk of this server (synchronous_commit is on)", commits)
}
