-- What is stored of a customer, for its export.

-- name: ExportPayments :many
SELECT p.payment_id, p.booking_id, p.kind, p.status, p.amount, p.currency, p.method, p.provider, p.provider_id, p.refund_of, p.wallet_id,
    p.automatic, p.created_at, p.updated_at
FROM bookings b
JOIN payments p ON p.tenant_id = b.tenant_id AND p.booking_id = b.booking_id
WHERE b.tenant_id = $1 AND b.customer_id = sqlc.arg(customer_id)::uuid
ORDER BY p.updated_at, p.payment_id
LIMIT sqlc.arg(row_limit)::int;

-- name: ExportWalletEntries :many
SELECT e.wallet_id, e.version, e.type, e.amount, e.balance, e.booking_id, e.payment_id, e.reason, e.reference, e.occurred_at
FROM wallets w
JOIN wallet_entries e ON e.tenant_id = w.tenant_id AND e.wallet_id = w.wallet_id
WHERE w.tenant_id = $1 AND w.customer_id = sqlc.arg(customer_id)::uuid
ORDER BY e.wallet_id, e.version
LIMIT sqlc.arg(row_limit)::int;

-- name: ExportEvents :many
SELECT s.event_id, s.kind, s.subject_type, s.subject_id, s.status, s.due_at
FROM scheduled_events s
WHERE s.tenant_id = $1 AND s.subject_id = ANY (ARRAY(
    SELECT sqlc.arg(customer_id)::uuid
    UNION ALL
    SELECT b.booking_id FROM bookings b WHERE b.tenant_id = $1 AND b.customer_id = sqlc.arg(customer_id)::uuid))
ORDER BY s.due_at, s.event_id
LIMIT sqlc.arg(row_limit)::int;

-- name: ExportHistory :many
-- ExportHistory lists the entries about a customer, about who was merged into it, and about its bookings.
SELECT h.subject_id, h.version, h.subject_type, h.action, h.api_key_id, h.request_id, h.occurred_at, h.before, h.after
FROM history h
WHERE h.tenant_id = $1 AND h.subject_id = ANY (ARRAY(
    SELECT sqlc.arg(customer_id)::uuid
    UNION ALL
    SELECT k.customer_id FROM customers k WHERE k.tenant_id = $1 AND k.merged_into = sqlc.arg(customer_id)::uuid
    UNION ALL
    SELECT b.booking_id FROM bookings b WHERE b.tenant_id = $1 AND b.customer_id = sqlc.arg(customer_id)::uuid))
ORDER BY h.occurred_at, h.subject_id, h.version
LIMIT sqlc.arg(row_limit)::int;
