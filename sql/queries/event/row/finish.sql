-- name: EventFollowers :many
-- EventFollowers returns, of the endpoints of some deliveries, since when the oldest delivery is due that may have waited for one of them.
SELECT e.tenant_id, e.subject_id, min(n.due_at)::timestamptz AS due_at
FROM (
    SELECT unnest(sqlc.arg(tenant_ids)::uuid[]) AS tenant_id, unnest(sqlc.arg(event_ids)::uuid[]) AS event_id
) AS f
JOIN scheduled_events e ON e.tenant_id = f.tenant_id AND e.event_id = f.event_id
CROSS JOIN LATERAL (
    SELECT s.due_at
    FROM scheduled_events s
    WHERE s.tenant_id = e.tenant_id AND s.subject_id = e.subject_id AND s.ordering_key = e.ordering_key AND s.sequence > e.sequence
      AND s.kind = 'webhook.delivery' AND s.status = 'pending' AND s.due_at <= now()
    ORDER BY s.sequence
    LIMIT 1
) AS n
GROUP BY e.tenant_id, e.subject_id;

-- name: EventLockBookings :many
-- EventLockBookings keeps bookings as they are until the transaction ends. It waits for nobody: a booking that another transaction has
-- locked isn't returned.
SELECT b.booking_id
FROM bookings b
WHERE b.tenant_id = $1 AND b.booking_id = ANY (sqlc.arg(booking_ids)::uuid[])
FOR NO KEY UPDATE SKIP LOCKED;

-- name: EventListVersions :many
-- EventListVersions lists the versions of bookings as the API shows them. It comes after their lock: a payment locks its booking and leaves
-- the row as it is.
SELECT b.booking_id, (b.version + (
    SELECT count(*)
    FROM payments p
    WHERE p.tenant_id = b.tenant_id AND p.booking_id = b.booking_id AND p.status = 'succeeded'
))::bigint AS version
FROM bookings b
WHERE b.tenant_id = $1 AND b.booking_id = ANY (sqlc.arg(booking_ids)::uuid[]);

-- name: EventLockCustomers :many
-- EventLockCustomers is EventLockBookings for customers. It returns their versions.
SELECT c.customer_id, c.version
FROM customers c
WHERE c.tenant_id = $1 AND c.customer_id = ANY (sqlc.arg(customer_ids)::uuid[])
FOR NO KEY UPDATE SKIP LOCKED;

-- name: EventFinishAttempts :exec
-- EventFinishAttempts writes the attempts at leased events that are logged, and keeps the events as they are for EventFinish, which
-- follows in the same transaction and gives the same statuses. An event whose lease or version has changed since the lease gets no attempt.
-- One statement for both would leave the session on Citus: see docs/adr/0042-citus.md.
WITH held AS MATERIALIZED (
    SELECT e.tenant_id, e.event_id, f.attempt_id, f.attempt, f.error, f.details, f.started_at,
        CASE
            WHEN e.planned_again AND f.status = 'cancelled' THEN 'pending'
            WHEN f.status <> 'uncounted_retry' THEN f.status
            WHEN e.attempts > 1 THEN 'failed'
            ELSE 'pending' END AS status
    FROM (
        SELECT unnest(sqlc.arg(tenant_ids)::uuid[]) AS tenant_id,
            unnest(sqlc.arg(event_ids)::uuid[]) AS event_id,
            unnest(sqlc.arg(leases)::uuid[]) AS lease,
            unnest(sqlc.arg(versions)::bigint[]) AS version,
            unnest(sqlc.arg(statuses)::text[]) AS status,
            unnest(sqlc.arg(attempt_ids)::uuid[]) AS attempt_id,
            unnest(sqlc.arg(attempts)::int[]) AS attempt,
            unnest(sqlc.arg(errors)::text[]) AS error,
            unnest(sqlc.arg(details)::text[]) AS details,
            unnest(sqlc.arg(started_at)::timestamptz[]) AS started_at
    ) AS f
    JOIN scheduled_events e ON e.tenant_id = f.tenant_id AND e.event_id = f.event_id AND e.lease = f.lease AND e.version = f.version
    FOR NO KEY UPDATE OF e
)
INSERT INTO event_attempts (tenant_id, event_id, attempt_id, attempt, status, error, details, started_at, finished_at)
SELECT h.tenant_id, h.event_id, h.attempt_id, h.attempt, h.status, NULLIF(h.error, ''), h.details::json, h.started_at, statement_timestamp()
FROM held h;

-- name: EventFinish :many
-- EventFinish records the results of leased events. An event whose lease or version has changed since the lease isn't changed and isn't
-- returned. An uncounted retry restores status, attempts
-- and error; only due_at changes. Empty data leave the event's data. An event that was planned again meanwhile isn't cancelled or put off:
-- it is pending, and due when it was planned.
UPDATE scheduled_events e
SET status = CASE
        WHEN e.planned_again AND f.status = 'cancelled' THEN 'pending'
        WHEN f.status <> 'uncounted_retry' THEN f.status
        WHEN e.attempts > 1 THEN 'failed'
        ELSE 'pending' END,
    due_at = CASE
        WHEN e.planned_again AND f.status = 'pending' THEN e.due_at
        WHEN f.status IN ('pending', 'failed', 'uncounted_retry') THEN f.due_at
        ELSE e.due_at END,
    attempts = CASE
        WHEN f.status = 'pending' OR e.planned_again AND f.status = 'cancelled' THEN 0
        WHEN f.status = 'uncounted_retry' THEN e.attempts - 1
        ELSE e.attempts END,
    last_error = CASE
        WHEN f.status = 'uncounted_retry' THEN e.last_error
        WHEN e.planned_again AND f.status = 'cancelled' THEN NULL
        ELSE NULLIF(f.error, '') END,
    data = CASE WHEN f.data = '' THEN e.data ELSE f.data::json END,
    version = e.version + 1, lease = NULL, leased_until = NULL, updated_at = statement_timestamp()
FROM (
    SELECT unnest(sqlc.arg(tenant_ids)::uuid[]) AS tenant_id,
        unnest(sqlc.arg(event_ids)::uuid[]) AS event_id,
        unnest(sqlc.arg(leases)::uuid[]) AS lease,
        unnest(sqlc.arg(versions)::bigint[]) AS version,
        unnest(sqlc.arg(statuses)::text[]) AS status,
        unnest(sqlc.arg(due_ats)::timestamptz[]) AS due_at,
        unnest(sqlc.arg(errors)::text[]) AS error,
        unnest(sqlc.arg(data)::text[]) AS data
) AS f
WHERE e.tenant_id = f.tenant_id AND e.event_id = f.event_id AND e.lease = f.lease AND e.version = f.version
RETURNING e.tenant_id, e.event_id, e.status;

-- name: EventFinishPlan :exec
-- EventFinishPlan plans what follows from events. One that was planned before stays as it is, unless it was cancelled for a reason, or is
-- pending and would be due later. Of one that a worker holds it keeps that it was planned again: see EventFinish.
INSERT INTO scheduled_events (tenant_id, event_id, kind, subject_type, subject_id, occurrence, status, due_at, time_zone, attempts,
    version, data, created_at, updated_at)
SELECT DISTINCT ON (f.tenant_id, f.subject_id, f.kind, f.occurrence) f.tenant_id, f.event_id, f.kind, f.subject_type, f.subject_id,
    f.occurrence, 'pending', f.due_at, f.time_zone, 0, 1::bigint, f.data::json, statement_timestamp(), statement_timestamp()
FROM (
    SELECT unnest(sqlc.arg(tenant_ids)::uuid[]) AS tenant_id,
        unnest(sqlc.arg(event_ids)::uuid[]) AS event_id,
        unnest(sqlc.arg(kinds)::text[]) AS kind,
        unnest(sqlc.arg(subject_types)::text[]) AS subject_type,
        unnest(sqlc.arg(subject_ids)::uuid[]) AS subject_id,
        unnest(sqlc.arg(occurrences)::text[]) AS occurrence,
        unnest(sqlc.arg(due_ats)::timestamptz[]) AS due_at,
        unnest(sqlc.arg(time_zones)::text[]) AS time_zone,
        unnest(sqlc.arg(data)::text[]) AS data
) AS f
ORDER BY f.tenant_id, f.subject_id, f.kind, f.occurrence
ON CONFLICT (tenant_id, subject_id, kind, occurrence) DO UPDATE
SET status = CASE WHEN scheduled_events.status = 'processing' THEN 'processing' ELSE 'pending' END,
    due_at = excluded.due_at, time_zone = excluded.time_zone,
    planned_again = scheduled_events.status = 'processing',
    attempts = CASE WHEN scheduled_events.status = 'processing' THEN scheduled_events.attempts ELSE 0 END,
    version = scheduled_events.version + (scheduled_events.status <> 'processing')::int,
    last_error = CASE WHEN scheduled_events.status = 'processing' THEN scheduled_events.last_error END,
    updated_at = excluded.updated_at
WHERE scheduled_events.status = 'processing'
   OR scheduled_events.status = 'cancelled' AND NOT scheduled_events.cancelled_on_request
   OR scheduled_events.status = 'pending' AND scheduled_events.due_at > excluded.due_at;

-- name: EventFinishNotices :exec
-- EventFinishNotices writes the notices of events. One about a customer gets a position after the customer's last change, as in
-- CustomerUpdate.
WITH notices AS MATERIALIZED (
    SELECT unnest(sqlc.arg(tenant_ids)::uuid[]) AS tenant_id,
        unnest(sqlc.arg(change_ids)::uuid[]) AS change_id,
        unnest(sqlc.arg(types)::text[]) AS type,
        unnest(sqlc.arg(subject_types)::text[]) AS subject_type,
        unnest(sqlc.arg(subject_ids)::uuid[]) AS subject_id,
        unnest(sqlc.arg(versions)::bigint[]) AS version,
        unnest(sqlc.arg(data)::text[]) AS data
), placed AS (
    UPDATE customers c
    SET event_transaction_id = greatest((pg_current_xact_id()::text)::bigint, c.event_transaction_id + 1)
    FROM notices n
    WHERE n.subject_type = 'customer' AND c.tenant_id = n.tenant_id AND c.customer_id = n.subject_id
    RETURNING c.tenant_id, c.customer_id, c.event_transaction_id
)
INSERT INTO changes (tenant_id, transaction_id, change_id, type, subject_type, subject_id, version, notice, occurred_at, data)
SELECT n.tenant_id, coalesce(p.event_transaction_id, (pg_current_xact_id()::text)::bigint), n.change_id, n.type, n.subject_type,
    n.subject_id, n.version, true, statement_timestamp(), n.data::json
FROM notices n
LEFT JOIN placed p ON p.tenant_id = n.tenant_id AND p.customer_id = n.subject_id;
