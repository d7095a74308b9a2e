-- name: BookingLock :exec
-- BookingLock keeps other transactions from changing a booking until this one ends. Its date lock and its balance lock don't
-- exclude each other, and each change takes the booking's next version.
SELECT b.booking_id
FROM bookings b
WHERE b.tenant_id = $1 AND b.booking_id = $2
FOR NO KEY UPDATE;

-- name: BookingGet :one
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
WHERE b.tenant_id = $1 AND b.booking_id = $2;

-- name: BookingStillOn :one
-- BookingStillOn tells whether a booking that begins before a date, and not before another one, ends on that date or later. Most tenants
-- have none. It has one good plan, and costs much less than planning BookingList.
SELECT EXISTS (
    SELECT 1
    FROM bookings b
    WHERE b.tenant_id = $1 AND b.date >= sqlc.arg(since)::date AND b.date < sqlc.arg(on_date)::date
        AND b.last_date >= sqlc.arg(on_date)::date
) AS found;

-- name: BookingList :many
-- BookingList takes the page before it looks up what belongs to its bookings. It must be planned for its values, with
-- SessionPlanForPages: which filters there are decides which index has the page. There is one lower bound: of two, the
-- index may be read from the one that lies further back. With still_on it lists only bookings that begin before that date and end on it or
-- later.
SELECT b.*, coalesce(c.email, '') AS email, coalesce(c.name, '') AS name, c.phone, c.time_zone AS customer_time_zone, c.birthday,
    m.paid, m.refunded, m.returning, m.lowered, m.lowered_fee, m.movements, clock_timestamp()::timestamptz AS read_at
FROM (
    SELECT o.*
    FROM bookings o
    WHERE o.tenant_id = $1
      AND o.date <= sqlc.arg(to_date)::date
      AND (o.date, o.booking_id) > (sqlc.arg(after_date)::date, sqlc.arg(after_id)::uuid)
      AND (sqlc.narg(still_on)::date IS NULL OR o.last_date >= sqlc.narg(still_on)::date)
      AND (sqlc.narg(status)::text IS NULL OR o.status = sqlc.narg(status))
      AND (sqlc.narg(service_id)::uuid IS NULL OR o.service_id = sqlc.narg(service_id))
      AND (sqlc.narg(resource_id)::uuid IS NULL OR o.resource_id = sqlc.narg(resource_id))
      AND (sqlc.narg(other_resource_id)::uuid IS NULL
           OR o.other_resource_ids IS NOT NULL AND sqlc.narg(other_resource_id) = ANY (o.other_resource_ids))
      AND (sqlc.narg(customer_id)::uuid IS NULL OR o.customer_id = sqlc.narg(customer_id))
      AND (sqlc.narg(email)::text IS NULL
           OR o.customer_id = (SELECT k.customer_id FROM customers k WHERE k.tenant_id = $1 AND k.email = sqlc.narg(email)))
      AND (sqlc.narg(reference)::text IS NULL OR o.reference = sqlc.narg(reference))
      AND (sqlc.narg(external_reference)::text IS NULL OR o.external_reference = sqlc.narg(external_reference))
    ORDER BY o.date, o.booking_id
    LIMIT sqlc.arg(row_limit)::int
) AS b
LEFT JOIN LATERAL (
    SELECT k.email, k.name, k.phone, k.time_zone, k.birthday
    FROM customers k
    WHERE k.tenant_id = b.tenant_id AND k.customer_id = b.customer_id
    OFFSET 0 -- a look-up for each row of the page: left to choose, the planner reads all of a small tenant's customers
) AS c ON true
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
ORDER BY b.date, b.booking_id;

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
