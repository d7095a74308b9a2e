-- What a worker reads and writes to plan anew for a page of bookings or customers: for changed settings, or for a customer who changed.

-- name: ReplanLock :one
-- ReplanLock keeps other transactions from moving the worker's event until this one ends. There is no row if the worker has lost its
-- lease: the settings have changed again, for example.
SELECT s.event_id
FROM scheduled_events s
WHERE s.tenant_id = $1 AND s.event_id = sqlc.arg(event_id) AND s.lease = sqlc.arg(lease)::uuid
FOR NO KEY UPDATE;

-- name: ReplanLockBookings :exec
-- ReplanLockBookings keeps bookings as they are until the transaction ends.
SELECT b.booking_id
FROM bookings b
WHERE b.tenant_id = $1 AND b.booking_id = ANY (sqlc.arg(booking_ids)::uuid[])
ORDER BY b.booking_id
FOR SHARE;

-- name: ReplanListBookings :many
-- ReplanListBookings lists the versions of bookings whose customer wasn't erased. It comes after their lock: an erasure that the lock waited for
-- may leave a booking's version as it is.
SELECT b.booking_id, b.version
FROM bookings b
JOIN customers c ON c.tenant_id = b.tenant_id AND c.customer_id = b.customer_id
WHERE b.tenant_id = $1 AND b.booking_id = ANY (sqlc.arg(booking_ids)::uuid[]) AND c.erased_at IS NULL;

-- name: ReplanLockCustomers :many
-- ReplanLockCustomers keeps customers who want greetings as they are until the transaction ends.
SELECT c.customer_id, c.version
FROM customers c
WHERE c.tenant_id = $1 AND c.customer_id = ANY (sqlc.arg(customer_ids)::uuid[]) AND c.unsubscribed_at IS NULL
ORDER BY c.customer_id
FOR SHARE;

-- name: ReplanListEvents :many
-- ReplanListEvents lists what was planned for some subjects, whatever became of it.
SELECT event_id, kind, subject_id, occurrence, status, due_at, time_zone, coalesce(last_error, '') AS last_error
FROM scheduled_events
WHERE tenant_id = $1 AND subject_id = ANY (sqlc.arg(subject_ids)::uuid[]) AND kind = ANY (sqlc.arg(kinds)::text[]);

-- name: ReplanListOpen :many
-- ReplanListOpen lists events of a kind that no worker holds and that have not ended, in the order in which they are due.
SELECT event_id
FROM scheduled_events
WHERE tenant_id = $1 AND kind = sqlc.arg(kind) AND status IN ('pending', 'failed')
ORDER BY due_at
LIMIT sqlc.arg(row_limit)::int;

-- name: ReplanEnd :exec
-- ReplanEnd cancels events for a reason. A worker that holds one of them loses its lease. Rows are locked in the order in which
-- EventFinish locks them.
WITH ended AS MATERIALIZED (
    SELECT s.tenant_id, s.event_id
    FROM scheduled_events s
    WHERE s.tenant_id = $1 AND s.event_id = ANY (sqlc.arg(event_ids)::uuid[]) AND s.status IN ('pending', 'processing', 'failed')
    ORDER BY s.subject_id, s.kind, s.occurrence
    FOR NO KEY UPDATE
)
UPDATE scheduled_events e
SET status = 'cancelled', version = e.version + 1, lease = NULL, leased_until = NULL, last_error = sqlc.arg(reason)::text,
    updated_at = sqlc.arg(now)
FROM ended x
WHERE e.tenant_id = x.tenant_id AND e.event_id = x.event_id;

-- name: ReplanMove :exec
-- ReplanMove makes events pending and due at another time, as far as they are in one of some statuses. A worker that holds one of them loses
-- its lease. Rows are locked in the order in which EventFinish locks them.
WITH moved AS MATERIALIZED (
    SELECT s.tenant_id, s.event_id
    FROM scheduled_events s
    WHERE s.tenant_id = $1 AND s.event_id = ANY (sqlc.arg(event_ids)::uuid[]) AND s.status = ANY (sqlc.arg(statuses)::text[])
    ORDER BY s.subject_id, s.kind, s.occurrence
    FOR NO KEY UPDATE
)
UPDATE scheduled_events e
SET status = 'pending', due_at = p.due_at, time_zone = p.time_zone, attempts = 0, version = e.version + 1, lease = NULL, leased_until = NULL,
    last_error = NULL, updated_at = sqlc.arg(now)
FROM moved x, (
    SELECT unnest(sqlc.arg(event_ids)::uuid[]) AS event_id,
        unnest(sqlc.arg(due_ats)::timestamptz[]) AS due_at,
        unnest(sqlc.arg(time_zones)::text[]) AS time_zone
) AS p
WHERE e.tenant_id = x.tenant_id AND e.event_id = x.event_id AND p.event_id = x.event_id;
