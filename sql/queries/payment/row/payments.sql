-- name: BalanceBooking :one
-- BalanceBooking reads what a booking's money depends on. It runs after the balance lock was granted.
SELECT b.status, b.price, b.deposit, b.currency, b.hold_expires_at, b.starts_at, b.terms, b.cancellation_fee, b.cancellation_fee_set
FROM bookings b
WHERE b.tenant_id = $1 AND b.booking_id = $2;

-- name: BalanceSum :one
-- BalanceSum adds up a booking's money, in minor units: what was captured and returned, what is on its way back, and by how much what came
-- back or is on its way lowers what the booking owes, in all and of its cancellation fee. BookingGet, BookingList and
-- BookingGetByCode read the same.
SELECT
    coalesce(sum(amount) FILTER (WHERE kind <> 'refund' AND status = 'succeeded'), 0)::bigint AS paid,
    coalesce(sum(amount) FILTER (WHERE kind = 'refund' AND status = 'succeeded'), 0)::bigint AS refunded,
    coalesce(sum(amount) FILTER (WHERE kind = 'refund' AND status <> 'succeeded'), 0)::bigint AS returning,
    coalesce(sum(lowers_owed), 0)::bigint AS lowered,
    coalesce(sum(lowers_owed) FILTER (WHERE lowers_fee), 0)::bigint AS lowered_fee
FROM payments
WHERE tenant_id = $1 AND booking_id = $2 AND status <> 'declined';

-- name: PaymentRefunded :one
-- PaymentRefunded is how much of a payment was returned or is on its way back, in minor units.
SELECT coalesce(sum(amount), 0)::bigint AS refunded
FROM payments
WHERE tenant_id = $1 AND refund_of = $2 AND status <> 'declined';

-- name: PaymentGet :one
SELECT *
FROM payments
WHERE tenant_id = $1 AND payment_id = $2;

-- name: PaymentGetByKey :one
-- PaymentGetByKey finds the payment or refund that the request with an idempotency key began.
SELECT *
FROM payments
WHERE tenant_id = $1 AND booking_id = $2 AND idempotency_key = sqlc.arg(key)::text;

-- name: PaymentList :many
SELECT *
FROM payments
WHERE tenant_id = $1 AND booking_id = $2 AND payment_id > sqlc.arg(after_id)::uuid
ORDER BY payment_id
LIMIT sqlc.arg(row_limit)::int;

-- name: PaymentLease :many
-- PaymentLease leases a payment to a resolver if it is due and no process works on it. A process that dies gives it back by its lease.
UPDATE payments p
SET fence = p.fence + 1, polls = p.polls + 1, updated_at = statement_timestamp(),
    leased_until = statement_timestamp() + sqlc.arg(lease)::interval, resolve_at = statement_timestamp() + sqlc.arg(lease)::interval
WHERE p.tenant_id = sqlc.arg(tenant_id) AND p.payment_id = sqlc.arg(payment_id)
  AND p.resolve_at <= statement_timestamp() AND p.leased_until <= statement_timestamp()
RETURNING p.tenant_id, p.payment_id, p.booking_id, p.fence, p.updated_at AS leased_at;

-- name: PaymentRenew :exec
-- PaymentRenew prolongs the lease of the process that works on a payment. One that another process has taken over, and one that is
-- complete, stays as it is.
UPDATE payments p
SET leased_until = statement_timestamp() + sqlc.arg(lease)::interval
WHERE p.tenant_id = sqlc.arg(tenant_id) AND p.payment_id = sqlc.arg(payment_id) AND p.fence = sqlc.arg(fence) AND p.resolve_at IS NOT NULL;

-- name: PaymentListNotDeclined :many
-- PaymentListNotDeclined lists a booking's payments and refunds of which money moved or may have, and the automatic refunds
-- that were declined.
SELECT *
FROM payments
WHERE tenant_id = $1 AND booking_id = $2 AND (status <> 'declined' OR automatic)
ORDER BY payment_id;

-- name: EndedBookingGet :one
-- EndedBookingGet locks the row: a hold that expired may be confirmed after all, and then keeps what was paid. Whichever transaction comes
-- first decides, because the confirmation deletes the row and holds no balance lock.
SELECT refund, created_at
FROM ended_bookings
WHERE tenant_id = $1 AND booking_id = $2
FOR UPDATE;

-- name: ProviderEventExists :one
SELECT EXISTS (
    SELECT 1 FROM provider_events WHERE tenant_id = $1 AND provider = $2 AND event_id = sqlc.arg(event_id)
) AS found;
