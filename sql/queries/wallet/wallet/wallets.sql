-- name: WalletInsert :exec
-- WalletInsert writes a wallet. 23503 says that the customer is missing. CustomerKeep comes before it.
INSERT INTO wallets (tenant_id, wallet_id, customer_id, currency, code_prefix, code_hash, balance, held, state, version, created_at,
    updated_at)
VALUES (sqlc.arg(tenant_id), sqlc.arg(wallet_id), sqlc.narg(customer_id), sqlc.arg(currency), sqlc.narg(code_prefix), sqlc.narg(code_hash),
    0, 0, sqlc.arg(state), 0, sqlc.arg(now), sqlc.arg(now));

-- name: WalletAppend :exec
-- WalletAppend adds an entry and changes the wallet's row with it. The row changes only at the version before; otherwise the entry's
-- balance is null, which the table refuses.
WITH changed AS (
    UPDATE wallets
    SET balance = balance + sqlc.arg(balance_change)::bigint, held = held + sqlc.arg(held_change)::bigint, state = sqlc.arg(state),
        version = version + 1, updated_at = sqlc.arg(now)::timestamptz
    WHERE tenant_id = sqlc.arg(tenant_id) AND wallet_id = sqlc.arg(wallet_id) AND version = sqlc.arg(version)::bigint - 1
    RETURNING wallet_id, balance, held
)
INSERT INTO wallet_entries (tenant_id, wallet_id, version, movement_id, type, amount, balance, held, hold_id, other_wallet_id, booking_id,
    payment_id, batches, reason, reference, occurred_at)
SELECT sqlc.arg(tenant_id), sqlc.arg(wallet_id), sqlc.arg(version)::bigint, sqlc.arg(movement_id)::uuid, sqlc.arg(type)::text,
    sqlc.arg(amount)::bigint, c.balance, c.held, sqlc.narg(hold_id)::uuid, sqlc.narg(other_wallet_id)::uuid, sqlc.narg(booking_id)::uuid,
    sqlc.narg(payment_id)::uuid, sqlc.narg(batches)::json, sqlc.narg(reason)::text, sqlc.narg(reference)::text, sqlc.arg(now)::timestamptz
FROM (VALUES (sqlc.arg(wallet_id)::uuid)) AS e (wallet_id)
LEFT JOIN changed c ON c.wallet_id = e.wallet_id;

-- name: WalletAppendTransfer :exec
-- WalletAppendTransfer is WalletAppend for both entries of a transfer. One statement costs less than two: each that writes to a table reads
-- the text of all its constraints anew.
WITH changed AS (
    UPDATE wallets
    SET balance = balance + CASE WHEN wallet_id = sqlc.arg(from_wallet)::uuid THEN -sqlc.arg(amount)::bigint
        ELSE sqlc.arg(amount)::bigint END,
        state = CASE WHEN wallet_id = sqlc.arg(from_wallet)::uuid THEN sqlc.arg(from_state)::json ELSE sqlc.arg(to_state)::json END,
        version = version + 1,
        updated_at = CASE WHEN wallet_id = sqlc.arg(from_wallet)::uuid THEN sqlc.arg(from_time)::timestamptz
        ELSE sqlc.arg(to_time)::timestamptz END
    WHERE tenant_id = sqlc.arg(tenant_id) AND wallet_id IN (sqlc.arg(from_wallet)::uuid, sqlc.arg(to_wallet)::uuid)
        AND (wallet_id = sqlc.arg(from_wallet)::uuid AND version = sqlc.arg(from_version)::bigint - 1
            OR wallet_id = sqlc.arg(to_wallet)::uuid AND version = sqlc.arg(to_version)::bigint - 1)
    RETURNING wallet_id, balance, held
)
INSERT INTO wallet_entries (tenant_id, wallet_id, version, movement_id, type, amount, balance, held, other_wallet_id, batches, reason,
    reference, occurred_at)
SELECT sqlc.arg(tenant_id), e.wallet_id, e.version, sqlc.arg(movement_id)::uuid, e.type, sqlc.arg(amount)::bigint, c.balance, c.held,
    e.other_wallet_id, e.batches, sqlc.narg(reason)::text, sqlc.narg(reference)::text, e.occurred_at
FROM (
    VALUES (sqlc.arg(from_wallet)::uuid, sqlc.arg(from_version)::bigint, 'transferred_out', sqlc.arg(to_wallet)::uuid, NULL::json,
            sqlc.arg(from_time)::timestamptz),
        (sqlc.arg(to_wallet)::uuid, sqlc.arg(to_version)::bigint, 'transferred_in', sqlc.arg(from_wallet)::uuid, sqlc.narg(batches)::json,
            sqlc.arg(to_time)::timestamptz)
) AS e (wallet_id, version, type, other_wallet_id, batches, occurred_at)
LEFT JOIN changed c ON c.wallet_id = e.wallet_id;

-- name: WalletPostingInsert :exec
INSERT INTO wallet_postings (tenant_id, movement_id, position, from_account, from_wallet, to_account, to_wallet, currency, amount,
    occurred_at)
VALUES (sqlc.arg(tenant_id), sqlc.arg(movement_id), sqlc.arg(position), sqlc.arg(from_account), sqlc.narg(from_wallet),
    sqlc.arg(to_account), sqlc.narg(to_wallet), sqlc.arg(currency), sqlc.arg(amount), sqlc.arg(now));

-- name: WalletSnapshotInsert :exec
INSERT INTO wallet_snapshots (tenant_id, wallet_id, version, balance, held, state, occurred_at)
VALUES (sqlc.arg(tenant_id), sqlc.arg(wallet_id), sqlc.arg(version), sqlc.arg(balance), sqlc.arg(held), sqlc.arg(state), sqlc.arg(now));

-- name: WalletSetCode :exec
-- WalletSetCode makes no entry, so the wallet's version and time stay as they are.
UPDATE wallets
SET code_prefix = sqlc.arg(code_prefix)::text, code_hash = sqlc.arg(code_hash)::bytea
WHERE tenant_id = $1 AND wallet_id = $2 AND customer_id IS NULL;

-- name: WalletRebuild :exec
-- WalletRebuild writes a wallet's projection anew.
UPDATE wallets
SET balance = sqlc.arg(balance), held = sqlc.arg(held), state = sqlc.arg(state), version = sqlc.arg(version),
    updated_at = sqlc.arg(updated_at)
WHERE tenant_id = $1 AND wallet_id = $2;
