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

-- name: PaymentGetOpen :one
-- PaymentGetOpen finds the one open payment or refund of a booking, automatic refunds aside.
SELECT payment_id, refund_of, idempotency_key, leased_until
FROM payments
WHERE tenant_id = $1 AND booking_id = $2 AND status IN ('started', 'unknown', 'processing') AND NOT automatic;

-- name: PaymentList :many
SELECT *
FROM payments
WHERE tenant_id = $1 AND booking_id = $2 AND payment_id > sqlc.arg(after_id)::uuid
ORDER BY payment_id
LIMIT sqlc.arg(row_limit)::int;

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

-- name: PaymentSetPayer :exec
-- PaymentSetPayer says who paid before the customer of a hold was known: the customer that the hold has now.
UPDATE payments p
SET customer_id = b.customer_id, contact = b.contact
FROM bookings b
WHERE p.tenant_id = $1 AND p.booking_id = $2 AND p.refund_of IS NULL AND p.customer_id IS NULL
  AND b.tenant_id = p.tenant_id AND b.booking_id = p.booking_id;

-- name: PaymentTake :exec
-- PaymentTake hands an open payment to whoever works on it next. It was read in the same transaction, under the
-- booking's balance lock. PaymentClaim takes no such lock: if it came first, the fence is no longer the one that was read, and the table
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
-- request's key. It was read in the same transaction, under the booking's balance lock. An event that a worker has claimed stays: it finds
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

-- name: PaymentClaim :many
-- PaymentClaim hands a payment to a resolver if it is due and no process works on it. A process that dies gives it back by its lease.
UPDATE payments p
SET fence = p.fence + 1, polls = p.polls + 1, updated_at = statement_timestamp(),
    leased_until = statement_timestamp() + sqlc.arg(lease)::interval, resolve_at = statement_timestamp() + sqlc.arg(lease)::interval
WHERE p.tenant_id = sqlc.arg(tenant_id) AND p.payment_id = sqlc.arg(payment_id)
  AND p.resolve_at <= statement_timestamp() AND p.leased_until <= statement_timestamp()
RETURNING p.tenant_id, p.payment_id, p.booking_id, p.fence, p.updated_at AS claimed_at;

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

-- name: EndedBookingDelete :exec
DELETE FROM ended_bookings
WHERE tenant_id = $1 AND booking_id = $2;

-- name: ProviderEventExists :one
SELECT EXISTS (
    SELECT 1 FROM provider_events WHERE tenant_id = $1 AND provider = $2 AND event_id = sqlc.arg(event_id)
) AS found;

-- name: ProviderEventInsert :exec
INSERT INTO provider_events (tenant_id, provider, event_id, payment_id, received_at)
VALUES ($1, $2, $3, $4, $5);

-- name: EndedBookingInsert :exec
-- EndedBookingInsert has the payments of a booking ended, by the event that EndedBookingPlan plans. With only_if_paid it does so if there
-- is a payment that wasn't declined. A payment that is begun later, and so isn't seen here, is refunded when it is recorded.
WITH chosen AS MATERIALIZED (
    SELECT sqlc.arg(tenant_id)::uuid AS tenant_id, sqlc.arg(booking_id)::uuid AS booking_id
    WHERE NOT sqlc.arg(only_if_paid)::bool OR EXISTS (
        SELECT 1 FROM payments p
        WHERE p.tenant_id = sqlc.arg(tenant_id) AND p.booking_id = sqlc.arg(booking_id) AND p.status <> 'declined')
)
INSERT INTO ended_bookings (tenant_id, booking_id, refund, created_at)
SELECT c.tenant_id, c.booking_id, sqlc.arg(refund)::bool, statement_timestamp()
FROM chosen c;

-- name: EndedBookingPlan :exec
-- EndedBookingPlan plans what EndedBookingInsert has inserted, and nothing if it has inserted nothing. A hold that expired and was
-- confirmed after all may have ended before: its event is used again.
WITH ended AS MATERIALIZED (
    SELECT b.tenant_id, b.booking_id
    FROM ended_bookings b
    WHERE b.tenant_id = sqlc.arg(tenant_id) AND b.booking_id = sqlc.arg(booking_id)
)
INSERT INTO scheduled_events (tenant_id, event_id, kind, subject_type, subject_id, occurrence, status, due_at, time_zone, attempts,
    version, data, created_at, updated_at)
SELECT e.tenant_id, sqlc.arg(event_id)::uuid, sqlc.arg(kind)::text, 'booking', e.booking_id, '', 'pending', statement_timestamp(), 'UTC', 0,
    1, '{}', statement_timestamp(), statement_timestamp()
FROM ended e
ON CONFLICT (tenant_id, subject_id, kind, occurrence) DO UPDATE
SET status = 'pending', due_at = excluded.due_at, attempts = 0, version = scheduled_events.version + 1, lease = NULL, leased_until = NULL,
    last_error = NULL, updated_at = excluded.updated_at;
