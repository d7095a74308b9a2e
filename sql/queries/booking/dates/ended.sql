-- name: EndedBookingInsert :exec
-- EndedBookingInsert has the payments of a booking ended, by the event that EndedBookingPlan plans. With only_if_paid it does so if there
-- is a payment that wasn't declined. A payment that is begun later, and so isn't seen here, is refunded when it is recorded.
WITH chosen AS MATERIALIZED (
    SELECT sqlc.arg(tenant_id)::uuid AS tenant_id, sqlc.arg(booking_id)::uuid AS booking_id
    WHERE NOT sqlc.arg(only_if_paid)::bool OR EXISTS (
        SELECT 1 FROM payments p
        WHERE p.tenant_id = sqlc.arg(tenant_id) AND p.booking_id = sqlc.arg(booking_id) AND p.status <> 'declined')
)
INSERT INTO ended_bookings (tenant_id, booking_id, refund, created_at)
SELECT c.tenant_id, c.booking_id, sqlc.arg(refund)::bool, statement_timestamp()
FROM chosen c;

-- name: EndedBookingPlan :exec
-- EndedBookingPlan plans what EndedBookingInsert has inserted, and nothing if it has inserted nothing. A hold that expired and was
-- confirmed after all may have ended before: its event is used again.
WITH ended AS MATERIALIZED (
    SELECT b.tenant_id, b.booking_id
    FROM ended_bookings b
    WHERE b.tenant_id = sqlc.arg(tenant_id) AND b.booking_id = sqlc.arg(booking_id)
)
INSERT INTO scheduled_events (tenant_id, event_id, kind, subject_type, subject_id, occurrence, status, due_at, time_zone, attempts,
    version, data, created_at, updated_at)
SELECT e.tenant_id, sqlc.arg(event_id)::uuid, sqlc.arg(kind)::text, 'booking', e.booking_id, '', 'pending', statement_timestamp(), 'UTC', 0,
    1, '{}', statement_timestamp(), statement_timestamp()
FROM ended e
ON CONFLICT (tenant_id, subject_id, kind, occurrence) DO UPDATE
SET status = 'pending', due_at = excluded.due_at, attempts = 0, version = scheduled_events.version + 1, lease = NULL, leased_until = NULL,
    last_error = NULL, updated_at = excluded.updated_at;
