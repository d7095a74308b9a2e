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

-- name: EventSample :many
-- EventSample counts what is due, dead and being handled of some kinds, for metrics. Of each kind it counts at most row_limit that are due
-- and dead, and of all kinds together at most row_limit that are being handled. oldest_due is the time
-- since the oldest due event was due, in seconds, zero if none is. Tenants that leave for another cell are left out, as in EventLease.
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

-- name: FeedRelayLag :one
-- FeedRelayLag reads how old, in seconds, the oldest change is that the relay hasn't passed; 0 if there is none.
SELECT coalesce((
    SELECT extract(epoch FROM clock_timestamp() - c.occurred_at)
    FROM feed_positions p
    CROSS JOIN LATERAL (
        SELECT e.occurred_at
        FROM changes e
        WHERE (e.transaction_id, e.change_id) > (p.transaction_id, p.change_id)
        ORDER BY e.transaction_id, e.change_id
        LIMIT 1
    ) AS c
    WHERE p.tenant_id = '00000000-0000-0000-0000-000000000000' AND p.reader = 'relay'), 0)::float8 AS seconds;
