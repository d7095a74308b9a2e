package event_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/event"
	"holdfast/internal/testtime"
)

// observed returns count and sum of a histogram, of all its labels together.
func observed(t testing.TB, registry *prometheus.Registry, name string) (count uint64, sum float64) {
	t.Helper()
	families, err := registry.Gather()
	require.NoError(t, err)
	for _, family := range families {
		for _, m := range family.GetMetric() {
			if family.GetName() == name {
				count += m.GetHistogram().GetSampleCount()
				sum += m.GetHistogram().GetSampleSum()
			}
		}
	}
	return count, sum
}

func TestMetrics_Claim_QueriesAndTransactionAreTimedApart(t *testing.T) {
	t.Parallel()
	b := setup(t)
	registry := prometheus.NewRegistry()
	h := new(handled)
	event.NewWorker(b.store, event.Config{Metrics: registry}, h.kind(nil),
		event.Kind{Name: "test.other"}).RunUntilIdle(t.Context())
	transactions, whole := observed(t, registry, "holdfast_event_claim_transaction_seconds")
	queries, inQueries := observed(t, registry, "holdfast_event_claim_query_seconds")
	require.Positive(t, transactions)
	require.Equal(t, 2*transactions, queries, "each kind is a query")
	require.Positive(t, inQueries)
	require.Greater(t, whole, inQueries, "a transaction has a round trip and a COMMIT besides")
}

func TestLeaseDue_OneQueryIsSlow_ItsTimeIsNotThatOfTheOther(t *testing.T) {
	t.Parallel()
	const slow = 100 * time.Millisecond
	b := setup(t)
	s := dbtest.Open(t, db.Config{URL: b.url, MaxConns: 1})
	leases := []event.LeaseQuery{{Kind: testKind, Limit: 1}, {Kind: "test.other", Limit: 1}}
	// prepares the statements, which waits for the table, too
	_, err := event.LeaseDue(t.Context(), s, uuid.New(), leases...)
	require.NoError(t, err)
	holder, err := b.sql.Begin(t.Context())
	require.NoError(t, err)
	_, err = holder.Exec(t.Context(), "LOCK TABLE scheduled_events")
	require.NoError(t, err)
	type result struct {
		leased []event.Leased
		err    error
	}
	results := make(chan result, 1)
	ctx, stop := bounded(t)
	defer stop()
	go func() {
		leased, err := event.LeaseDue(ctx, s, uuid.New(), leases...)
		results <- result{leased, err}
	}()
	require.Eventually(t, func() bool {
		var waits bool
		require.NoError(t, b.sql.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_locks l JOIN pg_stat_activity a USING (pid)
			WHERE NOT l.granted AND a.datname = current_database() AND l.waitstart < clock_timestamp() - $1::interval)`, slow).Scan(&waits))
		return waits
	}, longestWait, 5*time.Millisecond)
	require.NoError(t, holder.Rollback(t.Context()))
	r := testtime.Receive(t, results)
	require.NoError(t, r.err)
	require.GreaterOrEqual(t, r.leased[0].Took, slow)
	require.Positive(t, r.leased[1].Took)
	require.Less(t, r.leased[1].Took, r.leased[0].Took)
}
