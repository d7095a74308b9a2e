-- name: EventPlan :exec
-- EventPlan plans events of a tenant. One that was planned before stays as it is.
INSERT INTO scheduled_events (tenant_id, event_id, kind, subject_type, subject_id, occurrence, status, due_at, time_zone, attempts,
    version, data, created_at, updated_at)
SELECT sqlc.arg(tenant_id), e.event_id, e.kind, e.subject_type, e.subject_id, e.occurrence, 'pending', e.due_at, e.time_zone, 0,
    1, e.data::json, sqlc.arg(now), sqlc.arg(now)
FROM (
    SELECT unnest(sqlc.arg(event_ids)::uuid[]) AS event_id,
        unnest(sqlc.arg(kinds)::text[]) AS kind,
        unnest(sqlc.arg(subject_types)::text[]) AS subject_type,
        unnest(sqlc.arg(subject_ids)::uuid[]) AS subject_id,
        unnest(sqlc.arg(occurrences)::text[]) AS occurrence,
        unnest(sqlc.arg(due_ats)::timestamptz[]) AS due_at,
        unnest(sqlc.arg(time_zones)::text[]) AS time_zone,
        unnest(sqlc.arg(data)::text[]) AS data
) AS e
ON CONFLICT (tenant_id, subject_id, kind, occurrence) DO NOTHING;

-- name: EventMove :exec
-- EventMove plans an event, or moves the one that was planned before to another time and gives it other data, whatever became of
-- it. A worker that holds it loses its lease.
INSERT INTO scheduled_events (tenant_id, event_id, kind, subject_type, subject_id, occurrence, status, due_at, time_zone, attempts,
    version, data, created_at, updated_at)
VALUES (sqlc.arg(tenant_id), sqlc.arg(event_id), sqlc.arg(kind), sqlc.arg(subject_type), sqlc.arg(subject_id), sqlc.arg(occurrence),
    'pending', sqlc.arg(due_at), sqlc.arg(time_zone), 0, 1, sqlc.arg(data), sqlc.arg(now), sqlc.arg(now))
ON CONFLICT (tenant_id, subject_id, kind, occurrence) DO UPDATE
SET status = 'pending', due_at = excluded.due_at, time_zone = excluded.time_zone, attempts = 0, version = scheduled_events.version + 1,
    lease = NULL, leased_until = NULL, last_error = NULL, cancelled_on_request = false, data = excluded.data,
    updated_at = excluded.updated_at;

-- name: EventEnd :exec
-- EventEnd cancels what is planned for a subject, for a reason. A worker that holds one of the events loses its lease.
UPDATE scheduled_events
SET status = 'cancelled', version = version + 1, lease = NULL, leased_until = NULL,
    last_error = sqlc.arg(reason)::text, updated_at = sqlc.arg(now)
WHERE tenant_id = $1 AND subject_id = sqlc.arg(subject_id) AND kind = ANY (sqlc.arg(kinds)::text[])
  AND status IN ('pending', 'processing', 'failed');

-- name: EventPollWork :one
-- EventPollWork tells what a worker has to do: the kinds of which an event is due, whether leases have ended, and whether there are
-- changes that the relay hasn't passed. within bounds the search: what became due, or ended, longer ago is left out. It reads the first
-- entry of each index only, so that a server of many idle cells costs little.
SELECT ARRAY(
        SELECT k.kind
        FROM unnest(sqlc.arg(kinds)::text[]) AS k (kind)
        WHERE EXISTS (
            SELECT FROM scheduled_events s
            WHERE s.kind = k.kind AND s.status IN ('pending', 'failed')
              AND s.due_at <= now() AND s.due_at >= now() - sqlc.arg(within)::interval)
    )::text[] AS due,
    EXISTS (
        SELECT FROM scheduled_events s
        WHERE s.status = 'processing' AND s.leased_until <= now() AND s.leased_until >= now() - sqlc.arg(within)::interval
          AND s.kind = ANY (sqlc.arg(kinds)::text[])
    )::bool AS leases_ended,
    EXISTS (
        SELECT FROM feed_positions p
        CROSS JOIN LATERAL (
            SELECT e.transaction_id
            FROM changes e
            WHERE (e.transaction_id, e.change_id) > (p.transaction_id, p.change_id)
            ORDER BY e.transaction_id, e.change_id
            LIMIT 1
        ) AS c
        WHERE p.tenant_id = '00000000-0000-0000-0000-000000000000' AND p.reader = 'relay'
          AND c.transaction_id < (pg_snapshot_xmin(pg_current_snapshot())::text)::bigint
    )::bool AS changed;

-- name: EventClaim :many
-- EventClaim hands the oldest due events of a kind to a worker, each to one: rows that another worker is claiming are skipped.
-- now() and not clock_timestamp(), which no index can be searched by. since bounds the search: what was claimed
-- before leaves dead entries in the index, and while a long transaction runs they stay there. Tenants that leave for another cell are left
-- out.
WITH due AS MATERIALIZED (
    SELECT s.tenant_id, s.event_id
    FROM scheduled_events s
    WHERE s.kind = sqlc.arg(kind) AND s.status IN ('pending', 'failed')
      AND s.due_at <= now() AND s.due_at >= sqlc.arg(since)::timestamptz
      AND s.tenant_id <> ALL (ARRAY(SELECT m.tenant_id FROM tenant_moves m))
    ORDER BY s.due_at
    LIMIT sqlc.arg(row_limit)::int
    FOR UPDATE SKIP LOCKED
)
UPDATE scheduled_events e
SET status = 'processing', planned_again = false, attempts = e.attempts + 1, version = e.version + 1, lease = sqlc.arg(lease)::uuid,
    leased_until = statement_timestamp() + sqlc.arg(lease_time)::interval, updated_at = statement_timestamp()
FROM due d
WHERE e.tenant_id = d.tenant_id AND e.event_id = d.event_id
RETURNING e.tenant_id, e.event_id, e.kind, e.subject_type, e.subject_id, e.occurrence, e.due_at, e.time_zone, e.attempts, e.version,
    e.lease, e.data, e.updated_at AS claimed_at;

-- name: EventClaimFairly :many
-- EventClaimFairly is EventClaim for a kind of which more is due than a worker claims at once. It takes a few events of each of
-- some tenants, in the order of the tenants' ids, from those after a tenant on. since bounds the search as in EventClaim. If it took fewer
-- events than it might, and tenants may be left that it didn't look at, one more row, without an event's id, has the last tenant that it
-- looked at.
WITH RECURSIVE tenants_with_events AS (
    (SELECT s.tenant_id
     FROM scheduled_events s
     WHERE s.kind = sqlc.arg(kind) AND s.status IN ('pending', 'failed') AND s.tenant_id > sqlc.arg(after)::uuid
       AND s.due_at >= sqlc.arg(since)::timestamptz
     ORDER BY s.tenant_id
     LIMIT 1)
    UNION ALL
    SELECT (SELECT s.tenant_id
            FROM scheduled_events s
            WHERE s.kind = sqlc.arg(kind) AND s.status IN ('pending', 'failed') AND s.tenant_id > t.tenant_id
              AND s.due_at >= sqlc.arg(since)::timestamptz
            ORDER BY s.tenant_id
            LIMIT 1)
    FROM tenants_with_events t
    WHERE t.tenant_id IS NOT NULL
), looked_at AS MATERIALIZED (
    SELECT t.tenant_id FROM tenants_with_events t WHERE t.tenant_id IS NOT NULL LIMIT sqlc.arg(tenant_limit)::int
), due AS MATERIALIZED (
    SELECT d.tenant_id, d.event_id
    FROM looked_at AS t
    CROSS JOIN LATERAL (
        SELECT s.tenant_id, s.event_id
        FROM scheduled_events s
        WHERE s.kind = sqlc.arg(kind) AND s.tenant_id = t.tenant_id AND s.status IN ('pending', 'failed')
          AND s.due_at <= now() AND s.due_at >= sqlc.arg(since)::timestamptz
          AND s.tenant_id <> ALL (ARRAY(SELECT m.tenant_id FROM tenant_moves m))
        ORDER BY s.due_at
        LIMIT sqlc.arg(per_tenant)::int
        FOR UPDATE SKIP LOCKED
    ) AS d
    LIMIT sqlc.arg(row_limit)::int
), claimed AS (
    UPDATE scheduled_events e
    SET status = 'processing', planned_again = false, attempts = e.attempts + 1, version = e.version + 1, lease = sqlc.arg(lease)::uuid,
        leased_until = statement_timestamp() + sqlc.arg(lease_time)::interval, updated_at = statement_timestamp()
    FROM due d
    WHERE e.tenant_id = d.tenant_id AND e.event_id = d.event_id
    RETURNING e.tenant_id, e.event_id, e.kind, e.subject_type, e.subject_id, e.occurrence, e.due_at, e.time_zone, e.attempts, e.version,
        e.lease, e.data, e.updated_at AS claimed_at
)
SELECT c.*
FROM claimed c
UNION ALL
(SELECT l.tenant_id, '00000000-0000-0000-0000-000000000000', '', '', '00000000-0000-0000-0000-000000000000', '', now(), '', 0, 0, NULL,
 '{}', now()
 FROM looked_at l
 WHERE (SELECT count(*) FROM claimed) < sqlc.arg(row_limit)::int
 OFFSET sqlc.arg(tenant_limit)::int - 1
 LIMIT 1);

-- name: EventClaimDeliveries :many
-- EventClaimDeliveries hands due deliveries to a worker, so many of each endpoint as it has free permits for. Known endpoints are those
-- with deliveries under way or a backlog; their free permits and the time from which on they are searched are given. Unless everywhere is
-- false, other endpoints follow, by tenant and id, from those after an endpoint on; each has per_subject permits.
-- A delivery that was never tried waits while an earlier one with the same ordering key was never tried or is under way. Behind many that
-- wait, only the first scan_limit due deliveries of an endpoint are looked at. The subquery with LIMIT 1 is no NOT EXISTS, which may be
-- planned as a join, and reads backwards, because ended deliveries leave dead entries at the front.
-- If it took fewer deliveries than it might, and endpoints may be left that it didn't look at, one more row, without an event's id, has the
-- last endpoint that it looked at.
WITH RECURSIVE known AS MATERIALIZED (
    SELECT unnest(sqlc.arg(known_tenants)::uuid[]) AS tenant_id,
        unnest(sqlc.arg(known_subjects)::uuid[]) AS subject_id,
        unnest(sqlc.arg(free_permits)::int[]) AS permits,
        unnest(sqlc.arg(sinces)::timestamptz[]) AS since
), subjects AS (
    (SELECT s.tenant_id, s.subject_id
     FROM scheduled_events s
     WHERE sqlc.arg(everywhere)::bool AND s.kind = 'webhook.delivery' AND s.status IN ('pending', 'failed')
       AND (s.tenant_id, s.subject_id) > (sqlc.arg(after_tenant)::uuid, sqlc.arg(after_subject)::uuid)
           AND s.due_at >= sqlc.arg(since)::timestamptz
     ORDER BY s.tenant_id, s.subject_id
     LIMIT 1)
    UNION ALL
    SELECT n.tenant_id, n.subject_id
    FROM subjects p
    CROSS JOIN LATERAL (
        SELECT s.tenant_id, s.subject_id
        FROM scheduled_events s
        WHERE s.kind = 'webhook.delivery' AND s.status IN ('pending', 'failed')
          AND (s.tenant_id, s.subject_id) > (p.tenant_id, p.subject_id) AND s.due_at >= sqlc.arg(since)::timestamptz
        ORDER BY s.tenant_id, s.subject_id
        LIMIT 1
    ) AS n
), looked_at AS MATERIALIZED (
    SELECT s.tenant_id, s.subject_id FROM subjects s LIMIT sqlc.arg(subject_limit)::int
), endpoints AS MATERIALIZED (
    -- Those with nothing under way come first, for the case that permits run out.
    SELECT l.tenant_id, l.subject_id, sqlc.arg(per_subject)::int AS permits, sqlc.arg(since)::timestamptz AS since
    FROM looked_at l
    WHERE (l.tenant_id, l.subject_id) NOT IN (SELECT k.tenant_id, k.subject_id FROM known k)
      AND l.tenant_id <> ALL (ARRAY(SELECT m.tenant_id FROM tenant_moves m))
    UNION ALL
    SELECT k.tenant_id, k.subject_id, k.permits, k.since
    FROM known k
    WHERE k.permits > 0 AND k.tenant_id <> ALL (ARRAY(SELECT m.tenant_id FROM tenant_moves m))
), due AS MATERIALIZED (
    SELECT d.tenant_id, d.event_id
    FROM endpoints AS t
    CROSS JOIN LATERAL (
        SELECT s.tenant_id, s.event_id
        FROM (
            SELECT c.tenant_id, c.event_id
            FROM scheduled_events c
            WHERE c.kind = 'webhook.delivery' AND c.tenant_id = t.tenant_id AND c.subject_id = t.subject_id
              AND c.status IN ('pending', 'failed')
              AND c.due_at <= now() AND c.due_at >= t.since
            ORDER BY c.due_at
            LIMIT sqlc.arg(scan_limit)::int
        ) AS first
        JOIN scheduled_events s ON s.tenant_id = first.tenant_id AND s.event_id = first.event_id
        WHERE s.status = 'failed' OR s.status = 'pending' AND (
            SELECT p.event_id
            FROM scheduled_events p
            WHERE p.tenant_id = s.tenant_id AND p.subject_id = s.subject_id AND p.ordering_key = s.ordering_key AND p.sequence < s.sequence
              AND p.kind = 'webhook.delivery' AND p.status IN ('pending', 'processing')
            ORDER BY p.sequence DESC
            LIMIT 1
        ) IS NULL
        LIMIT t.permits
        FOR UPDATE OF s SKIP LOCKED
    ) AS d
    LIMIT sqlc.arg(row_limit)::int
), claimed AS (
    UPDATE scheduled_events e
    SET status = 'processing', planned_again = false, attempts = e.attempts + 1, version = e.version + 1, lease = sqlc.arg(lease)::uuid,
        leased_until = statement_timestamp() + sqlc.arg(lease_time)::interval, updated_at = statement_timestamp()
    FROM due d
    WHERE e.tenant_id = d.tenant_id AND e.event_id = d.event_id
    RETURNING e.tenant_id, e.event_id, e.kind, e.subject_type, e.subject_id, e.occurrence, e.due_at, e.time_zone, e.attempts, e.version,
        e.lease, e.data, e.updated_at AS claimed_at
)
SELECT c.*
FROM claimed c
UNION ALL
(SELECT l.tenant_id, '00000000-0000-0000-0000-000000000000', '', '', l.subject_id, '', now(), '', 0, 0, NULL, '{}', now()
 FROM looked_at l
 WHERE (SELECT count(*) FROM claimed) < sqlc.arg(row_limit)::int
 OFFSET sqlc.arg(subject_limit)::int - 1
 LIMIT 1);

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
-- EventFinishAttempts writes the attempts at claimed events that are logged, and keeps the events as they are for EventFinish, which
-- follows in the same transaction and gives the same statuses. An event whose lease or version has changed since the claim gets no attempt.
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
-- EventFinish records the results of claimed events. An event whose lease or version has changed since the claim isn't changed and isn't
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

-- name: EventAttemptList :many
-- EventAttemptList lists the attempts of an event, the newest first.
SELECT *
FROM event_attempts
WHERE tenant_id = $1 AND event_id = sqlc.arg(event_id)
ORDER BY attempt_id DESC
LIMIT sqlc.arg(row_limit)::int;

-- name: EventRenew :many
-- EventRenew prolongs the leases of events that a worker holds, until lease_time from now and until until at most, and returns the events
-- whose lease ends later now. An event that the worker has lost stays as it is. It waits for nobody: a row that another transaction has
-- locked, to take the event back or to record its result, is left out. The version stays, because results are recorded under it.
WITH held AS MATERIALIZED (
    SELECT e.tenant_id, e.event_id, least(statement_timestamp() + sqlc.arg(lease_time)::interval, h.until) AS leased_until
    FROM (
        SELECT unnest(sqlc.arg(tenant_ids)::uuid[]) AS tenant_id,
            unnest(sqlc.arg(event_ids)::uuid[]) AS event_id,
            unnest(sqlc.arg(leases)::uuid[]) AS lease,
            unnest(sqlc.arg(versions)::bigint[]) AS version,
            unnest(sqlc.arg(untils)::timestamptz[]) AS until
    ) AS h
    JOIN scheduled_events e ON e.tenant_id = h.tenant_id AND e.event_id = h.event_id AND e.lease = h.lease AND e.version = h.version
    FOR NO KEY UPDATE OF e SKIP LOCKED
)
UPDATE scheduled_events e
SET leased_until = h.leased_until
FROM held h
WHERE e.tenant_id = h.tenant_id AND e.event_id = h.event_id AND e.leased_until < h.leased_until
RETURNING e.event_id;

-- name: EventRescueAttempts :exec
-- EventRescueAttempts locks the events whose lease has ended, and writes the attempts that were cut short to their history, under one id
-- for all. EventRescue follows in the same transaction, with the same bounds. An event that had its last attempt is dead. attempts are the most
-- attempts of each kind, 0 for no end of them. Events of other kinds stay, however many they are. ended_within bounds the search
-- as since does in EventClaim. Under row-level security, COALESCE for a bound that may be NULL would not be searched by.
WITH expired AS MATERIALIZED (
    SELECT s.tenant_id, s.event_id, s.kind, s.attempts, s.updated_at
    FROM scheduled_events s
    WHERE s.status = 'processing' AND s.leased_until <= now()
      AND s.leased_until >= now() - sqlc.arg(ended_within)::interval
      AND s.kind = ANY (sqlc.arg(kinds)::text[])
    ORDER BY s.leased_until
    LIMIT sqlc.arg(row_limit)::int
    FOR UPDATE SKIP LOCKED
)
INSERT INTO event_attempts (tenant_id, event_id, attempt_id, attempt, status, error, details, started_at, finished_at)
SELECT x.tenant_id, x.event_id, sqlc.arg(attempt_id)::uuid, x.attempts,
    CASE WHEN x.attempts >= k.attempts AND k.attempts > 0 THEN 'dead' ELSE 'failed' END, 'The worker did not finish in time.', '{}',
    x.updated_at, statement_timestamp()
FROM expired x
JOIN (SELECT unnest(sqlc.arg(kinds)::text[]) AS kind, unnest(sqlc.arg(attempts)::int[]) AS attempts) AS k ON k.kind = x.kind;

-- name: EventRescue :many
-- EventRescue takes back from their workers the events whose attempt EventRescueAttempts has written. The next attempt comes at once after
-- the first one, and later after each further one: twice pause after it was claimed, then four times, and so on, but no later than
-- longest_pauses, which are those of the kinds.
WITH rescued AS MATERIALIZED (
    SELECT s.tenant_id, s.event_id, a.status, a.error,
        greatest(statement_timestamp(),
            s.updated_at + least(sqlc.arg(pause)::interval * power(2, least(s.attempts - 1, 16)), k.longest_pause)) AS due_at
    FROM scheduled_events s
    JOIN event_attempts a ON a.tenant_id = s.tenant_id AND a.event_id = s.event_id AND a.attempt_id = sqlc.arg(attempt_id)::uuid
    JOIN (
        SELECT unnest(sqlc.arg(kinds)::text[]) AS kind, unnest(sqlc.arg(longest_pauses)::interval[]) AS longest_pause
    ) AS k ON k.kind = s.kind
    WHERE s.status = 'processing' AND s.leased_until <= now()
      AND s.leased_until >= now() - sqlc.arg(ended_within)::interval
)
UPDATE scheduled_events e
SET status = r.status, due_at = r.due_at, version = e.version + 1, lease = NULL, leased_until = NULL, last_error = r.error,
    updated_at = statement_timestamp()
FROM rescued r
WHERE e.tenant_id = r.tenant_id AND e.event_id = r.event_id
RETURNING e.tenant_id, e.event_id, e.kind, e.subject_type, e.subject_id, e.attempts, e.status;

-- name: EventDeleteEnded :many
-- EventDeleteEnded deletes completed and cancelled events, and dead deliveries and emails, with their attempts, of the first tenant after a
-- tenant, and returns the tenant with how many events were deleted. They were due, and have last changed, longer ago than keep. Greetings
-- that were completed, or cancelled on request, stay for 400 days: no customer gets them in that year any more. There is no row
-- after the last tenant. The operator's events, whose tenant is the nil uuid, come before those of all tenants: after is given with the
-- infinite future, and begins with the nil uuid and the infinite past.
WITH tenant AS MATERIALIZED (
    SELECT s.tenant_id
    FROM scheduled_events s
    WHERE (s.tenant_id, s.due_at) > (sqlc.arg(after)::uuid, CASE WHEN sqlc.arg(begin)::bool
        THEN timestamptz '-infinity' ELSE timestamptz 'infinity' END)
    ORDER BY s.tenant_id, s.due_at
    LIMIT 1
), ended AS MATERIALIZED (
    SELECT o.tenant_id, o.event_id
    FROM tenant t
    CROSS JOIN LATERAL (
        SELECT s.tenant_id, s.event_id
        FROM scheduled_events s
        WHERE s.tenant_id = t.tenant_id AND s.due_at < now() - sqlc.arg(keep)::interval
          AND (s.status IN ('completed', 'cancelled') OR s.status = 'dead' AND s.kind IN ('webhook.delivery', 'message.email',
              'message.payment_email', 'message.owner_email'))
              AND s.updated_at < now() - sqlc.arg(keep)::interval
          AND (s.kind NOT IN ('customer.birthday', 'booking.anniversary') OR s.status = 'cancelled' AND NOT s.cancelled_on_request
              OR s.updated_at < now() - interval '400 days')
        ORDER BY s.due_at, s.event_id
        LIMIT sqlc.arg(row_limit)::int
        FOR UPDATE SKIP LOCKED
    ) AS o
), deleted_attempts AS (
    DELETE FROM event_attempts a
    USING ended e
    WHERE a.tenant_id = e.tenant_id AND a.event_id = e.event_id
), deleted AS (
    DELETE FROM scheduled_events s
    USING ended e
    WHERE s.tenant_id = e.tenant_id AND s.event_id = e.event_id
    RETURNING s.event_id
)
SELECT t.tenant_id, (SELECT count(*) FROM deleted)::bigint AS events
FROM tenant t;

-- name: EventNotify :exec
-- EventNotify wakes the workers that listen. The name of the schema comes first: another schema of the database may be another cell.
SELECT pg_notify('holdfast_events', concat_ws(' ', quote_ident(current_schema()), sqlc.arg(kinds)::text));

-- name: EventSchema :one
-- EventSchema returns the first word of the notifications of this schema.
SELECT quote_ident(current_schema())::text AS schema;

-- name: EventListen :exec
LISTEN holdfast_events;

-- name: EventGet :one
SELECT *
FROM scheduled_events
WHERE tenant_id = $1 AND event_id = $2;

-- name: EventList :many
-- EventList looks through a bounded number of a tenant's events, in the order in which they are due, and returns those that pass the
-- filters, with the last that it looked at if it looked at as many as it may.
SELECT s.*
FROM (
    SELECT e.*,
        ((sqlc.narg(kind)::text IS NULL OR e.kind = sqlc.narg(kind))
            AND (sqlc.narg(status)::text IS NULL OR e.status = sqlc.narg(status)))::bool AS passes,
        (row_number() OVER (ORDER BY e.due_at, e.event_id) = sqlc.arg(scan_limit)::int)::bool AS last
    FROM (
        SELECT o.*
        FROM scheduled_events o
        WHERE o.tenant_id = $1
          AND (o.due_at, o.event_id) > (sqlc.arg(after_due)::timestamptz, sqlc.arg(after_id)::uuid)
          AND o.due_at < sqlc.arg(due_before)::timestamptz
        ORDER BY o.due_at, o.event_id
        LIMIT sqlc.arg(scan_limit)::int
    ) AS e
) AS s
WHERE s.passes OR s.last
ORDER BY s.due_at, s.event_id
LIMIT sqlc.arg(row_limit)::int;

-- name: EventListDead :many
-- EventListDead is EventList for events that are dead. An index of their own finds them among all the others.
SELECT s.*
FROM (
    SELECT e.*,
        (sqlc.narg(kind)::text IS NULL OR e.kind = sqlc.narg(kind))::bool AS passes,
        (row_number() OVER (ORDER BY e.due_at, e.event_id) = sqlc.arg(scan_limit)::int)::bool AS last
    FROM (
        SELECT o.*
        FROM scheduled_events o
        WHERE o.tenant_id = $1 AND o.status = 'dead'
          AND (o.due_at, o.event_id) > (sqlc.arg(after_due)::timestamptz, sqlc.arg(after_id)::uuid)
          AND o.due_at < sqlc.arg(due_before)::timestamptz
        ORDER BY o.due_at, o.event_id
        LIMIT sqlc.arg(scan_limit)::int
    ) AS e
) AS s
WHERE s.passes OR s.last
ORDER BY s.due_at, s.event_id
LIMIT sqlc.arg(row_limit)::int;

-- name: EventListBySubject :many
-- EventListBySubject is EventList for one subject, in the order of kind and occurrence.
SELECT s.*
FROM (
    SELECT e.*,
        ((sqlc.narg(kind)::text IS NULL OR e.kind = sqlc.narg(kind))
            AND (sqlc.narg(status)::text IS NULL OR e.status = sqlc.narg(status))
            AND e.due_at < sqlc.arg(due_before)::timestamptz)::bool AS passes,
        (row_number() OVER (ORDER BY e.kind, e.occurrence) = sqlc.arg(scan_limit)::int)::bool AS last
    FROM (
        SELECT o.*
        FROM scheduled_events o
        WHERE o.tenant_id = $1 AND o.subject_id = sqlc.arg(subject_id)::uuid
          AND (o.kind, o.occurrence) > (sqlc.arg(after_kind)::text, sqlc.arg(after_occurrence)::text)
        ORDER BY o.kind, o.occurrence
        LIMIT sqlc.arg(scan_limit)::int
    ) AS e
) AS s
WHERE s.passes OR s.last
ORDER BY s.kind, s.occurrence
LIMIT sqlc.arg(row_limit)::int;

-- name: EventSet :exec
-- EventSet cancels or replays an event on request. It was read, with its lock, in the same transaction.
UPDATE scheduled_events
SET status = sqlc.arg(status), due_at = sqlc.arg(due_at), attempts = sqlc.arg(attempts), version = version + 1, lease = NULL,
    leased_until = NULL, last_error = sqlc.narg(last_error)::text, cancelled_on_request = sqlc.arg(status) = 'cancelled',
    updated_at = sqlc.arg(now)
WHERE tenant_id = $1 AND event_id = $2;

-- name: EventGetLocked :one
SELECT *
FROM scheduled_events
WHERE tenant_id = $1 AND event_id = $2
FOR NO KEY UPDATE;

-- name: EventSample :many
-- EventSample counts what is due, dead and being handled of some kinds, for metrics. Of each kind it counts at most row_limit that are due
-- and dead, and of all kinds together at most row_limit that are being handled. oldest_due is the time
-- since the oldest due event was due, in seconds, zero if none is. Tenants that leave for another cell are left out, as in EventClaim.
WITH held AS MATERIALIZED (
    SELECT s.kind FROM scheduled_events s WHERE s.status = 'processing' LIMIT sqlc.arg(row_limit)::int
)
SELECT k.kind::text AS kind,
    (SELECT count(*) FROM (
        SELECT FROM scheduled_events s
        WHERE s.kind = k.kind AND s.status IN ('pending', 'failed') AND s.due_at <= now()
          AND s.tenant_id <> ALL (ARRAY(SELECT m.tenant_id FROM tenant_moves m))
        LIMIT sqlc.arg(row_limit)::int) AS d)::bigint AS due,
    coalesce((
        SELECT extract(epoch FROM now() - s.due_at)
        FROM scheduled_events s
        WHERE s.kind = k.kind AND s.status IN ('pending', 'failed') AND s.due_at <= now()
          AND s.tenant_id <> ALL (ARRAY(SELECT m.tenant_id FROM tenant_moves m))
        ORDER BY s.due_at
        LIMIT 1), 0)::float8 AS oldest_due,
    (SELECT count(*) FROM (
        SELECT FROM scheduled_events s
        WHERE s.kind = k.kind AND s.status = 'dead' AND s.tenant_id <> ALL (ARRAY(SELECT m.tenant_id FROM tenant_moves m))
        LIMIT sqlc.arg(row_limit)::int) AS d)::bigint AS dead,
    (SELECT count(*) FROM held h WHERE h.kind = k.kind)::bigint AS processing
FROM unnest(sqlc.arg(kinds)::text[]) AS k (kind);
