-- name: BookingIDsTaken :many
-- BookingIDsTaken tells which of some ids are in use by what has a history: a booking that took such an id would share its history.
SELECT i.id::uuid AS id
FROM unnest(sqlc.arg(ids)::uuid[]) AS i (id)
WHERE EXISTS (SELECT 1 FROM bookings b WHERE b.tenant_id = $1 AND b.booking_id = i.id)
   OR EXISTS (SELECT 1 FROM customers c WHERE c.tenant_id = $1 AND c.customer_id = i.id)
   OR EXISTS (SELECT 1 FROM resources r WHERE r.tenant_id = $1 AND r.resource_id = i.id)
   OR EXISTS (SELECT 1 FROM services s WHERE s.tenant_id = $1 AND s.service_id = i.id)
   OR EXISTS (SELECT 1 FROM closures k WHERE k.tenant_id = $1 AND k.closure_id = i.id)
   OR EXISTS (SELECT 1 FROM blocks l WHERE l.tenant_id = $1 AND l.block_id = i.id);

-- name: BookingReferencesTaken :many
-- BookingReferencesTaken tells which of some references bookings have, whatever became of the bookings.
SELECT r.reference::text AS reference
FROM unnest(sqlc.arg(own_references)::text[]) AS r (reference)
CROSS JOIN LATERAL (
    SELECT 1
    FROM bookings b
    WHERE b.tenant_id = $1 AND b.reference = r.reference AND b.reference IS NOT NULL
    LIMIT 1
) AS b;

-- name: BookingExternalReferencesTaken :many
SELECT r.reference::text AS reference
FROM unnest(sqlc.arg(external_references)::text[]) AS r (reference)
CROSS JOIN LATERAL (
    SELECT 1
    FROM bookings b
    WHERE b.tenant_id = $1 AND b.external_reference = r.reference AND b.external_reference IS NOT NULL
    LIMIT 1
) AS b;

-- name: BookingGetByCode :one
-- BookingGetByCode is BookingGet by the short name of a booking, if it is on from a date or later.
SELECT b.*, coalesce(c.email, '') AS email, coalesce(c.name, '') AS name, c.phone, c.time_zone AS customer_time_zone, c.birthday,
    m.paid, m.refunded, m.returning, m.lowered, m.lowered_fee, m.movements, clock_timestamp()::timestamptz AS read_at
FROM bookings b
LEFT JOIN customers c ON c.tenant_id = b.tenant_id AND c.customer_id = b.customer_id
JOIN LATERAL (
    SELECT coalesce(sum(p.amount) FILTER (WHERE p.kind <> 'refund' AND p.status = 'succeeded'), 0)::bigint AS paid,
        coalesce(sum(p.amount) FILTER (WHERE p.kind = 'refund' AND p.status = 'succeeded'), 0)::bigint AS refunded,
        coalesce(sum(p.amount) FILTER (WHERE p.kind = 'refund' AND p.status <> 'succeeded'), 0)::bigint AS returning,
        coalesce(sum(p.lowers_owed), 0)::bigint AS lowered,
        coalesce(sum(p.lowers_owed) FILTER (WHERE p.lowers_fee), 0)::bigint AS lowered_fee,
        count(*) FILTER (WHERE p.status = 'succeeded') AS movements
    FROM payments p
    WHERE p.tenant_id = b.tenant_id AND p.booking_id = b.booking_id AND p.status <> 'declined'
) AS m ON true
WHERE b.tenant_id = $1 AND b.code = sqlc.arg(code)::text AND coalesce(b.last_date, b.date) >= sqlc.arg(from_date)::date;
