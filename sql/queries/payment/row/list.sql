-- name: PaymentListOfTenant :many
-- PaymentListOfTenant lists payments and refunds by when they changed last, which is when they succeeded or were declined. It must be
-- planned for its values, with SessionPlanForPages, or with SessionPlanForValues for those of one booking, which are few and stand in no
-- such order in an index.
SELECT sqlc.embed(p), b.reference, b.external_reference, b.code
FROM payments p
CROSS JOIN LATERAL (
    SELECT k.reference, k.external_reference, k.code
    FROM bookings k
    WHERE k.tenant_id = p.tenant_id AND k.booking_id = p.booking_id
    OFFSET 0 -- a look-up for each row of the page
) AS b
WHERE p.tenant_id = $1
  AND p.updated_at < sqlc.arg(until)::timestamptz
  AND (p.updated_at, p.payment_id) > (sqlc.arg(after_at)::timestamptz, sqlc.arg(after_id)::uuid)
  AND (sqlc.narg(kind)::text IS NULL OR p.kind = sqlc.narg(kind))
  AND (sqlc.narg(status)::text IS NULL OR p.status = sqlc.narg(status))
  AND (sqlc.narg(booking_id)::uuid IS NULL OR p.booking_id = sqlc.narg(booking_id))
  AND (sqlc.narg(method)::text IS NULL OR p.provider = 'offline' AND p.method = sqlc.narg(method))
ORDER BY p.updated_at, p.payment_id
LIMIT sqlc.arg(row_limit)::int;

-- name: PaymentSumOffline :many
-- PaymentSumOffline adds up offline money by the day, counted from 0, method and currency. The days begin at starts, and end at until. A
-- sum that is greater than its type shows the greatest value.
SELECT (width_bucket(p.moved_at, sqlc.arg(starts)::timestamptz[]) - 1)::int AS day, p.method, p.currency,
    least(coalesce(sum(p.amount) FILTER (WHERE p.refund_of IS NULL), 0), 9223372036854775807)::bigint AS received,
    least(coalesce(sum(p.amount) FILTER (WHERE p.refund_of IS NOT NULL), 0), 9223372036854775807)::bigint AS refunded,
    count(*) AS payments
FROM payments p
WHERE p.tenant_id = $1 AND p.moved_at >= sqlc.arg(since)::timestamptz AND p.moved_at < sqlc.arg(until)::timestamptz
GROUP BY 1, 2, 3
ORDER BY 1, 2, 3;

-- name: PaymentListAcross :many
-- PaymentListAcross lists payments and refunds of all tenants by when they were made, a page at a time. The payments made in [after_at,
-- until) count, and of those at after_at the ones that follow after_id.
SELECT tenant_id, payment_id, booking_id, refund_of, kind, status, amount, currency, provider, provider_id, account, automatic,
    created_at, updated_at
FROM payments
WHERE (created_at, payment_id) > (sqlc.arg(after_at)::timestamptz, sqlc.arg(after_id)::uuid)
  AND created_at < sqlc.arg(until)::timestamptz
  AND (sqlc.narg(tenant)::uuid IS NULL OR tenant_id = sqlc.narg(tenant)::uuid)
  AND (sqlc.narg(status)::text IS NULL OR status = sqlc.narg(status)::text)
  AND (sqlc.narg(provider_id)::text IS NULL OR provider_id = sqlc.narg(provider_id)::text)
ORDER BY created_at, payment_id
LIMIT sqlc.arg(row_limit)::int;
