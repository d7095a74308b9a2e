package event_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"holdfast/internal/testtime"
)

// olderServer inserts a hold past its expiry, an open payment on it that has to be looked up, and the row of an ended booking, all
// due some time ago, as a server without scheduled events did. It returns the ids of the hold and of the payment.
func (b *testBundle) olderServer(t testing.TB, ago time.Duration) (hold, payment uuid.UUID) {
	t.Helper()
	tenant := uuid.New()
	hold, payment = uuid.New(), uuid.New()
	due := testtime.Now().Add(-ago)
	for _, insert := range []string{
		`INSERT INTO tenants (tenant_id, slug, name, time_zone, currency, created_at) VALUES ($1, gen_random_uuid()::text, 'Pier', 'UTC', 'EUR', now())`,
		`INSERT INTO resources (tenant_id, resource_id, name, capacity, hours, created_at, updated_at) VALUES ($1, $1, 'Boat', 1, '{}', now(), now())`,
		`INSERT INTO services (tenant_id, service_id, name, kind, duration_minutes, slot_interval_minutes, buffer_before_minutes,
			buffer_after_minutes, min_lead_minutes, booking_window_days, longest_minutes, price, deposit, metadata, created_at, updated_at)
			VALUES ($1, $1, 'Day', 'date', 0, 0, 0, 0, 0, 0, 3000, 100, 100, '{}', now(), now())`,
		`INSERT INTO service_resources (tenant_id, service_id, resource_id, position) VALUES ($1, $1, $1, 0)`,
		`INSERT INTO customers (tenant_id, customer_id, email, name, created_at) VALUES ($1, $1, 'ada@example.com', 'Ada', now())`,
	} {
		_, err := b.sql.Exec(t.Context(), insert, tenant)
		require.NoError(t, err)
	}
	_, err := b.sql.Exec(t.Context(), `
		INSERT INTO bookings (tenant_id, booking_id, service_id, resource_id, customer_id, status, date, starts_at, ends_at, time_zone, party_size,
			units, busy_from, busy_until, hold_expires_at, price, deposit, currency, metadata, version, created_at, updated_at)
		SELECT $1, $2, $1, $1, $1, 'held', '2030-01-01', d, d + interval '1 day', 'UTC', 1, '{[0,1)}', d, d + interval '1 day', $3, 100, 100,
			'EUR', '{}', 1, now(), now() FROM (SELECT timestamptz '2030-01-01Z' AS d) AS day`, tenant, hold, due)
	require.NoError(t, err)
	_, err = b.sql.Exec(t.Context(), `
		INSERT INTO payments (tenant_id, payment_id, booking_id, kind, status, amount, currency, method, provider, fence, leased_until, resolve_at,
			first_sent_at, last_sent_at, created_at, updated_at)
		VALUES ($1, $2, $3, 'deposit', 'unknown', 100, 'EUR', 'pm', 'sandbox', 1, $4, $4, $4, $4, $4, $4)`, tenant, payment, hold, due)
	require.NoError(t, err)
	_, err = b.sql.Exec(t.Context(), `INSERT INTO ended_bookings (tenant_id, booking_id, refund, due_at, created_at) VALUES ($1, $2, true, $3, $3)`,
		tenant, hold, due)
	require.NoError(t, err)
	return hold, payment
}

// subjectsByKind lists the subjects of all events.
func (b *testBundle) subjectsByKind(t testing.TB) map[string][]uuid.UUID {
	t.Helper()
	rows, err := b.sql.Query(t.Context(), "SELECT kind, subject_id FROM scheduled_events")
	require.NoError(t, err)
	found := make(map[string][]uuid.UUID)
	var kind string
	var subject uuid.UUID
	_, err = pgx.ForEachRow(rows, []any{&kind, &subject}, func() error { found[kind] = append(found[kind], subject); return nil })
	require.NoError(t, err)
	return found
}

func TestPlanMissing_WorkOfAnOlderServer_GetsOneEventEach(t *testing.T) {
	t.Parallel()
	b := setup(t)
	hold, payment := b.olderServer(t, time.Hour)
	b.olderServer(t, 10*time.Second)
	for _, want := range []int64{3, 0} {
		n, _, err := b.store.PlanMissingEvents(t.Context(), time.Time{}, 100, time.Minute)
		require.NoError(t, err)
		require.Equal(t, want, n)
		require.Equal(t, map[string][]uuid.UUID{
			"booking.hold_expiry": {hold}, "payment.ended_booking": {hold}, "payment.resolution": {payment},
		}, b.subjectsByKind(t), "what is due for less than the grace is left to the server that made it")
	}
}

func TestPlanMissing_EventEndedAndItsWorkIsStillThere_IsPlannedAgain(t *testing.T) {
	t.Parallel()
	for status, again := range map[string]bool{
		"completed": true, "cancelled": true, "pending": false, "processing": false, "failed": false, "dead": false,
	} {
		t.Run(status, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.olderServer(t, time.Hour)
			n, _, err := b.store.PlanMissingEvents(t.Context(), time.Time{}, 100, time.Minute)
			require.NoError(t, err)
			require.EqualValues(t, 3, n)
			_, err = b.sql.Exec(t.Context(), `
				UPDATE scheduled_events SET status = $1, attempts = 2, version = 7, last_error = 'x', due_at = now() - interval '1 hour',
					lease = CASE WHEN $1 = 'processing' THEN event_id END, leased_until = CASE WHEN $1 = 'processing' THEN now() END`, status)
			require.NoError(t, err)
			n, _, err = b.store.PlanMissingEvents(t.Context(), time.Time{}, 100, time.Minute)
			require.NoError(t, err)
			want, wantStatus, attempts, version := 0, status, 2, 7
			if again {
				want, wantStatus, attempts, version = 3, "pending", 0, 8
			}
			require.EqualValues(t, want, n)
			var rows int
			require.NoError(t, b.sql.QueryRow(t.Context(), `SELECT count(*) FROM scheduled_events
				WHERE status = $1 AND attempts = $2 AND version = $3 AND (last_error IS NULL) = $4`, wantStatus, attempts, version, again).Scan(&rows))
			require.Equal(t, 3, rows)
		})
	}
}

func TestPlanMissing_OldestWorkNeedsNothing_FindsWhatIsNewer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const stuck, page = 7, 3
	for i := range stuck {
		b.olderServer(t, time.Duration(10+i/2)*time.Hour)
	}
	for table, column := range map[string]string{"bookings": "hold_expires_at", "payments": "resolve_at", "ended_bookings": "due_at"} {
		_, err := b.sql.Exec(t.Context(), fmt.Sprintf("UPDATE %s SET %[2]s = date_trunc('hour', %[2]s)", table, column)) // two each have the same time
		require.NoError(t, err)
	}
	n, _, err := b.store.PlanMissingEvents(t.Context(), time.Time{}, 100, time.Minute)
	require.NoError(t, err)
	require.EqualValues(t, 3*stuck, n)
	_, err = b.sql.Exec(t.Context(), "UPDATE scheduled_events SET status = 'dead'")
	require.NoError(t, err)
	hold, payment := b.olderServer(t, time.Hour)
	const locks = "SELECT count(*) FROM scheduled_events WHERE status = 'dead' AND xmax <> 0"
	var before, after int
	require.NoError(t, b.sql.QueryRow(t.Context(), locks).Scan(&before))

	planned, pages := int64(0), 0
	for next := (time.Time{}); pages == 0 || !next.IsZero(); pages++ {
		n, next, err = b.store.PlanMissingEvents(t.Context(), next, page, time.Minute)
		require.NoError(t, err)
		planned += n
	}
	require.EqualValues(t, 3, planned)
	require.Equal(t, 3, pages)
	found := b.subjectsByKind(t)
	require.Contains(t, found["booking.hold_expiry"], hold)
	require.Contains(t, found["payment.ended_booking"], hold)
	require.Contains(t, found["payment.resolution"], payment)
	require.NoError(t, b.sql.QueryRow(t.Context(), locks).Scan(&after))
	require.Equal(t, before, after, "what needs nothing isn't written")
}
