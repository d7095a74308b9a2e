package event

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/testtime"
)

// claimAt claims as many events as asked for, or fewer, that were due at a time, and handles them.
func (k *kindClaims) claimAt(now, due time.Time, n int) Claim {
	k.due = true
	asked := k.claim(now)
	events := make([]ClaimedEvent, min(n, asked.Limit))
	for i := range events {
		events[i] = ClaimedEvent{TenantID: uuid.New(), DueAt: due}
	}
	k.claimed(Claimed{Events: events})
	k.running = 0
	return asked
}

func TestKindClaims_MoreIsDueThanAClaimTakes_FairClaimsBeginWhereClaimsDo(t *testing.T) {
	t.Parallel()
	k, now := kindClaims{kind: Kind{Concurrency: 4}.withDefaults()}, testtime.Now()
	require.Zero(t, k.claimAt(now, now.Add(-time.Hour), 9).Since, "the first claim begins with the oldest event")
	fair := k.claimAt(now, now, 0)
	require.True(t, fair.Fairly)
	require.Equal(t, now.Add(-time.Hour-sinceMargin), fair.Since)
	next := k.claimAt(now, now, 9)
	require.False(t, next.Fairly)
	require.Equal(t, fair.Since, next.Since)
}

func TestKindClaims_LookBackFindsMoreThanItTakes_NextClaimsGoOnFromThere(t *testing.T) {
	t.Parallel()
	k, now := kindClaims{kind: Kind{Concurrency: 4}.withDefaults()}, testtime.Now()
	k.claimAt(now, now, 1)
	require.Equal(t, now.Add(-sinceMargin), k.claimAt(now, now, 1).Since)

	now = now.Add(lookBackEvery)
	require.Zero(t, k.claimAt(now, now.Add(-time.Hour), 9).Since)
	for _, fairly := range []bool{true, false} {
		next := k.claimAt(now, now.Add(-time.Hour), 9)
		require.Equal(t, fairly, next.Fairly)
		require.Equal(t, now.Add(-time.Hour-sinceMargin), next.Since, "events that were planned late don't wait for the next look back")
	}
}
