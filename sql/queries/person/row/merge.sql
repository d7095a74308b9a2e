-- What a merge of two customers writes.

-- name: MergeBookings :exec
UPDATE bookings
SET customer_id = sqlc.arg(into_id)::uuid, version = version + 1, updated_at = sqlc.arg(now)
WHERE tenant_id = $1 AND booking_id = ANY (sqlc.arg(booking_ids)::uuid[]);

-- name: MergeWallets :exec
-- MergeWallets moves wallets. One of a currency in which the other customer has a wallet is the second one.
UPDATE wallets w
SET customer_id = sqlc.arg(into_id)::uuid, merged = w.merged OR EXISTS (
    SELECT 1
    FROM wallets o
    WHERE o.tenant_id = $1 AND o.customer_id = sqlc.arg(into_id)::uuid AND o.currency = w.currency AND NOT o.merged)
WHERE w.tenant_id = $1 AND w.customer_id = sqlc.arg(from_id)::uuid;

-- name: MergeMerged :exec
-- MergeMerged has customers who were merged into one point to the one that it is merged into.
UPDATE customers
SET merged_into = sqlc.arg(into_id)::uuid
WHERE tenant_id = $1 AND merged_into = sqlc.arg(from_id)::uuid;
