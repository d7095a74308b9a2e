-- name: CustomerGet :one
SELECT tenant_id, customer_id, email, name, phone, time_zone, birthday, created_at, version, unsubscribed_at, event_transaction_id, erased_at
FROM customers
WHERE tenant_id = $1 AND customer_id = $2;

-- name: CustomerLock :exec
-- CustomerLock keeps others from changing a customer, and from booking for it, until the transaction ends.
SELECT customer_id
FROM customers
WHERE tenant_id = $1 AND customer_id = $2
FOR UPDATE;

-- name: CustomerPage :many
SELECT tenant_id, customer_id, email, name, phone, time_zone, birthday, created_at, version, unsubscribed_at, event_transaction_id, erased_at
FROM customers
WHERE tenant_id = $1 AND customer_id > sqlc.arg(after)::uuid
ORDER BY customer_id
LIMIT sqlc.arg(row_limit)::int;

-- name: CustomerSearch :many
-- CustomerSearch lists the customers of whom the name, email or phone begins with one of some texts, by id. Texts are compared as bytes: a
-- text begins with low[i] if it is in [low[i], high[i]). Each look-up reads one index from a place to another. scan_limit bounds what is
-- read of each.
SELECT k.tenant_id, k.customer_id, k.email, k.name, k.phone, k.time_zone, k.birthday, k.created_at, k.version, k.unsubscribed_at,
    k.event_transaction_id, k.erased_at
FROM (
    SELECT n.customer_id
    FROM (SELECT unnest(sqlc.arg(low)::text[])::text AS low, unnest(sqlc.arg(high)::text[])::text AS high) AS r
    CROSS JOIN LATERAL (
        SELECT c.customer_id
        FROM customers c
        WHERE c.tenant_id = $1 AND c.name COLLATE "C" >= r.low AND c.name COLLATE "C" < r.high
        ORDER BY c.name COLLATE "C"
        LIMIT sqlc.arg(scan_limit)::int
    ) AS n
    UNION
    SELECT e.customer_id
    FROM (SELECT unnest(sqlc.arg(low)::text[])::text AS low, unnest(sqlc.arg(high)::text[])::text AS high) AS r
    CROSS JOIN LATERAL (
        SELECT c.customer_id
        FROM customers c
        WHERE c.tenant_id = $1 AND c.email COLLATE "C" >= r.low AND c.email COLLATE "C" < r.high
        ORDER BY c.email COLLATE "C"
        LIMIT sqlc.arg(scan_limit)::int
    ) AS e
    UNION
    SELECT p.customer_id
    FROM (SELECT unnest(sqlc.arg(low)::text[])::text AS low, unnest(sqlc.arg(high)::text[])::text AS high) AS r
    CROSS JOIN LATERAL (
        SELECT c.customer_id
        FROM customers c
        WHERE c.tenant_id = $1 AND c.phone IS NOT NULL AND c.phone COLLATE "C" >= r.low AND c.phone COLLATE "C" < r.high
        ORDER BY c.phone COLLATE "C"
        LIMIT sqlc.arg(scan_limit)::int
    ) AS p
) AS found
-- LIMIT keeps the planner from reading all customers to join a few.
CROSS JOIN LATERAL (
    SELECT c.tenant_id, c.customer_id, c.email, c.name, c.phone, c.time_zone, c.birthday, c.created_at, c.version, c.unsubscribed_at,
        c.event_transaction_id, c.erased_at
    FROM customers c
    WHERE c.tenant_id = $1 AND c.customer_id = found.customer_id
    LIMIT 1
) AS k
WHERE found.customer_id > sqlc.arg(after)::uuid AND k.erased_at IS NULL
ORDER BY found.customer_id
LIMIT sqlc.arg(row_limit)::int;

-- name: CustomerSet :exec
-- CustomerSet writes the customer that was read with its lock, and the event of the outbox that tells of it. The event gets a place after the
-- customer's last event, as in CustomerUpdate.
WITH c AS (
    UPDATE customers k
    SET email = sqlc.arg(email), name = sqlc.arg(name), phone = sqlc.narg(phone), time_zone = sqlc.narg(time_zone),
        birthday = sqlc.narg(birthday), erased_at = sqlc.narg(erased_at), version = sqlc.arg(version),
        event_transaction_id = greatest((pg_current_xact_id()::text)::bigint, k.event_transaction_id + 1)
    WHERE k.tenant_id = sqlc.arg(tenant_id) AND k.customer_id = sqlc.arg(customer_id)
    RETURNING k.tenant_id, k.customer_id, k.version, k.event_transaction_id
)
INSERT INTO outbox_events (tenant_id, transaction_id, event_id, type, subject_type, subject_id, sequence, occurred_at, data)
SELECT c.tenant_id, c.event_transaction_id, sqlc.arg(event_id), sqlc.arg(event_type), 'customer', c.customer_id, c.version, sqlc.arg(now),
    sqlc.arg(data)
FROM c;

-- name: CustomerAnniversaries :many
-- CustomerAnniversaries lists the bookings of a customer that have a planned anniversary, at most row_limit.
SELECT b.booking_id, b.date
FROM bookings b
JOIN scheduled_events e ON e.tenant_id = b.tenant_id AND e.subject_id = b.booking_id
WHERE b.tenant_id = $1 AND b.customer_id = sqlc.arg(customer_id)::uuid AND e.kind = sqlc.arg(kind) AND e.status = 'pending'
ORDER BY b.booking_id
LIMIT sqlc.arg(row_limit)::int;

-- name: CustomerBookingLock :many
-- CustomerBookingLock keeps others from changing the bookings of a customer. They come before the customer's row, in the order of their ids.
SELECT b.booking_id
FROM bookings b
WHERE b.tenant_id = $1 AND b.customer_id = sqlc.arg(customer_id)::uuid
ORDER BY b.booking_id
FOR NO KEY UPDATE;

-- name: CustomerWalletIDs :many
SELECT w.wallet_id
FROM wallets w
WHERE w.tenant_id = $1 AND w.customer_id = sqlc.arg(customer_id)::uuid;

-- name: EraseBookings :exec
UPDATE bookings
SET metadata = '{}', reference = NULL, external_reference = NULL, cancellation_reason = NULL, version = version + 1, updated_at = sqlc.arg(now)
WHERE tenant_id = $1 AND booking_id = ANY (sqlc.arg(booking_ids)::uuid[]);

-- name: ErasePayments :exec
UPDATE payments
SET action_url = NULL, client_secret = NULL
WHERE tenant_id = $1 AND booking_id = ANY (sqlc.arg(booking_ids)::uuid[]) AND resolve_at IS NULL
  AND (action_url IS NOT NULL OR client_secret IS NOT NULL);

-- name: EraseWalletEntries :exec
UPDATE wallet_entries
SET reason = NULL, reference = NULL
WHERE tenant_id = $1 AND wallet_id = ANY (sqlc.arg(wallet_ids)::uuid[]) AND (reason IS NOT NULL OR reference IS NOT NULL);

-- name: EraseOutbox :exec
-- EraseOutbox keeps of events what names no person.
UPDATE outbox_events o
SET data = CASE
    WHEN o.subject_type = 'customer' THEN json_build_object('id', o.subject_id)
    ELSE (
        SELECT json_object_agg(d.key, d.value)
        FROM json_each(o.data) AS d
        WHERE d.key NOT IN ('customer', 'metadata', 'reference', 'external_reference', 'cancellation_reason', 'entry')
    )
END
WHERE o.tenant_id = $1 AND o.subject_id = ANY (sqlc.arg(subject_ids)::uuid[]);

-- name: EraseHistory :exec
-- EraseHistory keeps of entries what names no person, like EraseOutbox.
UPDATE history h
SET before = CASE WHEN h.before IS NULL THEN NULL
        WHEN h.subject_type = 'customer' THEN '{}'
        ELSE (SELECT coalesce(json_object_agg(d.key, d.value), '{}') FROM json_each(h.before) AS d
            WHERE d.key NOT IN ('metadata', 'reference', 'external_reference', 'cancellation_reason'))
    END,
    after = CASE WHEN h.after IS NULL THEN NULL
        WHEN h.subject_type = 'customer' THEN '{}'
        ELSE (SELECT coalesce(json_object_agg(d.key, d.value), '{}') FROM json_each(h.after) AS d
            WHERE d.key NOT IN ('metadata', 'reference', 'external_reference', 'cancellation_reason'))
    END
WHERE h.tenant_id = $1 AND h.subject_id = ANY (sqlc.arg(subject_ids)::uuid[]);

-- name: EraseEvents :exec
-- EraseEvents ends what is planned for subjects, as far as it is of these kinds. A worker that holds one of the events loses its lease, and
-- records nothing of it.
UPDATE scheduled_events
SET status = 'cancelled', version = version + 1, lease = NULL, leased_until = NULL, updated_at = sqlc.arg(now)
WHERE tenant_id = $1 AND subject_id = ANY (sqlc.arg(subject_ids)::uuid[]) AND kind = ANY (sqlc.arg(kinds)::text[])
  AND status IN ('pending', 'processing', 'failed', 'dead');

-- name: EraseDeliveries :exec
-- EraseDeliveries has workers lose their leases of deliveries of events about subjects: what an endpoint answers to the event as it was
-- is not recorded. The delivery is made again, with the event as it is now. A delivery's occurrence is the id of its event.
UPDATE scheduled_events s
SET status = 'pending', version = s.version + 1, lease = NULL, leased_until = NULL, updated_at = sqlc.arg(now)
FROM outbox_events o
CROSS JOIN webhook_endpoints e
WHERE o.tenant_id = sqlc.arg(tenant_id) AND o.subject_id = ANY (sqlc.arg(subject_ids)::uuid[]) AND e.tenant_id = sqlc.arg(tenant_id)
  AND s.tenant_id = sqlc.arg(tenant_id) AND s.subject_id = e.endpoint_id AND s.kind = sqlc.arg(kind) AND s.occurrence = o.event_id::text
  AND s.status = 'processing';

-- name: EraseAttempts :exec
-- EraseAttempts forgets what was recorded of the attempts at events about subjects, and at deliveries of events about them.
UPDATE event_attempts a
SET details = '{}', error = NULL
WHERE a.tenant_id = $1 AND a.event_id IN (
    SELECT s.event_id
    FROM scheduled_events s
    WHERE s.tenant_id = $1 AND s.subject_id = ANY (sqlc.arg(subject_ids)::uuid[])
    UNION ALL
    SELECT s.event_id
    FROM outbox_events o
    CROSS JOIN webhook_endpoints e
    JOIN scheduled_events s ON s.tenant_id = o.tenant_id AND s.subject_id = e.endpoint_id AND s.kind = sqlc.arg(kind)
        AND s.occurrence = o.event_id::text
    WHERE o.tenant_id = $1 AND o.subject_id = ANY (sqlc.arg(subject_ids)::uuid[]) AND e.tenant_id = $1
);

-- name: EraseResponses :exec
-- EraseResponses replaces the stored responses that show a customer, or one of some bookings, with whose id they begin: {"id":"…". A repeated
-- request gets the new one.
UPDATE idempotency_keys
SET status = sqlc.arg(status)::int, location = '', etag = '', body = sqlc.arg(body)::bytea
WHERE tenant_id = $1
  AND (position(convert_to(sqlc.arg(customer_id)::uuid::text, 'UTF8') IN body) > 0
       OR substring(body FROM 8 FOR 36) IN (SELECT convert_to(b.id::text, 'UTF8') FROM unnest(sqlc.arg(booking_ids)::uuid[]) AS b (id)));
