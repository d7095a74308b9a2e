-- What `holdfast reconcile` reads of payments, of every tenant and as the operator's role.

-- name: ReconcileListByReference :many
-- ReconcileListByReference reads the payments that movements at a provider name.
SELECT p.tenant_id, p.payment_id, p.refund_of, p.kind, p.status, p.amount, p.currency, p.provider, p.provider_id
FROM (SELECT unnest(sqlc.arg(tenant_ids)::uuid[]) AS tenant_id, unnest(sqlc.arg(payment_ids)::uuid[]) AS payment_id) AS r
JOIN payments p ON p.tenant_id = r.tenant_id AND p.payment_id = r.payment_id;

-- name: ReconcileListTenants :many
-- ReconcileListTenants reads whose payments some ids are. It looks through all payments: it is for movements that name
-- payments which their tenants don't have.
SELECT p.tenant_id, p.payment_id
FROM payments p
WHERE p.payment_id = ANY (sqlc.arg(payment_ids)::uuid[]);

-- name: ReconcileList :many
-- ReconcileList lists payments of a period by tenant and id, a page at a time: those that succeeded and were in the air in
-- it, and those that were begun before its end and are open. A refund comes with the provider's id of its charge. Stuck is
-- true for those that are open for longer than they may be, and than the grace besides.
SELECT p.tenant_id, p.payment_id, p.refund_of, p.kind, p.status, p.amount, p.currency, p.provider, p.provider_id,
    c.provider_id AS charge_id,
    (p.resolve_at IS NOT NULL AND greatest(p.created_at + sqlc.arg(timeout)::interval, p.cancel_at) + sqlc.arg(grace)::interval
        <= clock_timestamp())::boolean AS stuck
FROM payments p
LEFT JOIN payments c ON c.tenant_id = p.tenant_id AND c.payment_id = p.refund_of
WHERE (p.tenant_id, p.payment_id) > (sqlc.arg(after_tenant)::uuid, sqlc.arg(after_id)::uuid)
  AND p.created_at < sqlc.arg(until)
  AND (p.resolve_at IS NOT NULL OR (p.status = 'succeeded' AND p.updated_at >= sqlc.arg(since)))
ORDER BY p.tenant_id, p.payment_id
LIMIT sqlc.arg(row_limit)::int;
