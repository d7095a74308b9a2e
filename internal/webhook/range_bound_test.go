package webhook_test

import (
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
	"holdfast/internal/testtime"
	"holdfast/internal/webhook"
)

// planOpen plans n deliveries of the tenant that are not due yet.
func (b *testBundle) planOpen(t testing.TB, endpoint uuid.UUID, n int) {
	t.Helper()
	b.exec(t, `
		INSERT INTO scheduled_events (tenant_id, event_id, kind, subject_type, subject_id, occurrence, status, due_at, time_zone, attempts,
			version, data, created_at, updated_at)
		SELECT $1, gen_random_uuid(), 'webhook.delivery', 'webhook_endpoint', $2, gen_random_uuid()::text,
			CASE i % 2 WHEN 0 THEN 'pending' ELSE 'failed' END, now() + interval '1 day', 'UTC', 0, 1, '{}', now(), now()
		FROM generate_series(1, $3::int) AS i`, b.tenant.ID, endpoint, n)
}

func TestReplayRange_TenantHasManyDeliveriesToBeMade_IsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	since := testtime.Now().Add(-time.Hour)
	e := b.newEndpoint(t, "https://example.com/", "*")
	other := b.newEndpoint(t, "https://example.com/", "payment.*")
	b.recordChanges(t, "booking.created", 3)
	b.relay(t)
	b.planOpen(t, other.ID, 20_000-3-1)
	refused := newRequest(t)
	r, err := b.service.ReplayRange(t.Context(), b.tenant, newRequest(t), e.ID, webhook.Range{From: &since})
	require.Equal(t, int64(3), answered[webhook.RangeBody](t, r, err).Deliveries, "one less than the bound")
	b.planOpen(t, other.ID, 1)
	for range 2 { // the refusal isn't kept
		_, err = b.service.ReplayRange(t.Context(), b.tenant, refused, e.ID, webhook.Range{From: &since})
		require.True(t, problem.Is(err, problem.InvalidState), "%v", err)
	}
	b.exec(t, "UPDATE scheduled_events SET status = 'completed' WHERE subject_id = $1", other.ID)
	r, err = b.service.ReplayRange(t.Context(), b.tenant, refused, e.ID, webhook.Range{From: &since})
	require.Equal(t, int64(3), answered[webhook.RangeBody](t, r, err).Deliveries)
}

func TestReplayRange_ManyAtOnce_TogetherStayWithinTheBound(t *testing.T) {
	t.Parallel()
	b := setup(t)
	since := testtime.Now().Add(-time.Hour)
	first := b.newEndpoint(t, "https://example.com/", "payment.*")
	b.planOpen(t, first.ID, 19_999)
	b.recordChanges(t, "booking.created", 3)
	b.relay(t)
	var endpoints []webhook.EndpointWithSecretBody
	for range 6 { // after the events, so that nothing is planned yet
		endpoints = append(endpoints, b.newEndpoint(t, "https://example.com/", "*"))
	}
	errs := make([]error, len(endpoints))
	var all sync.WaitGroup
	for i, e := range endpoints {
		r := newRequest(t)
		all.Go(func() {
			_, errs[i] = b.service.ReplayRange(t.Context(), b.tenant, r, e.ID, webhook.Range{From: &since})
		})
	}
	all.Wait()
	passed := 0
	for _, err := range errs {
		if err == nil {
			passed++
			continue
		}
		require.True(t, problem.Is(err, problem.InvalidState), "%v", err)
	}
	require.Equal(t, 1, passed)
	// Each tenant has a bound of its own.
	b.tenant = b.newTenant(t)
	e := b.newEndpoint(t, "https://example.com/", "*")
	_, err := b.service.ReplayRange(t.Context(), b.tenant, newRequest(t), e.ID, webhook.Range{From: &since})
	require.NoError(t, err)
}
