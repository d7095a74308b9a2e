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

-- name: FeedListAcross :many
-- FeedListAcross is FeedList for the changes and notices of all tenants.
SELECT s.*
FROM (
    SELECT e.*,
        (cardinality(sqlc.arg(types)::text[]) = 0 OR e.type LIKE ANY (sqlc.arg(types)::text[]))::bool AS passes,
        (row_number() OVER (ORDER BY e.transaction_id, e.change_id) = sqlc.arg(scan_limit)::int)::bool AS last
    FROM (
        SELECT c.*
        FROM changes c
        WHERE (c.transaction_id, c.change_id) > (sqlc.arg(after_transaction)::bigint, sqlc.arg(after_id)::uuid)
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

-- name: FeedEnd :one
-- FeedEnd reads the position before which no change can appear any more: each transaction below it has ended.
SELECT (pg_snapshot_xmin(pg_current_snapshot())::text)::bigint AS transaction_id;

-- name: FeedDeleted :one
-- FeedDeleted reads the last change that was deleted for its age, and the id of the cursors that are valid. Of a tenant that has moved to
-- this database, these are its own, until changes are deleted that are newer than its arrival.
SELECT (CASE WHEN d.transaction_id < oe.transaction_id THEN od.transaction_id ELSE d.transaction_id END)::bigint AS transaction_id,
    (CASE WHEN d.transaction_id < oe.transaction_id THEN od.change_id ELSE d.change_id END)::uuid AS change_id,
    coalesce(oe.change_id, e.change_id)::uuid AS epoch
FROM feed_positions d
JOIN feed_positions e ON e.tenant_id = d.tenant_id AND e.reader = 'epoch'
LEFT JOIN feed_positions oe ON oe.tenant_id = sqlc.arg(tenant_id) AND oe.reader = 'epoch'
LEFT JOIN feed_positions od ON od.tenant_id = sqlc.arg(tenant_id) AND od.reader = 'deleted'
WHERE d.tenant_id = '00000000-0000-0000-0000-000000000000' AND d.reader = 'deleted';
