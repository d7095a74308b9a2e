package event_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/event"
	"holdfast/internal/testtime"
)

// insertDeliveries plans n deliveries to each of some endpoints of the bundle's tenant, about subjects of chain events
// each.
func (b *testBundle) insertDeliveries(t testing.TB, status string, due time.Duration, n, chain int,
	endpoints ...uuid.UUID,
) {
	t.Helper()
	_, err := b.sql.Exec(t.Context(), `
		INSERT INTO scheduled_events (tenant_id, event_id, kind, subject_type, subject_id, occurrence, status, due_at, time_zone, attempts,
			version, data, created_at, updated_at, ordering_key, sequence)
		SELECT $1, gen_random_uuid(), 'webhook.delivery', 'webhook_endpoint', e, gen_random_uuid()::text, $2,
			$3::timestamptz + i * interval '1 ms', 'UTC', 0, 1, '{}', now(), now(), md5((i / $6)::text)::uuid, i
		FROM unnest($4::uuid[]) AS e, generate_series(1, $5::int) AS i`, b.tenant, status, testtime.Now().Add(due), endpoints, n, chain)
	require.NoError(t, err)
}

// leaseOfDeliveries leases with a store of its own and returns what it took and the plan of the lease, with what it
// read.
func (b *testBundle) leaseOfDeliveries(t testing.TB, c event.LeaseQuery) (leased event.Leased, plan string, pages int) {
	t.Helper()
	c.Kind, c.LeaseTime = event.KindWebhookDelivery, longestWait
	traced := &statements{seen: make(map[string]pgx.TraceBatchQueryData)}
	s := dbtest.Open(t, db.Config{URL: b.url, MaxConns: 1, Tracer: traced})
	all, err := event.LeaseDue(t.Context(), s, uuid.New(), c)
	require.NoError(t, err)
	statement := traced.seen["EventLeaseDeliveries"]
	for i, arg := range statement.Args { // the simple protocol can't write lists
		switch list := arg.(type) {
		case []int32:
			statement.Args[i] = listOf(list)
		case []time.Time:
			texts := make([]string, len(list))
			for j, at := range list {
				texts[j] = at.Format(time.RFC3339Nano)
			}
			statement.Args[i] = listOf(texts)
		case time.Time:
			statement.Args[i] = list.Format(time.RFC3339Nano)
		}
	}
	plan = b.explain(t, "EXPLAIN (ANALYZE, BUFFERS)", traced.seen["SessionWorker"].SQL, statement)
	_, counted, _ := strings.Cut(plan, "Buffers: shared hit=")
	_, err = fmt.Sscan(counted, &pages)
	require.NoError(t, err, plan)
	return all[0], plan, pages
}

func listOf[T any](list []T) string {
	return "{" + strings.Trim(strings.Join(strings.Fields(fmt.Sprint(list)), ","), "[]") + "}"
}

func TestPlans_ManyDeliveries_ClaimUsesItsIndexes(t *testing.T) {
	t.Parallel()
	dbtest.NotOnCitus(t)
	b := setup(t)
	endpoints := make([]uuid.UUID, 50)
	for i := range endpoints {
		endpoints[i] = uuid.New()
	}
	b.insertDeliveries(t, "completed", -time.Hour, 2000, 1, endpoints...)
	b.insertDeliveries(t, "pending", -time.Hour, 200, 1, endpoints...)
	b.insertDeliveries(t, "failed", time.Hour, 200, 1, endpoints...)
	_, err := b.sql.Exec(t.Context(), "ANALYZE scheduled_events")
	require.NoError(t, err)
	all := &event.DeliveryLeaseQuery{Everywhere: true, PerEndpoint: 8}
	leased, plan, _ := b.leaseOfDeliveries(t, event.LeaseQuery{Limit: 1000, Deliveries: all})
	require.Len(t, leased.Events, 50*8)
	for _, index := range []string{"scheduled_events_deliveries", "scheduled_events_order", "scheduled_events_pkey"} {
		require.Contains(t, plan, " using "+index+" on ")
	}
	require.NotContains(t, plan, "Seq Scan on scheduled_events")
	require.NotContains(t, plan, "Sort", "it reads the rows in the order of its indexes")
}

func TestPlans_BacklogOfAnotherEndpoint_IsNotRead(t *testing.T) {
	t.Parallel()
	dbtest.NotOnCitus(t)
	b := setup(t)
	full, other := uuid.UUID{1}, uuid.UUID{2}
	b.insertDeliveries(t, "pending", -time.Hour, 20_000, 1, full)
	b.insertDeliveries(t, "pending", -time.Minute, 5, 1, other)
	_, err := b.sql.Exec(t.Context(), "ANALYZE scheduled_events")
	require.NoError(t, err)
	leased, _, pages := b.leaseOfDeliveries(t, event.LeaseQuery{Limit: 1000, Deliveries: &event.DeliveryLeaseQuery{
		Everywhere: true, PerEndpoint: 8,
		Known: []event.KnownEndpoint{{EndpointKey: event.EndpointKey{Tenant: b.tenant, Endpoint: full}}},
	}})
	require.Len(t, leased.Events, 5)
	require.Less(t, pages, 100)
}

func TestPlans_ManyDeliveriesOfOneSubject_ClaimLooksAtABoundedNumber(t *testing.T) {
	t.Parallel()
	dbtest.NotOnCitus(t)
	b := setup(t)
	endpoint := uuid.New()
	b.insertDeliveries(t, "pending", -time.Hour, 20_000, 1_000_000, endpoint)
	_, err := b.sql.Exec(t.Context(), "ANALYZE scheduled_events")
	require.NoError(t, err)
	all := &event.DeliveryLeaseQuery{Everywhere: true, PerEndpoint: 8}
	leased, plan, _ := b.leaseOfDeliveries(t, event.LeaseQuery{Limit: 1000, Deliveries: all})
	require.Len(t, leased.Events, 1)
	require.Contains(t, plan, "loops=2000)", "of the 20,000")
	require.NotContains(t, plan, "loops=20000)")
}

func TestPlans_LongTransactionIsOpen_ClaimReadsNothingOfWhatWasDeliveredBefore(t *testing.T) {
	t.Parallel()
	dbtest.NotOnCitus(t)
	b := setup(t)
	endpoint := uuid.New()
	b.insertDeliveries(t, "pending", -time.Hour, 20_000, 1, endpoint)
	open, err := b.sql.BeginTx(t.Context(), pgx.TxOptions{IsoLevel: pgx.RepeatableRead})
	require.NoError(t, err)
	defer func() { _ = open.Rollback(context.WithoutCancel(t.Context())) }()
	_, err = open.Exec(t.Context(), "SELECT count(*) FROM scheduled_events")
	require.NoError(t, err)
	_, err = b.sql.Exec(t.Context(), "UPDATE scheduled_events SET status = 'completed'")
	require.NoError(t, err)
	_, err = b.sql.Exec(t.Context(), "ANALYZE scheduled_events")
	require.NoError(t, err)
	known := event.KnownEndpoint{EndpointKey: event.EndpointKey{Tenant: b.tenant, Endpoint: endpoint}, Permits: 8}
	// The search for endpoints walks over entries of its index, but reads none of their rows.
	for everywhere, most := range map[bool]int{true: 300, false: 20} {
		lease := event.LeaseQuery{Limit: 100, Deliveries: &event.DeliveryLeaseQuery{
			Everywhere: everywhere, PerEndpoint: 8, Known: []event.KnownEndpoint{known},
		}}
		_, _, pages := b.leaseOfDeliveries(t, lease)
		require.Greater(t, pages, 600)
		lease.Since = testtime.Now().Add(-time.Minute)
		lease.Deliveries.Known[0].Since = lease.Since
		_, _, pages = b.leaseOfDeliveries(t, lease)
		require.Less(t, pages, most)
		lease.Deliveries.Known[0].Since = time.Time{}
	}
}
