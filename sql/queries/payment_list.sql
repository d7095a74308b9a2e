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
ORDER BY p.updated_at, p.payment_id
LIMIT sqlc.arg(row_limit)::int;
