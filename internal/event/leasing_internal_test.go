package event

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/testtime"
)

// leaseAt leases as many events as asked for, or fewer, that were due at a time, and handles them.
func (k *kindLeaser) leaseAt(now, due time.Time, n int) LeaseQuery {
	k.due = true
	asked := k.query(now)
	events := make([]LeasedEvent, min(n, asked.Limit))
	for i := range events {
		events[i] = LeasedEvent{TenantID: uuid.New(), DueAt: due}
	}
	k.leased(Leased{Events: events})
	k.running = 0
	return asked
}

func TestKindLeaser_MoreIsDueThanAClaimTakes_FairClaimsBeginWhereClaimsDo(t *testing.T) {
	t.Parallel()
	k, now := kindLeaser{kind: Kind{Concurrency: 4}.withDefaults()}, testtime.Now()
	require.Zero(t, k.leaseAt(now, now.Add(-time.Hour), 9).Since, "the first claim begins with the oldest event")
	fair := k.leaseAt(now, now, 0)
	require.True(t, fair.Fairly)
	require.Equal(t, now.Add(-time.Hour-sinceMargin), fair.Since)
	next := k.leaseAt(now, now, 9)
	require.False(t, next.Fairly)
	require.Equal(t, fair.Since, next.Since)
}

func TestKindLeaser_LookBackFindsMoreThanItTakes_NextClaimsGoOnFromThere(t *testing.T) {
	t.Parallel()
	k, now := kindLeaser{kind: Kind{Concurrency: 4}.withDefaults()}, testtime.Now()
	k.leaseAt(now, now, 1)
	require.Equal(t, now.Add(-sinceMargin), k.leaseAt(now, now, 1).Since)

	now = now.Add(lookBackEvery)
	require.Zero(t, k.leaseAt(now, now.Add(-time.Hour), 9).Since)
	for _, fairly := range []bool{true, false} {
		next := k.leaseAt(now, now.Add(-time.Hour), 9)
		require.Equal(t, fairly, next.Fairly)
		require.Equal(t, now.Add(-time.Hour-sinceMargin), next.Since,
			"events that were planned late don't wait for the next look back")
	}
}
