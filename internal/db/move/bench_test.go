package move_test

import (
	"runtime"
	"sync"
	"testing"
	"time"

	"holdfast/internal/db/move"

	"github.com/stretchr/testify/require"
)

// BenchmarkHandOver moves a tenant with 20,000 bookings, each with a claim, a change, an event and a stored response.
// Only the hand-over is timed. It reports the rows of each copy, and by how many MB the heap grew at most.
func BenchmarkHandOver(b *testing.B) {
	from, to := newCell(b), newCell(b)
	tenant := from.newTenants(b, 1)[0]
	_, err := from.sql.Exec(b.Context(), `
		INSERT INTO bookings (tenant_id, booking_id, service_id, resource_id, customer_id, status, date, starts_at, ends_at, time_zone,
			party_size, busy_from, busy_until, price, deposit, currency, details, version, created_at, updated_at, code, contact)
			SELECT $1, gen_random_uuid(), i(1), i(1), i(1), 'confirmed', at::date, at, at + interval '1 hour', 'UTC', 1, at,
				at + interval '1 hour', 100, 10, 'EUR', '{"note": "what a client wrote"}', 1, now(), now(), 'many' || n,
				'{"name": "N", "email": "n@example.com"}'
			FROM (SELECT n, '2028-01-01'::timestamptz + n * interval '1 hour' AS at FROM generate_series(1, 20000) n) s`, tenant)
	require.NoError(b, err)
	for _, sql := range []string{
		`INSERT INTO claims (tenant_id, owner_id, number, resource_id, units, busy_from, busy_until)
			SELECT tenant_id, booking_id, 1, resource_id, '{[1,2)}', busy_from, busy_until
			FROM bookings WHERE tenant_id = $1 AND date >= '2028-01-01'`,
		`INSERT INTO changes (tenant_id, transaction_id, change_id, type, subject_type, subject_id, version, notice, occurred_at, data)
			SELECT tenant_id, row_number() OVER () - 100000, gen_random_uuid(), 'booking.created', 'booking', booking_id, 1, false, now(),
				to_json(k)
			FROM bookings k WHERE tenant_id = $1 AND date >= '2028-01-01'`,
		`INSERT INTO scheduled_events (tenant_id, event_id, kind, subject_type, subject_id, occurrence, status, due_at, time_zone, attempts,
			version, data, created_at, updated_at)
			SELECT tenant_id, booking_id, 'booking.reminder', 'booking', booking_id, '', 'pending', starts_at, 'UTC', 0, 1, '{}', now(),
				now()
			FROM bookings WHERE tenant_id = $1 AND date >= '2028-01-01'`,
		`INSERT INTO idempotency_keys (tenant_id, key, fingerprint, status, location, etag, change_subject_id, change_version, created_at,
			expires_at)
			SELECT tenant_id, booking_id::text, sha256('x'), 201, '', '', booking_id, 1, now(), now() + interval '30 days'
			FROM bookings WHERE tenant_id = $1 AND date >= '2028-01-01'`,
	} {
		_, err := from.sql.Exec(b.Context(), sql, tenant)
		require.NoError(b, err)
	}
	var rows int64
	var grown uint64
	for b.Loop() {
		b.StopTimer()
		m := newMove(from, to, tenant)
		peak := watchHeap()
		rows, err = move.CopyAhead(b.Context(), from.store, to.store, m.Move)
		require.NoError(b, err)
		m.run(b, stepBegin, stepFreeze)
		b.StartTimer()
		_, err = move.HandOver(b.Context(), from.store, to.store, m.Move)
		b.StopTimer()
		require.NoError(b, err)
		grown = max(grown, peak())
		require.NoError(b, move.Finish(b.Context(), from.store, to.store, m.Move))
		for n := int64(1); n > 0; {
			n, err = move.DeleteLeft(b.Context(), from.store, tenant, 1000)
			require.NoError(b, err)
		}
		from, to = to, from
		b.StartTimer()
	}
	b.ReportMetric(float64(rows), "rows")
	b.ReportMetric(float64(grown)/(1<<20), "MB-heap")
}

// watchHeap returns a function that returns by how many bytes the heap grew at most since.
func watchHeap() (grown func() uint64) {
	runtime.GC()
	read := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := read()
	peak, stop := before, make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		for {
			peak = max(peak, read())
			select {
			case <-stop:
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
	})
	return func() uint64 {
		close(stop)
		watching.Wait()
		return peak - before
	}
}
