package webhook_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/testtime"
	"holdfast/internal/webhook"
)

// openUntil returns until when an endpoint's circuit is open, nil while it is closed.
func (b *testBundle) openUntil(t testing.TB, id uuid.UUID) (until *time.Time) {
	t.Helper()
	require.NoError(t, b.sql.QueryRow(t.Context(), "SELECT open_until FROM webhook_endpoints WHERE endpoint_id = $1",
		id).Scan(&until))
	return until
}

// fail has n deliveries fail one after the other. None of them is tried again meanwhile, however slow the machine is.
func (b *testBundle) fail(t testing.TB, n int) {
	t.Helper()
	for range n {
		b.exec(t, "UPDATE scheduled_events SET due_at = now() + interval '1 hour' WHERE status = 'failed'")
		b.recordChange(t, "booking.created")
		b.run(t)
	}
}

func TestCircuit_FailuresInARow_OpenItAndDeliveriesWaitUncounted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rec := answering(t, 500)
	e := b.newEndpoint(t, rec.URL, "*")
	b.fail(t, 4)
	require.Nil(t, b.openUntil(t, e.ID))
	b.fail(t, 1)
	require.NotNil(t, b.openUntil(t, e.ID))
	require.Len(t, rec.requests(), 5)

	b.letTimePass(t)
	b.recordChange(t, "booking.created")
	b.run(t)
	require.Len(t, rec.requests(), 5, "nothing is sent while the circuit is open")
	for _, d := range b.deliveries(t, e.ID) {
		require.WithinRange(t, *d.NextAttemptAt, *b.openUntil(t, e.ID), b.openUntil(t, e.ID).Add(30*time.Second))
		require.LessOrEqual(t, d.Attempts, 1, "waiting is no attempt")
	}
	require.Equal(t, []string{"pending", "failed", "failed", "failed", "failed", "failed"},
		statuses(b.deliveries(t, e.ID)))
}

func TestCircuit_BacklogWhileItIsOpen_IsSpreadOverThePause(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rec := answering(t, 500)
	e := b.newEndpoint(t, rec.URL, "*")
	b.fail(t, 5)
	b.exec(t, "DELETE FROM event_attempts")
	b.exec(t, "DELETE FROM scheduled_events")
	b.exec(t, "UPDATE webhook_endpoints SET open_until = now() + interval '10 minutes'")
	b.recordChanges(t, "booking.created", 100)
	b.run(t)
	minutes := map[time.Duration]int{}
	for _, d := range b.deliveries(t, e.ID) {
		after := d.NextAttemptAt.Sub(*b.openUntil(t, e.ID))
		require.GreaterOrEqual(t, after, time.Duration(0))
		require.LessOrEqual(t, after, 10*time.Minute)
		minutes[after.Truncate(time.Minute)]++
	}
	for minute, n := range minutes {
		require.LessOrEqual(t, n, 50, "due %s after the pause", minute)
	}
}

func TestDelivery_EndpointIsDisabledDuringTheExchange_ChangesItNoMore(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var written string // the place of the endpoint's row, which every update changes
	place := func() (at string) {
		require.NoError(t, b.sql.QueryRow(t.Context(), "SELECT ctid::text FROM webhook_endpoints").Scan(&at))
		return at
	}
	rec := newReceiver(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
		b.exec(t, "UPDATE webhook_endpoints SET status = 'disabled', disabled_reason = 'test'")
		written = place()
		w.WriteHeader(http.StatusInternalServerError)
	})
	b.newEndpoint(t, rec.URL, "*")
	b.fail(t, 1)
	require.Equal(t, written, place())
}

func TestDelivery_EndpointGetsAnotherURLDuringTheExchange_OldURLsResponseDoesNotCount(t *testing.T) {
	t.Parallel()
	for name, status := range map[string]int{"gone": http.StatusGone, "failed": http.StatusInternalServerError} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			rec := newReceiver(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
				b.exec(t, "UPDATE webhook_endpoints SET url = url || '/new'")
				w.WriteHeader(status)
			})
			b.newEndpoint(t, rec.URL, "*")
			b.fail(t, 1)
			var enabled bool
			var failures int
			require.NoError(t,
				b.sql.QueryRow(t.Context(), "SELECT status = 'enabled', failures FROM webhook_endpoints").Scan(&enabled,
					&failures))
			require.True(t, enabled)
			require.Zero(t, failures)
		})
	}
}

func statuses(deliveries []webhook.DeliveryBody) []string {
	list := make([]string, len(deliveries))
	for i, d := range deliveries {
		list[i] = string(d.Status)
	}
	return list
}

func TestCircuit_PauseIsOver_OneDeliveryProbes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rec := answering(t, 500)
	e := b.newEndpoint(t, rec.URL, "*")
	b.fail(t, 5)
	b.recordChanges(t, "booking.created", 20)
	b.relay(t)
	b.closeCircuitPause(t)
	b.run(t)
	require.Len(t, rec.requests(), 6, "one delivery probes, the others wait")
	first := b.openUntil(t, e.ID)
	require.NotNil(t, first)

	rec.answers(http.StatusOK)
	b.closeCircuitPause(t)
	b.run(t)
	require.Nil(t, b.openUntil(t, e.ID), "a probe that succeeds closes the circuit")
	require.Nil(t, b.endpoint(t, e.ID).FailingSince)
	for range 3 { // what waited for the probe, and what had failed
		b.letTimePass(t)
		b.run(t)
	}
	require.Equal(t, slices.Repeat([]string{"completed"}, 25), statuses(b.deliveries(t, e.ID)))
}

func TestCircuit_DeliveryWasLoadedWhileItWasOpen_ProbesOnlyAfterThePause(t *testing.T) {
	t.Parallel()
	b := setup(t)
	e := b.newEndpoint(t, answering(t, 200).URL, "*")
	asks := func() (probe, waits bool) {
		probe, until, err := webhook.BeginProbe(b.service, t.Context(), b.tenant.ID, e.ID)
		require.NoError(t, err)
		return probe, until != nil
	}
	probe, waits := asks()
	require.Equal(t, []bool{false, false}, []bool{probe, waits}, "the circuit was closed meanwhile")
	b.exec(t, "UPDATE webhook_endpoints SET open_until = now() + interval '1 minute'")
	probe, waits = asks()
	require.Equal(t, []bool{false, true}, []bool{probe, waits}, "it was opened again")
	b.exec(t, "UPDATE webhook_endpoints SET open_until = now() - interval '1 minute'")
	probe, waits = asks()
	require.Equal(t, []bool{true, false}, []bool{probe, waits}, "the pause is over")
	probe, waits = asks()
	require.Equal(t, []bool{false, true}, []bool{probe, waits}, "another delivery probes")
}

func TestCircuit_ProbeFails_PausesTwiceAsLong(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rec := answering(t, 500)
	e := b.newEndpoint(t, rec.URL, "*")
	b.fail(t, 5)
	for _, pause := range []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute,
		15 * time.Minute,
		15 * time.Minute} {
		b.closeCircuitPause(t)
		before := testtime.Now()
		b.run(t)
		require.WithinRange(t, *b.openUntil(t, e.ID), before.Add(pause), testtime.Now().Add(pause))
	}
	require.Len(t, rec.requests(), 11)
}

func TestEndpoint_FailsForFiveDays_IsDisabledAndOthersAreTold(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rec, other := answering(t, 500), newReceiver(t, nil)
	failing := b.newEndpoint(t, rec.URL, "booking.*")
	b.newEndpoint(t, other.URL, "webhook_endpoint.*")
	b.fail(t, 1)
	failed := func(times int, since string) {
		b.exec(t, "UPDATE webhook_endpoints SET failures = $2, failing_since = now() - $3::interval, open_until = NULL WHERE "+
			"endpoint_id = $1", failing.ID, times, since)
		b.fail(t, 1)
	}
	failed(9, "119 hours")
	require.Equal(t, webhook.Enabled, b.endpoint(t, failing.ID).Status)
	failed(3, "121 hours")
	require.Equal(t, webhook.Enabled, b.endpoint(t, failing.ID).Status,
		"it gets few events, and failed four times only")
	failed(4, "121 hours")
	e := b.endpoint(t, failing.ID)
	require.Equal(t, []any{webhook.Disabled, "Every attempt has failed for five days."},
		[]any{e.Status, e.DisabledReason})
	b.letTimePass(t)
	b.run(t)
	require.Len(t, other.requests(), 1)
	require.Contains(t, string(other.requests()[0].body), `"disabled_reason":"Every attempt has failed for five days."`)
	require.Equal(t, []string{"cancelled", "cancelled", "cancelled", "cancelled"},
		statuses(b.deliveries(t, failing.ID)),
		"the last attempt's delivery ends when it is due")

	rec.answers(http.StatusOK)
	yes := true
	enabled, err := b.service.Change(t.Context(), b.tenant, failing.ID, "", webhook.EndpointPatch{Enabled: &yes})
	require.NoError(t, err)
	require.Equal(t, webhook.Enabled, enabled.Status)
	require.Nil(t, enabled.FailingSince)
	b.recordChange(t, "booking.created")
	b.run(t)
	require.EqualValues(t, "completed", b.deliveries(t, failing.ID)[0].Status)
}
