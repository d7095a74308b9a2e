-- name: ReceiptGet :one
-- ReceiptGet reads what the receipt of a payment says. It names who paid, as it was then. Without a contact it names the customer as it is
-- known: one who was erased. The wallet's amount is what a wallet paid beside a payment by card.
SELECT p.payment_id, p.booking_id, p.refund_of, p.status, p.amount, p.currency, p.provider, p.method, p.moved_at, p.updated_at,
    t.name AS tenant_name,
    coalesce(p.contact ->> 'name', c.name, '')::text AS customer_name, coalesce(p.contact ->> 'email', c.email, '')::text AS customer_email,
    s.name AS service_name, b.date, b.time_zone, w.amount AS wallet_amount
FROM payments p
JOIN tenants t ON t.tenant_id = p.tenant_id
JOIN bookings b ON b.tenant_id = p.tenant_id AND b.booking_id = p.booking_id
JOIN services s ON s.tenant_id = b.tenant_id AND s.service_id = b.service_id
LEFT JOIN customers c ON c.tenant_id = p.tenant_id AND c.customer_id = p.customer_id
LEFT JOIN payments w ON w.tenant_id = p.tenant_id AND w.booking_id = p.booking_id AND w.card_payment_id = p.payment_id
WHERE p.tenant_id = $1 AND p.payment_id = $2;

-- name: ReceiptListRefunds :many
-- ReceiptListRefunds lists what was returned of a payment, in the order in which it was asked for.
SELECT payment_id, amount, provider, method, moved_at, updated_at
FROM payments
WHERE tenant_id = $1 AND refund_of = sqlc.arg(refund_of)::uuid AND status = 'succeeded'
ORDER BY payment_id;
