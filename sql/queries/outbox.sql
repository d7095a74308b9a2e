-- name: OutboxInsert :exec
-- OutboxInsert writes what happened in this transaction. One row of VALUES costs less than one of unnest. transaction_id is the default,
-- the id of this transaction. Changes of one booking take its lock before they write, so the ids of its events are in the order of
-- their sequence. Changes of a customer take no such lock: CustomerUpdate sets the id.
INSERT INTO outbox_events (tenant_id, event_id, type, subject_type, subject_id, sequence, occurred_at, data)
VALUES (sqlc.arg(tenant_id), sqlc.arg(event_id), sqlc.arg(type), sqlc.arg(subject_type), sqlc.arg(subject_id), sqlc.arg(sequence),
    sqlc.arg(now), sqlc.arg(data));

-- name: OutboxInsertMany :exec
-- OutboxInsertMany is OutboxInsert for several events.
INSERT INTO outbox_events (tenant_id, event_id, type, subject_type, subject_id, sequence, occurred_at, data)
SELECT sqlc.arg(tenant_id), e.event_id, e.type, e.subject_type, e.subject_id, e.sequence, sqlc.arg(now), e.data::json
FROM (
    SELECT unnest(sqlc.arg(event_ids)::uuid[]) AS event_id,
        unnest(sqlc.arg(types)::text[]) AS type,
        unnest(sqlc.arg(subject_types)::text[]) AS subject_type,
        unnest(sqlc.arg(subject_ids)::uuid[]) AS subject_id,
        unnest(sqlc.arg(sequences)::bigint[]) AS sequence,
        unnest(sqlc.arg(data)::text[]) AS data
) AS e;

-- name: OutboxList :many
-- OutboxList reads a tenant's events in the order in which readers see them: only of transactions below the oldest running one.
-- What commits later comes later. It looks through a bounded number of events and returns those that pass the filter, with
-- the last that it looked at. types are patterns of LIKE; an empty list passes all.
SELECT s.transaction_id, s.event_id, s.type, s.subject_type, s.subject_id, s.sequence, s.occurred_at, s.data, s.passes, s.last
FROM (
    SELECT e.transaction_id, e.event_id, e.type, e.subject_type, e.subject_id, e.sequence, e.occurred_at, e.data,
        (cardinality(sqlc.arg(types)::text[]) = 0 OR e.type LIKE ANY (sqlc.arg(types)::text[]))::bool AS passes,
        (row_number() OVER (ORDER BY e.transaction_id, e.event_id) = sqlc.arg(scan_limit)::int)::bool AS last
    FROM (
        SELECT o.transaction_id, o.event_id, o.type, o.subject_type, o.subject_id, o.sequence, o.occurred_at, o.data
        FROM outbox_events o
        WHERE o.tenant_id = $1
          AND (o.transaction_id, o.event_id) > (sqlc.arg(after_transaction)::bigint, sqlc.arg(after_id)::uuid)
          AND o.transaction_id < (pg_snapshot_xmin(pg_current_snapshot())::text)::bigint
        ORDER BY o.transaction_id, o.event_id
        LIMIT sqlc.arg(scan_limit)::int
    ) AS e
) AS s
WHERE s.passes OR s.last
ORDER BY s.transaction_id, s.event_id
LIMIT sqlc.arg(row_limit)::int;

-- name: OutboxListBySubject :many
-- OutboxListBySubject is OutboxList for one subject, which has few events.
SELECT o.transaction_id, o.event_id, o.type, o.subject_type, o.subject_id, o.sequence, o.occurred_at, o.data
FROM outbox_events o
WHERE o.tenant_id = $1
  AND o.subject_id = sqlc.arg(subject_id)::uuid
  AND (cardinality(sqlc.arg(types)::text[]) = 0 OR o.type LIKE ANY (sqlc.arg(types)::text[]))
  AND (o.transaction_id, o.event_id) > (sqlc.arg(after_transaction)::bigint, sqlc.arg(after_id)::uuid)
  AND o.transaction_id < (pg_snapshot_xmin(pg_current_snapshot())::text)::bigint
ORDER BY o.transaction_id, o.event_id
LIMIT sqlc.arg(row_limit)::int;

-- name: OutboxRelayLag :one
-- OutboxRelayLag reads how old, in seconds, the oldest event is that the relay hasn't passed; 0 if there is none.
SELECT coalesce((
    SELECT extract(epoch FROM clock_timestamp() - o.occurred_at)
    FROM outbox_positions p
    CROSS JOIN LATERAL (
        SELECT e.occurred_at
        FROM outbox_events e
        WHERE (e.transaction_id, e.event_id) > (p.transaction_id, p.event_id)
        ORDER BY e.transaction_id, e.event_id
        LIMIT 1
    ) AS o
    WHERE p.tenant_id = '00000000-0000-0000-0000-000000000000' AND p.reader = 'relay'), 0)::float8 AS seconds;

-- name: OutboxEnd :one
-- OutboxEnd reads the place before which no event can appear any more: each transaction below it has ended.
SELECT (pg_snapshot_xmin(pg_current_snapshot())::text)::bigint AS transaction_id;

-- name: OutboxDeleted :one
-- OutboxDeleted reads the last event that was deleted for its age, and the id of the cursors that are valid.
SELECT d.transaction_id, d.event_id, e.event_id AS epoch
FROM outbox_positions d
JOIN outbox_positions e ON e.tenant_id = d.tenant_id AND e.reader = 'epoch'
WHERE d.tenant_id = sqlc.arg(tenant_id) AND d.reader = 'deleted';

-- name: OutboxDeleteOld :many
-- OutboxDeleteOld deletes, in their order, the events of all tenants up to the last one that is older than keep and that the relay has
-- passed, of a bounded number of them. It returns how many, and whether an event that is older than keep was left because the
-- relay has yet to plan its deliveries. It remembers the last deleted event. There is no row while another instance deletes.
WITH deleted_before AS MATERIALIZED (
    SELECT p.transaction_id, p.event_id
    FROM outbox_positions p
    WHERE p.tenant_id = sqlc.arg(all_tenants)::uuid AND p.reader = 'deleted'
    FOR UPDATE SKIP LOCKED
), oldest AS MATERIALIZED (
    SELECT o.tenant_id, o.transaction_id, o.event_id, o.occurred_at < now() - sqlc.arg(keep)::interval AS old,
        (o.transaction_id, o.event_id) <= (r.transaction_id, r.event_id) AS relayed
    FROM deleted_before p
    JOIN outbox_positions r ON r.tenant_id = sqlc.arg(all_tenants) AND r.reader = 'relay'
    CROSS JOIN LATERAL (
        SELECT e.tenant_id, e.transaction_id, e.event_id, e.occurred_at
        FROM outbox_events e
        WHERE (e.transaction_id, e.event_id) > (p.transaction_id, p.event_id)
          AND e.transaction_id < (pg_snapshot_xmin(pg_current_snapshot())::text)::bigint
        ORDER BY e.transaction_id, e.event_id
        LIMIT sqlc.arg(row_limit)::int
    ) AS o
), last AS MATERIALIZED (
    SELECT o.transaction_id, o.event_id
    FROM oldest o
    WHERE o.old AND o.relayed
    ORDER BY o.transaction_id DESC, o.event_id DESC
    LIMIT 1
), deleted AS (
    DELETE FROM outbox_events e
    USING oldest o, last l
    WHERE e.tenant_id = o.tenant_id AND e.transaction_id = o.transaction_id AND e.event_id = o.event_id
      AND (o.transaction_id, o.event_id) <= (l.transaction_id, l.event_id)
    RETURNING e.event_id
), remembered AS (
    UPDATE outbox_positions p
    SET transaction_id = l.transaction_id, event_id = l.event_id, updated_at = clock_timestamp()
    FROM last l
    WHERE p.tenant_id = sqlc.arg(all_tenants) AND p.reader = 'deleted'
)
SELECT (SELECT count(*) FROM deleted)::bigint AS events,
    EXISTS (SELECT FROM oldest o WHERE o.old AND NOT o.relayed)::bool AS held_back
FROM deleted_before;

-- name: OutboxAhead :one
-- OutboxAhead tells by how many transaction ids the stored events are ahead of this cluster: none, unless they are of another
-- cluster, or a few for the places of customers' events.
SELECT (coalesce((SELECT o.transaction_id FROM outbox_events o ORDER BY o.transaction_id DESC LIMIT 1), 0)
    - (pg_snapshot_xmax(pg_current_snapshot())::text)::bigint + 1)::bigint AS ahead;

-- name: OutboxSpendTransactionID :exec
SELECT pg_current_xact_id();

-- name: OutboxLock :exec
-- OutboxLock keeps transactions from writing events until this one ends.
LOCK TABLE outbox_events IN EXCLUSIVE MODE;

-- name: OutboxLower :exec
-- OutboxLower lowers the transaction ids of all stored events by one number, which keeps their order.
UPDATE outbox_events
SET transaction_id = transaction_id - sqlc.arg(by)::bigint;

-- name: OutboxPositionLower :exec
-- OutboxPositionLower is OutboxLower for the positions of readers. The least number means that nothing was deleted yet.
UPDATE outbox_positions
SET transaction_id = transaction_id - sqlc.arg(by)::bigint
WHERE transaction_id <> -9223372036854775808;

-- name: OutboxEpochSet :exec
-- OutboxEpochSet ends the validity of all cursors.
UPDATE outbox_positions
SET event_id = gen_random_uuid(), updated_at = clock_timestamp()
WHERE tenant_id = sqlc.arg(tenant_id) AND reader = 'epoch';

-- name: OutboxCustomerReset :exec
-- OutboxCustomerReset forgets the places of the customers' last events.
UPDATE customers
SET event_transaction_id = 0
WHERE event_transaction_id <> 0;
