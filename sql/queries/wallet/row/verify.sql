-- What `holdfast wallets verify` and `rebuild` read and write, tenant by tenant. Each statement has one snapshot, so that it can be run
-- beside servers.

-- name: WalletVerifyList :many
-- WalletVerifyList lists wallets by id with the version of their last entry, 0 without any.
SELECT w.*,
    coalesce((SELECT max(e.version) FROM wallet_entries e WHERE e.tenant_id = w.tenant_id
    AND e.wallet_id = w.wallet_id), 0)::bigint AS last_entry
FROM wallets w
WHERE w.tenant_id = $1 AND w.wallet_id > sqlc.arg(after) AND (sqlc.narg(wallet)::uuid IS NULL OR w.wallet_id = sqlc.narg(wallet)::uuid)
ORDER BY w.wallet_id
LIMIT sqlc.arg(row_limit)::int;

-- name: WalletSnapshotList :many
SELECT *
FROM wallet_snapshots
WHERE tenant_id = $1 AND wallet_id = $2 AND version > sqlc.arg(after) AND version <= sqlc.arg(until)
ORDER BY version
LIMIT sqlc.arg(row_limit)::int;

-- name: WalletOrphanList :many
-- WalletOrphanList finds wallets that have entries and no row.
SELECT DISTINCT e.wallet_id
FROM wallet_entries e
WHERE e.tenant_id = $1 AND NOT EXISTS (SELECT FROM wallets w WHERE w.tenant_id = e.tenant_id AND w.wallet_id = e.wallet_id)
LIMIT sqlc.arg(row_limit)::int;

-- name: WalletPostingMismatches :many
-- WalletPostingMismatches compares what postings gave to each wallet with the wallet's row. It reads all of a tenant's postings.
WITH sides AS (
    SELECT to_wallet AS wallet_id, to_account AS account, currency, amount
    FROM wallet_postings AS t
    WHERE t.tenant_id = $1 AND to_wallet IS NOT NULL
    UNION ALL
    SELECT from_wallet, from_account, currency, -amount
    FROM wallet_postings AS f
    WHERE f.tenant_id = $1 AND from_wallet IS NOT NULL
), posted AS (
    SELECT wallet_id, currency, coalesce(sum(amount) FILTER (WHERE account = 'available'), 0) AS available,
        coalesce(sum(amount) FILTER (WHERE account = 'held'), 0) AS held
    FROM sides
    GROUP BY wallet_id, currency
), own AS (
    SELECT wallet_id, currency, available, held
    FROM wallets AS w
    WHERE w.tenant_id = $1
)
SELECT coalesce(o.wallet_id, p.wallet_id)::uuid AS wallet_id, coalesce(o.currency, p.currency)::text AS currency,
    coalesce(o.available, 0)::text AS available, coalesce(o.held, 0)::text AS held,
    coalesce(p.available, 0)::text AS posted_available, coalesce(p.held, 0)::text AS posted_held
FROM own o
FULL JOIN posted p ON p.wallet_id = o.wallet_id AND p.currency = o.currency
WHERE coalesce(o.available, 0) <> coalesce(p.available, 0) OR coalesce(o.held, 0) <> coalesce(p.held, 0)
ORDER BY 1, 2
LIMIT sqlc.arg(row_limit)::int;

-- name: WalletSums :many
-- WalletSums finds currencies in which the wallets and the tenant's own accounts don't add up to zero.
WITH sums AS (
    SELECT currency, sum(balance) AS amount FROM wallets AS w WHERE w.tenant_id = $1 GROUP BY currency
    UNION ALL
    SELECT currency, sum(CASE WHEN to_wallet IS NULL THEN amount ELSE 0 END - CASE WHEN from_wallet IS NULL THEN amount ELSE 0 END)
    FROM wallet_postings AS p
    WHERE p.tenant_id = $1
    GROUP BY currency
)
SELECT currency, sum(amount)::text AS difference
FROM sums
GROUP BY currency
HAVING sum(amount) <> 0
ORDER BY currency
LIMIT sqlc.arg(row_limit)::int;

-- name: WalletPaymentMismatches :many
-- WalletPaymentMismatches compares the payments and refunds that succeeded and were made with a wallet with the wallets' entries. It reads
-- all of a tenant's entries.
WITH made AS (
    SELECT payment_id, CASE WHEN refund_of IS NULL THEN 'paid' ELSE 'refunded' END AS type, amount, booking_id, wallet_id
    FROM payments AS p
    WHERE p.tenant_id = $1 AND provider = 'wallet' AND status = 'succeeded'
), entered AS (
    -- What a payment held and captured, it paid. Other captures have no payment.
    SELECT payment_id, CASE type WHEN 'captured' THEN 'paid' ELSE type END AS type, sum(amount) AS amount, count(*) AS entries,
        min(booking_id::text)::uuid AS booking_id, min(wallet_id::text)::uuid AS wallet_id
    FROM wallet_entries AS w
    WHERE w.tenant_id = $1 AND (type IN ('paid', 'refunded') OR type = 'captured' AND payment_id IS NOT NULL)
    GROUP BY 1, 2
)
SELECT coalesce(m.payment_id::text, e.payment_id::text, '')::text AS payment_id, coalesce(m.type, e.type)::text AS type,
    coalesce(m.amount, 0)::bigint AS amount,
    coalesce(e.amount, 0)::text AS entered, coalesce(e.entries, 0)::bigint AS entries, coalesce(e.wallet_id::text, '')::text AS wallet_id
FROM made m
FULL JOIN entered e ON e.payment_id = m.payment_id AND e.type = m.type
WHERE m.payment_id IS NULL OR e.payment_id IS NULL OR e.entries <> 1 OR e.amount <> m.amount OR e.booking_id IS DISTINCT FROM m.booking_id
    OR e.wallet_id IS DISTINCT FROM m.wallet_id
ORDER BY 1, 2
LIMIT sqlc.arg(row_limit)::int;

-- name: WalletHoldMismatches :many
-- WalletHoldMismatches compares the open holds of payments with the open payments that hold an amount. A hold of a payment has the
-- payment's id.
WITH holds AS (
    SELECT w.wallet_id, (h.value ->> 'id')::uuid AS hold_id, (h.value ->> 'amount')::bigint AS amount
    FROM wallets w
    CROSS JOIN LATERAL json_array_elements(w.state -> 'holds') AS h
    WHERE w.tenant_id = $1 AND (h.value ->> 'payment')::boolean
), paying AS (
    SELECT p.wallet_id, p.payment_id, p.wallet_amount
    FROM payments p
    WHERE p.tenant_id = $1 AND p.wallet_held
)
SELECT coalesce(h.wallet_id, p.wallet_id)::uuid AS wallet_id, coalesce(h.hold_id, p.payment_id)::uuid AS hold_id
FROM holds h
FULL JOIN paying p ON p.payment_id = h.hold_id AND p.wallet_id = h.wallet_id AND p.wallet_amount = h.amount
WHERE h.hold_id IS NULL OR p.payment_id IS NULL
ORDER BY 1, 2
LIMIT sqlc.arg(row_limit)::int;
