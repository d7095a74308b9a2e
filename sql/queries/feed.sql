-- name: FeedList :many
-- FeedList reads a tenant's changes and notices in the order in which readers see them: only of transactions below the oldest running one.
-- What commits later comes later. It looks through a bounded number of them and returns those that pass the filter, with
-- the last that it looked at. types are patterns of LIKE; an empty list passes all.
SELECT s.*
FROM (
    SELECT e.*,
        (cardinality(sqlc.arg(types)::text[]) = 0 OR e.type LIKE ANY (sqlc.arg(types)::text[]))::bool AS passes,
        (row_number() OVER (ORDER BY e.transaction_id, e.change_id) = sqlc.arg(scan_limit)::int)::bool AS last
    FROM (
        SELECT c.*
        FROM changes c
        WHERE c.tenant_id = $1
          AND (c.transaction_id, c.change_id) > (sqlc.arg(after_transaction)::bigint, sqlc.arg(after_id)::uuid)
          AND c.transaction_id < (pg_snapshot_xmin(pg_current_snapshot())::text)::bigint
        ORDER BY c.transaction_id, c.change_id
        LIMIT sqlc.arg(scan_limit)::int
    ) AS e
) AS s
WHERE s.passes OR s.last
ORDER BY s.transaction_id, s.change_id
LIMIT sqlc.arg(row_limit)::int;

-- name: FeedListBySubject :many
-- FeedListBySubject is FeedList for one subject.
SELECT c.*, true::bool AS passes, false::bool AS last
FROM changes c
WHERE c.tenant_id = $1
  AND c.subject_id = sqlc.arg(subject_id)::uuid
  AND (cardinality(sqlc.arg(types)::text[]) = 0 OR c.type LIKE ANY (sqlc.arg(types)::text[]))
  AND (c.transaction_id, c.change_id) > (sqlc.arg(after_transaction)::bigint, sqlc.arg(after_id)::uuid)
  AND c.transaction_id < (pg_snapshot_xmin(pg_current_snapshot())::text)::bigint
ORDER BY c.transaction_id, c.change_id
LIMIT sqlc.arg(row_limit)::int;

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

-- name: FeedEnd :one
-- FeedEnd reads the position before which no change can appear any more: each transaction below it has ended.
SELECT (pg_snapshot_xmin(pg_current_snapshot())::text)::bigint AS transaction_id;

-- name: FeedDeleted :one
-- FeedDeleted reads the last change that was deleted for its age, and the id of the cursors that are valid.
SELECT d.transaction_id, d.change_id, e.change_id AS epoch
FROM feed_positions d
JOIN feed_positions e ON e.tenant_id = d.tenant_id AND e.reader = 'epoch'
WHERE d.tenant_id = sqlc.arg(tenant_id) AND d.reader = 'deleted';

-- name: ChangeDeleteOld :many
-- ChangeDeleteOld deletes, in their order, the changes of all tenants up to the last one that is older than keep and that the relay has
-- passed, of a bounded number of them. It returns how many, and whether a change that is older than keep was left because the
-- relay has yet to plan its deliveries. It remembers the last deleted change. There is no row while another instance deletes.
WITH deleted_before AS MATERIALIZED (
    SELECT p.transaction_id, p.change_id
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

-- name: ChangeAhead :one
-- ChangeAhead tells by how many transaction ids the stored changes are ahead of this cluster: none, unless they are of another
-- cluster, or a few for the positions of customers' changes.
SELECT (coalesce((SELECT c.transaction_id FROM changes c ORDER BY c.transaction_id DESC LIMIT 1), 0)
    - (pg_snapshot_xmax(pg_current_snapshot())::text)::bigint + 1)::bigint AS ahead;

-- name: FeedSpendTransactionID :exec
SELECT pg_current_xact_id();

-- name: ChangeLock :exec
-- ChangeLock keeps transactions from writing changes until this one ends.
LOCK TABLE changes IN EXCLUSIVE MODE;

-- name: ChangeLower :exec
-- ChangeLower lowers the transaction ids of all stored changes by one number, which keeps their order.
UPDATE changes
SET transaction_id = transaction_id - sqlc.arg(by)::bigint;

-- name: FeedPositionLower :exec
-- FeedPositionLower is ChangeLower for the positions of readers. The least number means that nothing was deleted yet.
UPDATE feed_positions
SET transaction_id = transaction_id - sqlc.arg(by)::bigint
WHERE transaction_id <> -9223372036854775808;

-- name: FeedEpochSet :exec
-- FeedEpochSet ends the validity of all cursors.
UPDATE feed_positions
SET change_id = sqlc.arg(epoch)::uuid, updated_at = statement_timestamp()
WHERE tenant_id = sqlc.arg(tenant_id) AND reader = 'epoch';

-- name: FeedCustomerReset :exec
-- FeedCustomerReset forgets the positions of the customers' last changes.
UPDATE customers
SET event_transaction_id = 0
WHERE event_transaction_id <> 0;
