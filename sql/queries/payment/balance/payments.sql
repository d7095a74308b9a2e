-- name: PaymentInsert :exec
-- PaymentInsert writes a payment or refund. Of a payment it keeps who pays: the booking's row is locked, so an erasure comes before or
-- after.
WITH b AS MATERIALIZED (
    SELECT b.tenant_id, b.booking_id, b.customer_id, b.contact
    FROM bookings b
    WHERE b.tenant_id = sqlc.arg(tenant_id) AND b.booking_id = sqlc.arg(booking_id)
)
INSERT INTO payments (tenant_id, payment_id, booking_id, refund_of, kind, status, amount, currency, method, provider,
    automatic, idempotency_key, fence, leased_until, resolve_at, cancel_at, first_sent_at, last_sent_at, created_at, updated_at,
    wallet_id, wallet_amount, wallet_held, customer_id, contact, lowers_owed, lowers_fee, return_url, account, application_fee, metadata)
SELECT b.tenant_id, sqlc.arg(payment_id), b.booking_id, sqlc.narg(refund_of), sqlc.arg(kind), sqlc.arg(status),
    sqlc.arg(amount), sqlc.arg(currency), sqlc.arg(method), sqlc.arg(provider), sqlc.arg(automatic),
    sqlc.narg(idempotency_key), 1, sqlc.arg(leased_until), sqlc.arg(leased_until), sqlc.narg(cancel_at), sqlc.arg(now),
    sqlc.arg(now), sqlc.arg(now), sqlc.arg(now), sqlc.narg(wallet_id), sqlc.narg(wallet_amount)::bigint,
    sqlc.narg(wallet_amount)::bigint IS NOT NULL,
    CASE WHEN sqlc.narg(refund_of)::uuid IS NULL THEN b.customer_id END, CASE WHEN sqlc.narg(refund_of)::uuid IS NULL THEN b.contact END,
    sqlc.arg(lowers_owed), sqlc.arg(lowers_fee), sqlc.narg(return_url), sqlc.narg(account), sqlc.arg(application_fee),
    sqlc.narg(metadata)::json
FROM b;

-- name: PaymentInsertSucceeded :exec
-- PaymentInsertSucceeded writes a payment from a wallet, whose entry is written in the same commit, or offline, or the refund of one. See
-- PaymentInsert.
WITH b AS MATERIALIZED (
    SELECT b.tenant_id, b.booking_id, b.customer_id, b.contact
    FROM bookings b
    WHERE b.tenant_id = sqlc.arg(tenant_id) AND b.booking_id = sqlc.arg(booking_id)
)
INSERT INTO payments (tenant_id, payment_id, booking_id, refund_of, kind, status, amount, currency, method, provider,
    automatic, idempotency_key, fence, leased_until, first_sent_at, last_sent_at, created_at, updated_at, wallet_id, card_payment_id,
    customer_id, contact, lowers_owed, lowers_fee, metadata, note, moved_at)
SELECT b.tenant_id, sqlc.arg(payment_id), b.booking_id, sqlc.narg(refund_of), sqlc.arg(kind), 'succeeded',
    sqlc.arg(amount), sqlc.arg(currency), sqlc.arg(method), sqlc.arg(provider), false, sqlc.narg(idempotency_key), 1, sqlc.arg(now), sqlc.arg(now),
    sqlc.arg(now), sqlc.arg(now), sqlc.arg(now), sqlc.narg(wallet_id), sqlc.narg(card_payment_id),
    CASE WHEN sqlc.narg(refund_of)::uuid IS NULL THEN b.customer_id END, CASE WHEN sqlc.narg(refund_of)::uuid IS NULL THEN b.contact END,
    sqlc.arg(lowers_owed), sqlc.arg(lowers_fee), sqlc.narg(metadata)::json, sqlc.narg(note), sqlc.narg(moved_at)
FROM b;

-- name: PaymentTake :exec
-- PaymentTake hands an open payment to whoever works on it next. It was read in the same transaction, under the
-- booking's balance lock. PaymentLease takes no such lock: if it came first, the fence is no longer the one that was read, and the table
-- refuses the null.
UPDATE payments
SET fence = CASE WHEN fence = sqlc.arg(read_fence)::bigint THEN sqlc.arg(fence)::bigint END, leased_until = sqlc.arg(leased_until),
    resolve_at = sqlc.arg(leased_until),
    first_sent_at = sqlc.arg(first_sent_at), last_sent_at = sqlc.arg(last_sent_at), updated_at = sqlc.arg(now)
WHERE tenant_id = $1 AND payment_id = $2;

-- name: PaymentSet :exec
-- PaymentSet writes what is known of a payment. It was read in the same transaction, under the booking's balance lock. The fence is checked
-- as in PaymentTake. A payment with an end has no return_url.
UPDATE payments
SET fence = CASE WHEN fence = sqlc.arg(fence)::bigint THEN fence END, status = sqlc.arg(status), provider_id = sqlc.narg(provider_id),
    decline_code = sqlc.narg(decline_code),
    try_again = sqlc.arg(try_again), action_url = sqlc.narg(action_url), client_secret = sqlc.narg(client_secret),
    leased_until = sqlc.arg(leased_until), resolve_at = sqlc.narg(resolve_at), updated_at = sqlc.arg(now),
    wallet_amount = sqlc.narg(wallet_amount), wallet_held = sqlc.arg(wallet_held),
    return_url = CASE WHEN sqlc.narg(resolve_at)::timestamptz IS NOT NULL THEN return_url END
WHERE tenant_id = $1 AND payment_id = $2;

-- name: PaymentComplete :exec
-- PaymentComplete says that the money of an open offline refund was handed back. It was read in the same transaction, under the booking's
-- balance lock. The fence is checked as in PaymentTake: a server of 0.1.0 may work on the refund.
UPDATE payments
SET fence = CASE WHEN fence = sqlc.arg(fence)::bigint THEN fence END, status = 'succeeded', resolve_at = NULL,
    leased_until = sqlc.arg(now)::timestamptz, updated_at = sqlc.arg(now)::timestamptz, method = sqlc.arg(method), note = sqlc.narg(note),
    moved_at = sqlc.narg(moved_at)
WHERE tenant_id = $1 AND payment_id = $2;

-- name: PaymentCancel :exec
-- PaymentCancel has an open payment of a booking, and no refund, cancelled from now on.
UPDATE payments
SET cancel_at = least(cancel_at, sqlc.arg(now)::timestamptz), resolve_at = sqlc.arg(now)::timestamptz,
    updated_at = sqlc.arg(now)::timestamptz
WHERE tenant_id = $1 AND payment_id = $2 AND booking_id = sqlc.arg(booking_id) AND refund_of IS NULL AND resolve_at IS NOT NULL;

-- name: PaymentDelete :exec
-- PaymentDelete deletes an attempt that did nothing, and will do nothing, with the event that would resolve it and the claim of its
-- request's key. It was read in the same transaction, under the booking's balance lock. An event that a worker has leased stays: it finds
-- no payment, and completes.
WITH p AS (
    DELETE FROM payments
    WHERE tenant_id = $1 AND payment_id = $2 AND resolve_at IS NOT NULL
    RETURNING tenant_id, payment_id, idempotency_key
), k AS (
    DELETE FROM idempotency_keys AS i
    USING p
    WHERE i.tenant_id = $1 AND i.key = p.idempotency_key AND i.status IS NULL
)
DELETE FROM scheduled_events AS e
USING p
WHERE e.tenant_id = $1 AND e.subject_id = p.payment_id AND e.kind = sqlc.arg(kind) AND e.status = 'pending'
  AND NOT EXISTS (SELECT 1 FROM event_attempts a WHERE a.tenant_id = e.tenant_id AND a.event_id = e.event_id);

-- name: ProviderEventInsert :exec
INSERT INTO provider_events (tenant_id, provider, event_id, payment_id, received_at)
VALUES ($1, $2, $3, $4, $5);

-- name: BookingRaiseVersion :exec
UPDATE bookings
SET version = version + 1
WHERE tenant_id = $1 AND booking_id = $2;
