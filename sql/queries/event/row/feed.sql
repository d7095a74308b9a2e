-- name: ChangeDeleteOld :many
-- ChangeDeleteOld deletes, in their order, the changes of all tenants up to the last one that is older than keep and that the relay has
-- passed, of a bounded number of them. It returns how many, and whether a change that is older than keep was left because the
-- relay has yet to plan its deliveries. It remembers the last deleted change. There is no row while another instance deletes. Changes that
-- came with a tenant have transaction ids below the least one here: see ChangeDeleteOldArrived.
WITH deleted_before AS MATERIALIZED (
    SELECT greatest(p.transaction_id, -2305843009213693952) AS transaction_id, p.change_id
    FROM feed_positions p
    WHERE p.tenant_id = sqlc.arg(all_tenants)::uuid AND p.reader = 'deleted'
    FOR UPDATE SKIP LOCKED
), oldest AS MATERIALIZED (
    SELECT c.tenant_id, c.transaction_id, c.change_id, c.occurred_at < now() - sqlc.arg(keep)::interval AS old,
        (c.transaction_id, c.change_id) <= (r.transaction_id, r.change_id) AS relayed
    FROM deleted_before p
    JOIN feed_positions r ON r.tenant_id = sqlc.arg(all_tenants) AND r.reader = 'relay'
    CROSS JOIN LATERAL (
        SELECT e.tenant_id, e.transaction_id, e.change_id, e.occurred_at
        FROM changes e
        WHERE (e.transaction_id, e.change_id) > (p.transaction_id, p.change_id)
          AND e.transaction_id < (pg_snapshot_xmin(pg_current_snapshot())::text)::bigint
        ORDER BY e.transaction_id, e.change_id
        LIMIT sqlc.arg(row_limit)::int
    ) AS c
), last AS MATERIALIZED (
    SELECT c.transaction_id, c.change_id
    FROM oldest c
    WHERE c.old AND c.relayed
    ORDER BY c.transaction_id DESC, c.change_id DESC
    LIMIT 1
), deleted AS (
    DELETE FROM changes e
    USING oldest c, last l
    WHERE e.tenant_id = c.tenant_id AND e.transaction_id = c.transaction_id AND e.change_id = c.change_id
      AND (c.transaction_id, c.change_id) <= (l.transaction_id, l.change_id)
    RETURNING e.change_id
), remembered AS (
    UPDATE feed_positions p
    SET transaction_id = l.transaction_id, change_id = l.change_id, updated_at = statement_timestamp()
    FROM last l
    WHERE p.tenant_id = sqlc.arg(all_tenants) AND p.reader = 'deleted'
)
SELECT (SELECT count(*) FROM deleted)::bigint AS changes,
    EXISTS (SELECT FROM oldest c WHERE c.old AND NOT c.relayed)::bool AS held_back
FROM deleted_before;

-- name: ChangeDeleteOldArrived :one
-- ChangeDeleteOldArrived is ChangeDeleteOld for changes that tenants brought along from other cells, of a few tenants at once. The relay
-- there has passed them. The position of each tenant is its own.
WITH deleted_before AS MATERIALIZED (
    SELECT p.tenant_id, p.transaction_id, p.change_id
    FROM feed_positions p
    WHERE p.reader = 'deleted' AND p.tenant_id <> sqlc.arg(all_tenants)::uuid AND (
        SELECT e.occurred_at
        FROM changes e
        WHERE e.tenant_id = p.tenant_id AND (e.transaction_id, e.change_id) > (p.transaction_id, p.change_id)
          AND e.transaction_id < -2305843009213693952
        ORDER BY e.transaction_id, e.change_id
        LIMIT 1) < now() - sqlc.arg(keep)::interval
    ORDER BY p.tenant_id
    LIMIT 10
    FOR UPDATE SKIP LOCKED
), oldest AS MATERIALIZED (
    SELECT c.tenant_id, c.transaction_id, c.change_id, c.occurred_at < now() - sqlc.arg(keep)::interval AS old
    FROM deleted_before p
    CROSS JOIN LATERAL (
        SELECT e.tenant_id, e.transaction_id, e.change_id, e.occurred_at
        FROM changes e
        WHERE e.tenant_id = p.tenant_id AND (e.transaction_id, e.change_id) > (p.transaction_id, p.change_id)
          AND e.transaction_id < -2305843009213693952
        ORDER BY e.transaction_id, e.change_id
        LIMIT sqlc.arg(row_limit)::int
    ) AS c
), last AS MATERIALIZED (
    SELECT DISTINCT ON (c.tenant_id) c.tenant_id, c.transaction_id, c.change_id
    FROM oldest c
    WHERE c.old
    ORDER BY c.tenant_id, c.transaction_id DESC, c.change_id DESC
), deleted AS (
    DELETE FROM changes e
    USING oldest c, last l
    WHERE e.tenant_id = c.tenant_id AND e.transaction_id = c.transaction_id AND e.change_id = c.change_id
      AND l.tenant_id = c.tenant_id AND (c.transaction_id, c.change_id) <= (l.transaction_id, l.change_id)
    RETURNING e.change_id
), remembered AS (
    UPDATE feed_positions p
    SET transaction_id = l.transaction_id, change_id = l.change_id, updated_at = statement_timestamp()
    FROM last l
    WHERE p.tenant_id = l.tenant_id AND p.reader = 'deleted'
)
SELECT count(*)::bigint AS changes FROM deleted;

-- name: FeedRelayCount :many
-- FeedRelayCount keeps other instances from relaying, and counts the changes that FeedRelay takes in the same transaction. Changes that end
-- in between may be more. There is no row while another instance relays.
WITH position AS MATERIALIZED (
    SELECT p.transaction_id, p.change_id
    FROM feed_positions p
    WHERE p.tenant_id = '00000000-0000-0000-0000-000000000000' AND p.reader = 'relay'
    FOR UPDATE SKIP LOCKED
)
SELECT c.changes::bigint AS changes
FROM position
CROSS JOIN LATERAL (
    SELECT count(*) AS changes
    FROM (
        SELECT e.change_id
        FROM changes e
        WHERE (e.transaction_id, e.change_id) > (position.transaction_id, position.change_id)
          AND e.transaction_id < (pg_snapshot_xmin(pg_current_snapshot())::text)::bigint
        ORDER BY e.transaction_id, e.change_id
        LIMIT sqlc.arg(row_limit)::int
    ) AS e
) AS c;

-- name: FeedRelay :execrows
-- FeedRelay plans what follows from the next changes and notices of all tenants: deliveries to the endpoints that want them, deliveries to
-- the operator's endpoints, whose tenant is the nil uuid and which are told of every tenant, and an event
-- that plans messages, one for each subject, if the tenant has the event that plans them ahead. Of payments it does so only for a tenant
-- whose emails tell of them. It does so in one statement,
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
), moved AS (
    UPDATE feed_positions p
    SET transaction_id = l.transaction_id, change_id = l.change_id, updated_at = statement_timestamp()
    FROM (SELECT n.transaction_id, n.change_id FROM next n ORDER BY n.transaction_id DESC, n.change_id DESC LIMIT 1) AS l
    WHERE p.tenant_id = '00000000-0000-0000-0000-000000000000' AND p.reader = 'relay'
), wanted AS (
    SELECT n.tenant_id, md5(n.change_id::text || w.endpoint_id::text)::uuid AS event_id, 'webhook.delivery' AS kind,
        'webhook_endpoint' AS subject_type, w.endpoint_id AS subject_id, n.change_id::text AS occurrence,
        json_build_object('event_id', n.change_id, 'subject_id', n.subject_id, 'type', n.type) AS data,
        n.subject_id AS ordering_key, n.version AS sequence
    FROM next n
    JOIN webhook_endpoints w ON w.tenant_id = n.tenant_id AND w.status = 'enabled' AND w.created_at <= n.occurred_at
        AND EXISTS (
            SELECT FROM unnest(w.types) AS pattern
            WHERE pattern IN ('*', n.type) OR pattern LIKE '%.*' AND starts_with(n.type, left(pattern, -1))
        )
    UNION ALL
    -- No ordering key: one tenant's many changes of one subject would hold up the changes of all others.
    SELECT w.tenant_id, md5(n.change_id::text || w.endpoint_id::text)::uuid, 'webhook.delivery', 'webhook_endpoint', w.endpoint_id,
        n.change_id::text,
        json_build_object('event_id', n.change_id, 'subject_id', n.subject_id, 'type', n.type, 'tenant_id', n.tenant_id), NULL, NULL
    FROM webhook_endpoints w
    JOIN next n ON n.tenant_id <> w.tenant_id AND w.created_at <= n.occurred_at
        AND EXISTS (
            SELECT FROM unnest(w.types) AS pattern
            WHERE pattern IN ('*', n.type) OR pattern LIKE '%.*' AND starts_with(n.type, left(pattern, -1))
        )
    WHERE w.tenant_id = '00000000-0000-0000-0000-000000000000' AND w.status = 'enabled'
    UNION ALL
    (SELECT DISTINCT ON (n.tenant_id, n.subject_id) n.tenant_id, md5('message.plan' || n.subject_id::text)::uuid, 'message.plan',
        n.subject_type, n.subject_id, '', json_build_object('version', n.version - 1), NULL, NULL
    FROM next n
    JOIN scheduled_events a ON a.tenant_id = n.tenant_id AND a.subject_id = n.tenant_id AND a.kind = 'message.plan_ahead'
        AND a.occurrence = ''
    WHERE n.type IN ('booking.created', 'booking.held', 'booking.confirmed', 'booking.rescheduled', 'booking.updated', 'booking.cancelled',
        'customer.created', 'customer.updated') AND NOT n.unborn
        OR n.type IN ('payment.succeeded', 'payment.declined', 'payment.refunded') AND EXISTS (
            SELECT FROM tenants t WHERE t.tenant_id = n.tenant_id AND t.settings ->> 'payments_told_since' IS NOT NULL)
    ORDER BY n.tenant_id, n.subject_id, n.version)
)
INSERT INTO scheduled_events (tenant_id, event_id, kind, subject_type, subject_id, occurrence, status, due_at, time_zone, attempts,
    version, data, created_at, updated_at, ordering_key, sequence)
SELECT w.tenant_id, w.event_id, w.kind, w.subject_type, w.subject_id, w.occurrence, 'pending', statement_timestamp(), 'UTC', 0, 1, w.data,
    statement_timestamp(), statement_timestamp(), w.ordering_key, w.sequence
FROM wanted w
ON CONFLICT (tenant_id, subject_id, kind, occurrence) DO UPDATE
SET status = 'pending', due_at = excluded.due_at, attempts = 0, version = scheduled_events.version + 1, lease = NULL,
    leased_until = NULL, last_error = NULL, cancelled_on_request = false, updated_at = excluded.updated_at
WHERE scheduled_events.kind = 'message.plan';
