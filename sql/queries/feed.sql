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

-- name: FeedPositionLock :exec
-- FeedPositionLock keeps the relay, and others who mend the feed, waiting until this transaction ends.
SELECT p.reader FROM feed_positions p
WHERE p.tenant_id = '00000000-0000-0000-0000-000000000000' AND p.reader = 'relay'
FOR UPDATE;

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
-- FeedEpochSet ends the validity of all cursors: those of all tenants, and those of tenants that have moved here.
UPDATE feed_positions p
SET change_id = md5(sqlc.arg(epoch)::uuid::text || p.tenant_id::text)::uuid, updated_at = statement_timestamp()
WHERE p.reader = 'epoch';

-- name: FeedCustomerReset :exec
-- FeedCustomerReset forgets the positions of the customers' last changes.
UPDATE customers
SET event_transaction_id = 0
WHERE event_transaction_id <> 0;
