-- What `holdfast reconcile` reads of payments, of every tenant and as the operator's role. It leaves out tenants that have moved to another
-- cell: their payments are read there.

-- name: ReconcileListByReference :many
-- ReconcileListByReference reads the payments that movements at a provider name.
SELECT p.tenant_id, p.payment_id, p.refund_of, p.kind, p.status, p.amount, p.currency, p.provider, p.provider_id, p.account
FROM (SELECT unnest(sqlc.arg(tenant_ids)::uuid[]) AS tenant_id, unnest(sqlc.arg(payment_ids)::uuid[]) AS payment_id) AS r
JOIN payments p ON p.tenant_id = r.tenant_id AND p.payment_id = r.payment_id
WHERE p.tenant_id <> ALL (ARRAY(SELECT m.tenant_id FROM tenant_moves m WHERE m.state = 'moved'));

-- name: ReconcileListTenants :many
-- ReconcileListTenants reads whose payments some ids are. It looks through all payments: it is for movements that name
-- payments which their tenants don't have.
SELECT p.tenant_id, p.payment_id
FROM payments p
WHERE p.payment_id = ANY (sqlc.arg(payment_ids)::uuid[])
  AND p.tenant_id <> ALL (ARRAY(SELECT m.tenant_id FROM tenant_moves m WHERE m.state = 'moved'));

-- name: ReconcileList :many
-- ReconcileList lists payments of a period by tenant and id, a page at a time: those that succeeded and were in the air in
-- it, and those that were begun before its end and are open. A refund comes with the provider's id of its charge. Stuck is
-- true for those that are open for longer than they may be, and than the grace besides; an offline refund may stay open. Kept is true for captured payments that
-- must be refunded, because their hold expired or an automatic refund was begun, and of which something is neither refunded nor on
-- its way back, although the grace is over: the booking owes its fee at most, as booking.State.Owed says.
SELECT p.tenant_id, p.payment_id, p.refund_of, p.kind, p.status, p.amount, p.currency, p.provider, p.provider_id, p.account,
    c.provider_id AS charge_id,
    (p.resolve_at IS NOT NULL AND p.provider <> 'offline' AND greatest(p.created_at + sqlc.arg(timeout)::interval, p.cancel_at) + sqlc.arg(grace)::interval
        <= clock_timestamp())::boolean AS stuck,
    (p.refund_of IS NULL AND p.status = 'succeeded'
        AND (b.status = 'expired' OR EXISTS (SELECT 1 FROM payments r
            WHERE r.tenant_id = p.tenant_id AND r.refund_of = p.payment_id AND r.automatic))
        AND p.amount > (SELECT coalesce(sum(r.amount), 0) FROM payments r
            WHERE r.tenant_id = p.tenant_id AND r.refund_of = p.payment_id AND r.status <> 'declined')
        AND (b.cancellation_fee = 0 OR (
            SELECT sum(CASE WHEN k.refund_of IS NOT NULL THEN - k.amount WHEN k.status = 'succeeded' THEN k.amount ELSE 0 END)
                > least(b.cancellation_fee, b.price - sum(k.lowers_owed) FILTER (WHERE NOT k.lowers_fee))
                    - coalesce(sum(k.lowers_owed) FILTER (WHERE k.lowers_fee), 0)
            FROM payments k
            WHERE k.tenant_id = p.tenant_id AND k.booking_id = p.booking_id AND k.status <> 'declined'))
        AND NOT EXISTS (SELECT 1 FROM ended_bookings e
            WHERE e.tenant_id = p.tenant_id AND e.booking_id = p.booking_id
              AND e.created_at + sqlc.arg(grace)::interval > clock_timestamp()))::boolean AS kept
FROM payments p
JOIN bookings b ON b.tenant_id = p.tenant_id AND b.booking_id = p.booking_id
LEFT JOIN payments c ON c.tenant_id = p.tenant_id AND c.payment_id = p.refund_of
WHERE (p.tenant_id, p.payment_id) > (sqlc.arg(after_tenant)::uuid, sqlc.arg(after_id)::uuid) AND p.tenant_id <= sqlc.arg(last_tenant)::uuid
  AND p.tenant_id <> ALL (ARRAY(SELECT m.tenant_id FROM tenant_moves m WHERE m.state = 'moved'))
  AND p.created_at < sqlc.arg(until)
  AND (p.resolve_at IS NOT NULL OR (p.status = 'succeeded' AND p.updated_at >= sqlc.arg(since)))
ORDER BY p.tenant_id, p.payment_id
LIMIT sqlc.arg(row_limit)::int;
