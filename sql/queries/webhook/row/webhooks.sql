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
-- WebhookTenantLock makes other requests that add endpoints wait until the transaction ends, so that they count this one. The operator has
-- no such row: two requests at once may make one endpoint too many.
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

-- name: WebhookDeliveryListBySubject :many
-- WebhookDeliveryListBySubject lists the deliveries of the last changes of a subject to the tenant's endpoints, the newest change first.
-- The arrays are made once, and found in the index.
SELECT s.*
FROM scheduled_events s
WHERE s.tenant_id = $1 AND s.kind = 'webhook.delivery'
  AND s.subject_id = ANY (ARRAY(SELECT w.endpoint_id FROM webhook_endpoints w WHERE w.tenant_id = $1))
  AND s.occurrence = ANY (ARRAY(
      SELECT c.change_id::text
      FROM changes c
      WHERE c.tenant_id = $1 AND c.subject_id = sqlc.arg(changed_id) AND NOT c.notice
      ORDER BY c.version DESC
      LIMIT sqlc.arg(change_limit)::int
  ))
ORDER BY s.occurrence DESC, s.subject_id;

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
WITH c AS MATERIALIZED (
    SELECT c.tenant_id, c.change_id, c.type, c.subject_id, c.version
    FROM changes c
    WHERE c.tenant_id = $1 AND c.occurred_at >= sqlc.arg(from_time) AND c.occurred_at < sqlc.arg(to_time)
      AND (c.transaction_id, c.change_id) > (sqlc.arg(after_transaction)::bigint, sqlc.arg(after_id)::uuid)
      AND (c.transaction_id, c.change_id) <= (sqlc.arg(last_transaction)::bigint, sqlc.arg(last_id)::uuid)
      AND c.type LIKE ANY (sqlc.arg(patterns)::text[])
)
INSERT INTO scheduled_events (tenant_id, event_id, kind, subject_type, subject_id, occurrence, status, due_at, time_zone, attempts,
    version, data, created_at, updated_at, ordering_key, sequence)
SELECT c.tenant_id, md5(c.change_id::text || sqlc.arg(endpoint_id)::uuid::text)::uuid, 'webhook.delivery', 'webhook_endpoint',
    sqlc.arg(endpoint_id), c.change_id::text, 'pending',
    sqlc.arg(now), 'UTC', 0, 1, json_build_object('event_id', c.change_id, 'subject_id', c.subject_id, 'type', c.type),
    sqlc.arg(now), sqlc.arg(now), c.subject_id, c.version
FROM c
ON CONFLICT (tenant_id, subject_id, kind, occurrence) DO UPDATE
SET status = 'pending', due_at = excluded.due_at, attempts = 0, version = scheduled_events.version + 1, last_error = NULL,
    cancelled_on_request = false, updated_at = excluded.updated_at
WHERE scheduled_events.status <> 'processing';

-- name: WebhookRangeGetAcross :one
-- WebhookRangeGetAcross is WebhookRangeGet for the changes and notices of all tenants.
SELECT count(*) AS changes, coalesce(max(e.transaction_id), 0)::bigint AS last_transaction,
    coalesce((array_agg(e.change_id ORDER BY e.transaction_id DESC, e.change_id DESC))[1],
    '00000000-0000-0000-0000-000000000000')::uuid AS last_id
FROM (
    SELECT c.transaction_id, c.change_id
    FROM changes c
    WHERE c.occurred_at >= sqlc.arg(from_time) AND c.occurred_at < sqlc.arg(to_time)
      AND (c.transaction_id, c.change_id) > (sqlc.arg(after_transaction)::bigint, sqlc.arg(after_id)::uuid)
      AND c.transaction_id < (pg_snapshot_xmin(pg_current_snapshot())::text)::bigint
      AND c.type LIKE ANY (sqlc.arg(patterns)::text[])
    ORDER BY c.transaction_id, c.change_id
    LIMIT sqlc.arg(row_limit)::int
) AS e;

-- name: WebhookRangeReplayAcross :exec
-- WebhookRangeReplayAcross is WebhookRangeReplay for the changes and notices of all tenants, to an endpoint of the operator.
WITH c AS MATERIALIZED (
    SELECT c.tenant_id, c.change_id, c.type, c.subject_id
    FROM changes c
    WHERE c.occurred_at >= sqlc.arg(from_time) AND c.occurred_at < sqlc.arg(to_time)
      AND (c.transaction_id, c.change_id) > (sqlc.arg(after_transaction)::bigint, sqlc.arg(after_id)::uuid)
      AND (c.transaction_id, c.change_id) <= (sqlc.arg(last_transaction)::bigint, sqlc.arg(last_id)::uuid)
      AND c.type LIKE ANY (sqlc.arg(patterns)::text[])
)
INSERT INTO scheduled_events (tenant_id, event_id, kind, subject_type, subject_id, occurrence, status, due_at, time_zone, attempts,
    version, data, created_at, updated_at)
SELECT '00000000-0000-0000-0000-000000000000'::uuid, md5(c.change_id::text || sqlc.arg(endpoint_id)::uuid::text)::uuid, 'webhook.delivery',
    'webhook_endpoint', sqlc.arg(endpoint_id), c.change_id::text, 'pending', sqlc.arg(now), 'UTC', 0, 1,
    json_build_object('event_id', c.change_id, 'subject_id', c.subject_id, 'type', c.type, 'tenant_id', c.tenant_id),
    sqlc.arg(now), sqlc.arg(now)
FROM c
ON CONFLICT (tenant_id, subject_id, kind, occurrence) DO UPDATE
SET status = 'pending', due_at = excluded.due_at, attempts = 0, version = scheduled_events.version + 1, last_error = NULL,
    cancelled_on_request = false, updated_at = excluded.updated_at
WHERE scheduled_events.status <> 'processing';

-- name: ChangeGetMany :many
-- ChangeGetMany reads changes and notices by their subjects, each of which has few. Stored transaction ids may change (see ChangeLower).
-- While an erasure takes data out of one of them, it waits: see EraseDeliveries.
SELECT c.change_id, c.type, c.subject_type, c.subject_id, c.version, c.operator, c.occurred_at, c.data
FROM (
    SELECT unnest(sqlc.arg(subject_ids)::uuid[]) AS subject_id, unnest(sqlc.arg(change_ids)::uuid[]) AS change_id
) AS w
JOIN changes c ON c.tenant_id = $1 AND c.subject_id = w.subject_id AND c.change_id = w.change_id
FOR SHARE OF c;

-- name: ChangeGetManyAcross :many
-- ChangeGetManyAcross is ChangeGetMany for changes and notices of several tenants.
SELECT c.tenant_id, c.change_id, c.type, c.subject_type, c.subject_id, c.version, c.operator, c.occurred_at, c.data
FROM (
    SELECT unnest(sqlc.arg(tenant_ids)::uuid[]) AS tenant_id, unnest(sqlc.arg(subject_ids)::uuid[]) AS subject_id,
        unnest(sqlc.arg(change_ids)::uuid[]) AS change_id
) AS w
JOIN changes c ON c.tenant_id = w.tenant_id AND c.subject_id = w.subject_id AND c.change_id = w.change_id
FOR SHARE OF c;
