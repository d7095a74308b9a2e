-- name: WebhookEndpointGet :one
SELECT *
FROM webhook_endpoints
WHERE tenant_id = $1 AND endpoint_id = $2;

-- name: WebhookEndpointGetMany :many
SELECT *
FROM webhook_endpoints
WHERE tenant_id = $1 AND endpoint_id = ANY (sqlc.arg(endpoint_ids)::uuid[]);

-- name: WebhookEndpointGetLocked :one
-- WebhookEndpointGetLocked also makes other changes of the endpoint wait until the transaction ends.
SELECT *
FROM webhook_endpoints
WHERE tenant_id = $1 AND endpoint_id = $2
FOR NO KEY UPDATE;

-- name: WebhookEndpointList :many
SELECT *
FROM webhook_endpoints
WHERE tenant_id = $1 AND endpoint_id > sqlc.arg(after)
ORDER BY endpoint_id
LIMIT sqlc.arg(row_limit)::int;

-- name: WebhookTenantLock :exec
-- WebhookTenantLock makes other requests that add endpoints wait until the transaction ends, so that they count this one.
SELECT tenant_id
FROM tenants
WHERE tenant_id = $1
FOR NO KEY UPDATE;

-- name: WebhookEndpointCount :one
SELECT count(*)
FROM webhook_endpoints
WHERE tenant_id = $1;

-- name: WebhookOpenCount :one
-- WebhookOpenCount counts a tenant's deliveries that are to be made, up to row_limit.
SELECT count(*)
FROM (
    SELECT s.event_id
    FROM scheduled_events s
    WHERE s.tenant_id = $1 AND s.kind = 'webhook.delivery' AND s.status IN ('pending', 'failed')
    LIMIT sqlc.arg(row_limit)::int
) AS open;

-- name: WebhookEndpointInsert :exec
INSERT INTO webhook_endpoints (tenant_id, endpoint_id, url, types, description, status, secret, failures, version, created_at, updated_at)
VALUES ($1, sqlc.arg(endpoint_id), sqlc.arg(url), sqlc.arg(types), sqlc.arg(description), 'enabled', sqlc.arg(secret), 0, 1,
    sqlc.arg(now), sqlc.arg(now));

-- name: WebhookEndpointUpdate :exec
UPDATE webhook_endpoints
SET url = sqlc.arg(url), types = sqlc.arg(types), description = sqlc.arg(description), status = sqlc.arg(status),
    disabled_reason = sqlc.narg(disabled_reason), secret = sqlc.arg(secret), former_secret = sqlc.narg(former_secret),
    former_secret_until = sqlc.narg(former_secret_until), failures = sqlc.arg(failures), failing_since = sqlc.narg(failing_since),
    open_until = sqlc.narg(open_until), version = sqlc.arg(version), updated_at = sqlc.arg(updated_at)
WHERE tenant_id = $1 AND endpoint_id = sqlc.arg(endpoint_id);

-- name: WebhookEndpointDelete :exec
DELETE FROM webhook_endpoints
WHERE tenant_id = $1 AND endpoint_id = $2;

-- name: WebhookDeliveryGet :one
SELECT *
FROM scheduled_events
WHERE tenant_id = $1 AND event_id = $2 AND kind = 'webhook.delivery';

-- name: WebhookDeliveryGetLocked :one
-- WebhookDeliveryGetLocked also keeps workers from claiming the delivery until the transaction ends.
SELECT *
FROM scheduled_events
WHERE tenant_id = $1 AND event_id = $2 AND kind = 'webhook.delivery'
FOR NO KEY UPDATE;

-- name: WebhookDeliveryList :many
-- WebhookDeliveryList lists the deliveries to an endpoint by the ids of their events, which are about in the order of time: the
-- newest first.
SELECT *
FROM scheduled_events
WHERE tenant_id = $1 AND subject_id = sqlc.arg(endpoint_id) AND kind = 'webhook.delivery' AND occurrence < sqlc.arg(before)
ORDER BY occurrence DESC
LIMIT sqlc.arg(row_limit)::int;

-- name: WebhookDeliveryReplay :exec
-- WebhookDeliveryReplay makes a delivery due again, as if it had never been tried. The transaction has locked it.
UPDATE scheduled_events
SET status = 'pending', due_at = sqlc.arg(now), attempts = 0, version = version + 1, last_error = NULL, cancelled_on_request = false,
    updated_at = sqlc.arg(now)
WHERE tenant_id = $1 AND event_id = sqlc.arg(event_id);

-- name: WebhookRangeGet :one
-- WebhookRangeGet counts the changes and notices of a range that an endpoint's patterns match, up to row_limit, and returns the position of
-- the last one. patterns are those of LIKE.
SELECT count(*) AS changes, coalesce(max(e.transaction_id), 0)::bigint AS last_transaction,
    coalesce((array_agg(e.change_id ORDER BY e.transaction_id DESC, e.change_id DESC))[1],
    '00000000-0000-0000-0000-000000000000')::uuid AS last_id
FROM (
    SELECT c.transaction_id, c.change_id
    FROM changes c
    WHERE c.tenant_id = $1 AND c.occurred_at >= sqlc.arg(from_time) AND c.occurred_at < sqlc.arg(to_time)
      AND (c.transaction_id, c.change_id) > (sqlc.arg(after_transaction)::bigint, sqlc.arg(after_id)::uuid)
      AND c.transaction_id < (pg_snapshot_xmin(pg_current_snapshot())::text)::bigint
      AND c.type LIKE ANY (sqlc.arg(patterns)::text[])
    ORDER BY c.transaction_id, c.change_id
    LIMIT sqlc.arg(row_limit)::int
) AS e;

-- name: WebhookRangeReplay :exec
-- WebhookRangeReplay plans deliveries of the changes and notices of a range, up to a position, whether they were delivered before or not.
-- Those that a worker holds stay as they are. A delivery's id follows from its event and its endpoint: no function that gives another value
-- each time is in a write.
INSERT INTO scheduled_events (tenant_id, event_id, kind, subject_type, subject_id, occurrence, status, due_at, time_zone, attempts,
    version, data, created_at, updated_at, ordering_key, sequence)
SELECT c.tenant_id, md5(c.change_id::text || sqlc.arg(endpoint_id)::uuid::text)::uuid, 'webhook.delivery', 'webhook_endpoint',
    sqlc.arg(endpoint_id), c.change_id::text, 'pending',
    sqlc.arg(now), 'UTC', 0, 1, json_build_object('event_id', c.change_id, 'subject_id', c.subject_id, 'type', c.type),
    sqlc.arg(now), sqlc.arg(now), c.subject_id, c.version
FROM changes c
WHERE c.tenant_id = $1 AND c.occurred_at >= sqlc.arg(from_time) AND c.occurred_at < sqlc.arg(to_time)
  AND (c.transaction_id, c.change_id) > (sqlc.arg(after_transaction)::bigint, sqlc.arg(after_id)::uuid)
  AND (c.transaction_id, c.change_id) <= (sqlc.arg(last_transaction)::bigint, sqlc.arg(last_id)::uuid)
  AND c.type LIKE ANY (sqlc.arg(patterns)::text[])
ON CONFLICT (tenant_id, subject_id, kind, occurrence) DO UPDATE
SET status = 'pending', due_at = excluded.due_at, attempts = 0, version = scheduled_events.version + 1, last_error = NULL,
    cancelled_on_request = false, updated_at = excluded.updated_at
WHERE scheduled_events.status <> 'processing';

-- name: ChangeGetMany :many
-- ChangeGetMany reads changes and notices by their subjects, each of which has few. Stored transaction ids may change (see ChangeLower).
-- While an erasure takes data out of one of them, it waits: see EraseDeliveries.
SELECT c.change_id, c.type, c.subject_type, c.subject_id, c.version, c.occurred_at, c.data
FROM (
    SELECT unnest(sqlc.arg(subject_ids)::uuid[]) AS subject_id, unnest(sqlc.arg(change_ids)::uuid[]) AS change_id
) AS w
JOIN changes c ON c.tenant_id = $1 AND c.subject_id = w.subject_id AND c.change_id = w.change_id
FOR SHARE OF c;

-- name: FeedRelay :one
-- FeedRelay plans what follows from the next changes and notices of all tenants: deliveries to the endpoints that want them, and an event
-- that plans messages to customers, one for each subject, if the tenant has the event that plans them ahead. It does so in one statement,
-- so that a crash does all of it or nothing. The position's row lets one instance relay at a time; there are no rows while another instance
-- does. The position may be newer than the statement's snapshot (FOR UPDATE reads the newest row). That hides no change: those that are
-- read are of transactions that ended before the snapshot. The ids of what is planned are random because the rows are not read before.
WITH position AS MATERIALIZED (
    SELECT p.transaction_id, p.change_id
    FROM feed_positions p
    WHERE p.tenant_id = '00000000-0000-0000-0000-000000000000' AND p.reader = 'relay'
    FOR UPDATE SKIP LOCKED
), next AS MATERIALIZED (
    SELECT c.tenant_id, c.transaction_id, c.change_id, c.type, c.subject_type, c.subject_id, c.version, c.occurred_at, c.unborn
    FROM position
    CROSS JOIN LATERAL (
        SELECT e.tenant_id, e.transaction_id, e.change_id, e.type, e.subject_type, e.subject_id, e.version, e.occurred_at,
            e.type = 'customer.created' AND e.data ->> 'birthday' IS NULL AS unborn
        FROM changes e
        WHERE (e.transaction_id, e.change_id) > (position.transaction_id, position.change_id)
          AND e.transaction_id < (pg_snapshot_xmin(pg_current_snapshot())::text)::bigint
        ORDER BY e.transaction_id, e.change_id
        LIMIT sqlc.arg(row_limit)::int
    ) AS c
), deliveries AS (
    INSERT INTO scheduled_events (tenant_id, event_id, kind, subject_type, subject_id, occurrence, status, due_at, time_zone, attempts,
        version, data, created_at, updated_at, ordering_key, sequence)
    SELECT n.tenant_id, md5(n.change_id::text || w.endpoint_id::text)::uuid, 'webhook.delivery', 'webhook_endpoint', w.endpoint_id,
        n.change_id::text, 'pending',
        statement_timestamp(), 'UTC', 0, 1, json_build_object('event_id', n.change_id, 'subject_id', n.subject_id, 'type', n.type),
        statement_timestamp(), statement_timestamp(), n.subject_id, n.version
    FROM next n
    JOIN webhook_endpoints w ON w.tenant_id = n.tenant_id AND w.status = 'enabled' AND w.created_at <= n.occurred_at
        AND EXISTS (
            SELECT FROM unnest(w.types) AS pattern
            WHERE pattern IN ('*', n.type) OR pattern LIKE '%.*' AND starts_with(n.type, left(pattern, -1))
        )
    ON CONFLICT (tenant_id, subject_id, kind, occurrence) DO NOTHING
    RETURNING kind
), plans AS (
    INSERT INTO scheduled_events (tenant_id, event_id, kind, subject_type, subject_id, occurrence, status, due_at, time_zone, attempts,
        version, data, created_at, updated_at)
    SELECT DISTINCT ON (n.tenant_id, n.subject_id) n.tenant_id, md5('message.plan' || n.subject_id::text)::uuid, 'message.plan',
        n.subject_type, n.subject_id, '', 'pending',
        statement_timestamp(), 'UTC', 0, 1, json_build_object('version', n.version - 1), statement_timestamp(), statement_timestamp()
    FROM next n
    JOIN scheduled_events a ON a.tenant_id = n.tenant_id AND a.subject_id = n.tenant_id AND a.kind = 'message.plan_ahead'
        AND a.occurrence = ''
    WHERE n.type IN ('booking.created', 'booking.held', 'booking.confirmed', 'booking.rescheduled', 'booking.updated', 'booking.cancelled',
        'customer.created', 'customer.updated') AND NOT n.unborn
    ORDER BY n.tenant_id, n.subject_id, n.version
    ON CONFLICT (tenant_id, subject_id, kind, occurrence) DO UPDATE
    SET status = 'pending', due_at = excluded.due_at, attempts = 0, version = scheduled_events.version + 1, lease = NULL,
        leased_until = NULL, last_error = NULL, cancelled_on_request = false, updated_at = excluded.updated_at
    RETURNING kind
), moved AS (
    UPDATE feed_positions p
    SET transaction_id = l.transaction_id, change_id = l.change_id, updated_at = statement_timestamp()
    FROM (SELECT n.transaction_id, n.change_id FROM next n ORDER BY n.transaction_id DESC, n.change_id DESC LIMIT 1) AS l
    WHERE p.tenant_id = '00000000-0000-0000-0000-000000000000' AND p.reader = 'relay'
)
SELECT (SELECT count(*) FROM next)::bigint AS changes,
    ARRAY(SELECT d.kind FROM deliveries d UNION SELECT p.kind FROM plans p)::text[] AS kinds;
