package failover_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/problem"
)

const (
	bookingsOfKey = `SELECT count(*) FROM bookings b JOIN customers c USING (tenant_id, customer_id) WHERE c.email = $1 || '@example.com'`
	storedUnder   = `SELECT count(*) FROM idempotency_keys WHERE key = $1`
)

func TestCreate_StandbyFrozen_IsUnknownUntilItIsBack(t *testing.T) {
	t.Parallel()
	cfg := db.Config{CommitTimeout: 500 * time.Millisecond, LockTimeout: 300 * time.Millisecond}
	b := setup(t, cfg)
	cfg.URL = b.replicas.URL()
	other := newProcess(t, cfg)
	key := uuid.NewString()
	require.NoError(t, b.replicas.Standby.Freeze(t.Context()))

	_, err := b.create(t.Context(), t, b.process, key, 0)
	requireCode(t, err, problem.OutcomeUnknown)
	b.waitForCommits(t, 1, 0) // no cancel request was sent: the row isn't visible to anyone
	require.Zero(t, query[int](t, b, storedUnder, key))
	for _, p := range []*process{b.process, other} {
		_, err = b.create(t.Context(), t, p, key, 0)
		requireCode(t, err, problem.LockTimeout) // the COMMIT holds the date's lock
	}

	b.cancelCommits(t)
	require.Eventually(t, func() bool { return query[int](t, b, storedUnder, key) == 1 }, longestWait, poll)
	for _, p := range []*process{b.process, other} { // one has seen the key, and looks it up first
		_, err = b.create(t.Context(), t, p, key, 0)
		requireCode(t, err, problem.OutcomeUnknown)
	}

	require.NoError(t, b.replicas.Standby.Thaw())
	for _, p := range []*process{b.process, other} {
		require.Eventually(t, func() bool {
			resp, err := b.create(t.Context(), t, p, key, 0)
			return err == nil && resp.Replayed && resp.Answer().Status == 201
		}, longestWait, poll)
	}
	require.Equal(t, 1, query[int](t, b, bookingsOfKey, key))
}

func TestCreate_CommitIsCancelled_IsAcknowledgedOnlyWhenTheStandbyHasIt(t *testing.T) {
	t.Parallel()
	b := setup(t, db.Config{CommitTimeout: longestWait})
	key := uuid.NewString()
	require.NoError(t, b.replicas.Standby.Freeze(t.Context()))
	done := b.createInBackground(t, b.process, key, 0)
	b.waitForCommits(t, 1, 0)
	b.cancelCommits(t)
	require.Eventually(t, func() bool { return query[int](t, b, storedUnder, key) == 1 }, longestWait, poll)
	b.waitForCommits(t, 1, 0) // it runs again, finds its response, and waits for the standby
	select {
	case r := <-done:
		require.FailNow(t, "acknowledged while the standby is away", "%v %v", r.resp.Answer().Status, r.err)
	default:
	}
	require.NoError(t, b.replicas.Standby.Thaw())
	r := <-done
	require.NoError(t, r.err)
	require.Equal(t, 201, r.resp.Answer().Status)
	require.Equal(t, 1, query[int](t, b, bookingsOfKey, key))
}

func TestCreate_StandbyAwayForLongerThanAStatementMayTake_IsWaitedFor(t *testing.T) {
	t.Parallel()
	cfg := db.Config{CommitTimeout: longestWait}
	b := setup(t, cfg)
	const limit = time.Second
	var shortened atomic.Bool
	proxy := dbtest.NewProxy(t, b.replicas.Primary.URL, func(p *dbtest.Proxy) {
		p.Rewrite = func(sql string) string {
			shorter := strings.Replace(sql, "set_config('statement_timeout', $3::text, true)",
				"set_config('statement_timeout', left($3::text, 0) || '1s', true)", 1)
			if shorter != sql {
				shortened.Store(true)
			}
			return shorter
		}
	})
	cfg.URL = proxy.URL
	limited := newProcess(t, cfg)
	key := uuid.NewString()
	require.NoError(t, b.replicas.Standby.Freeze(t.Context()))
	done := b.createInBackground(t, limited, key, 0)
	b.waitForCommits(t, 1, 2*limit)
	require.True(t, shortened.Load())
	require.Zero(t, query[int](t, b, storedUnder, key))
	require.NoError(t, b.replicas.Standby.Thaw())
	r := <-done
	require.NoError(t, r.err)
	require.False(t, r.resp.Replayed)
}
