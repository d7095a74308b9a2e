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

-- name: EventLease :many
-- EventLease hands the oldest due events of a kind to a worker, each to one: rows that another worker is leasing are skipped.
-- now() and not clock_timestamp(), which no index can be searched by. since bounds the search: what was leased
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
    e.lease, e.data, e.updated_at AS leased_at;

-- name: EventLeaseFairly :many
-- EventLeaseFairly is EventLease for a kind of which more is due than a worker leases at once. It takes a few events of each of
-- some tenants, in the order of the tenants' ids, from those after a tenant on. since bounds the search as in EventLease. If it took fewer
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
), leased AS (
    UPDATE scheduled_events e
    SET status = 'processing', planned_again = false, attempts = e.attempts + 1, version = e.version + 1, lease = sqlc.arg(lease)::uuid,
        leased_until = statement_timestamp() + sqlc.arg(lease_time)::interval, updated_at = statement_timestamp()
    FROM due d
    WHERE e.tenant_id = d.tenant_id AND e.event_id = d.event_id
    RETURNING e.tenant_id, e.event_id, e.kind, e.subject_type, e.subject_id, e.occurrence, e.due_at, e.time_zone, e.attempts, e.version,
        e.lease, e.data, e.updated_at AS leased_at
)
SELECT c.*
FROM leased c
UNION ALL
(SELECT l.tenant_id, '00000000-0000-0000-0000-000000000000', '', '', '00000000-0000-0000-0000-000000000000', '', now(), '', 0, 0, NULL,
 '{}', now()
 FROM looked_at l
 WHERE (SELECT count(*) FROM leased) < sqlc.arg(row_limit)::int
 OFFSET sqlc.arg(tenant_limit)::int - 1
 LIMIT 1);

-- name: EventLeaseDeliveries :many
-- EventLeaseDeliveries hands due deliveries to a worker, so many of each endpoint as it has free permits for. Known endpoints are those
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
), leased AS (
    UPDATE scheduled_events e
    SET status = 'processing', planned_again = false, attempts = e.attempts + 1, version = e.version + 1, lease = sqlc.arg(lease)::uuid,
        leased_until = statement_timestamp() + sqlc.arg(lease_time)::interval, updated_at = statement_timestamp()
    FROM due d
    WHERE e.tenant_id = d.tenant_id AND e.event_id = d.event_id
    RETURNING e.tenant_id, e.event_id, e.kind, e.subject_type, e.subject_id, e.occurrence, e.due_at, e.time_zone, e.attempts, e.version,
        e.lease, e.data, e.updated_at AS leased_at
)
SELECT c.*
FROM leased c
UNION ALL
(SELECT l.tenant_id, '00000000-0000-0000-0000-000000000000', '', '', l.subject_id, '', now(), '', 0, 0, NULL, '{}', now()
 FROM looked_at l
 WHERE (SELECT count(*) FROM leased) < sqlc.arg(row_limit)::int
 OFFSET sqlc.arg(subject_limit)::int - 1
 LIMIT 1);
