-- name: WalletGet :one
SELECT *
FROM wallets
WHERE tenant_id = $1 AND wallet_id = $2;

-- name: WalletListByID :many
-- WalletListByID reads wallets of which the locks are held.
SELECT *
FROM wallets
WHERE tenant_id = $1 AND wallet_id = ANY (sqlc.arg(wallet_ids)::uuid[]);

-- name: WalletGetByPrefix :one
SELECT *
FROM wallets
WHERE tenant_id = $1 AND code_prefix = sqlc.arg(code_prefix)::text;

-- name: WalletList :many
SELECT *
FROM wallets
WHERE tenant_id = $1 AND wallet_id > sqlc.arg(after)
ORDER BY wallet_id
LIMIT sqlc.arg(row_limit)::int;

-- name: WalletListOfCustomer :many
SELECT *
FROM wallets
WHERE tenant_id = $1 AND customer_id = sqlc.arg(customer_id)::uuid AND wallet_id > sqlc.arg(after)
ORDER BY wallet_id
LIMIT sqlc.arg(row_limit)::int;

-- name: WalletSnapshotBefore :one
-- WalletSnapshotBefore finds the last snapshot of a wallet at or before a version.
SELECT *
FROM wallet_snapshots
WHERE tenant_id = $1 AND wallet_id = $2 AND version <= sqlc.arg(version)
ORDER BY version DESC
LIMIT 1;

-- name: WalletVersionAt :one
-- WalletVersionAt is the version that a wallet had at a time. Times never fall from one entry of a wallet to the next.
SELECT version
FROM wallet_entries
WHERE tenant_id = $1 AND wallet_id = $2 AND occurred_at <= sqlc.arg(at)::timestamptz
ORDER BY occurred_at DESC, version DESC
LIMIT 1;

-- name: WalletEntryList :many
SELECT *
FROM wallet_entries
WHERE tenant_id = $1 AND wallet_id = $2 AND version > sqlc.arg(after) AND version <= sqlc.arg(until)
ORDER BY version
LIMIT sqlc.arg(row_limit)::int;

-- name: WalletEntryOfHold :one
-- WalletEntryOfHold finds the entry that ended a hold.
SELECT *
FROM wallet_entries
WHERE tenant_id = $1 AND wallet_id = $2 AND hold_id = sqlc.arg(hold_id)::uuid AND type IN ('captured', 'released');
