-- What an erasure reads and takes out of the tables.

-- name: CustomerBookingLock :many
-- CustomerBookingLock keeps others from changing the bookings of a customer. They come before the customer's row, in the order of their
-- ids.
SELECT b.booking_id
FROM bookings b
WHERE b.tenant_id = $1 AND b.customer_id = sqlc.arg(customer_id)::uuid
ORDER BY b.booking_id
FOR NO KEY UPDATE;

-- name: CustomerWalletIDs :many
SELECT w.wallet_id
FROM wallets w
WHERE w.tenant_id = $1 AND w.customer_id = sqlc.arg(customer_id)::uuid;

-- name: CustomersMergedInto :many
SELECT k.customer_id
FROM customers k
WHERE k.tenant_id = $1 AND k.merged_into = sqlc.arg(customer_id)::uuid;

-- name: FormerBookings :many
-- FormerBookings lists the bookings that a customer, or one that was merged into it, had before another customer got them.
SELECT DISTINCT f.booking_id
FROM former_customers f
WHERE f.tenant_id = $1 AND (f.customer_id = sqlc.arg(customer_id)::uuid
       OR f.customer_id IN (SELECT k.customer_id FROM customers k WHERE k.tenant_id = $1 AND k.merged_into = sqlc.arg(customer_id)::uuid));

-- name: CustomerBookingsOvertaken :one
-- CustomerBookingsOvertaken says whether a booking of a customer has a change of a transaction that began to write after this one. That
-- happens while this transaction waits for the lock of the booking. A change that this transaction writes would come before that one.
SELECT EXISTS (
    SELECT 1
    FROM changes c
    JOIN bookings b ON b.tenant_id = c.tenant_id AND b.booking_id = c.subject_id
    WHERE c.tenant_id = $1 AND c.transaction_id > (pg_current_xact_id()::text)::bigint AND b.customer_id = sqlc.arg(customer_id)::uuid
);

-- name: EraseBookings :exec
UPDATE bookings
SET details = '{}', cancellation_reason = NULL, version = version + 1,
    updated_at = sqlc.arg(now)
WHERE tenant_id = $1 AND booking_id = ANY (sqlc.arg(booking_ids)::uuid[]);

-- name: EraseContacts :exec
-- EraseContacts leaves a booking's version as it is: a booking without a contact shows the customer, who was erased.
UPDATE bookings
SET contact = NULL
WHERE tenant_id = $1 AND booking_id = ANY (sqlc.arg(booking_ids)::uuid[]) AND contact IS NOT NULL;

-- name: ErasePayers :exec
UPDATE payments
SET contact = NULL
WHERE tenant_id = $1 AND booking_id = ANY (sqlc.arg(booking_ids)::uuid[]) AND customer_id = ANY (sqlc.arg(customer_ids)::uuid[])
    AND contact IS NOT NULL;

-- name: ErasePayments :exec
UPDATE payments
SET action_url = NULL, client_secret = NULL, note = NULL
WHERE tenant_id = $1 AND booking_id = ANY (sqlc.arg(booking_ids)::uuid[]) AND resolve_at IS NULL
  AND (action_url IS NOT NULL OR client_secret IS NOT NULL OR note IS NOT NULL);

-- name: ErasePaymentMetadata :exec
-- ErasePaymentMetadata comes after EraseResponses, which looks for payments with metadata. Of former bookings, what another customer paid
-- keeps it.
UPDATE payments
SET metadata = NULL
WHERE tenant_id = $1 AND metadata IS NOT NULL AND (booking_id = ANY (sqlc.arg(booking_ids)::uuid[])
    OR booking_id = ANY (sqlc.arg(former_ids)::uuid[]) AND customer_id = ANY (sqlc.arg(customer_ids)::uuid[]));

-- name: EraseWalletEntries :exec
UPDATE wallet_entries
SET reason = NULL, reference = NULL
WHERE tenant_id = $1 AND wallet_id = ANY (sqlc.arg(wallet_ids)::uuid[]) AND (reason IS NOT NULL OR reference IS NOT NULL);

-- name: EraseChanges :exec
-- EraseChanges keeps of changes and notices what names no person: a booking without its details, and of customers the id.
-- What was recorded of a former booking is erased as far as it was the person's: the customer whom the booking left next had it then.
WITH kept AS MATERIALIZED (
    SELECT c.transaction_id, c.change_id, CASE
        WHEN c.subject_type = 'customer' THEN json_build_object('id', c.subject_id)
        ELSE (
            SELECT json_object_agg(d.key, CASE
                WHEN d.key = 'metadata' THEN '{}'::json
                WHEN d.key = 'payment' THEN (
                    SELECT json_object_agg(p.key, p.value) FROM json_each(d.value) AS p WHERE p.key NOT IN ('metadata', 'note'))
                -- The booking may have had another customer before, who isn't erased.
                WHEN d.key = 'customer' AND (d.value ->> 'id')::uuid = ANY (sqlc.arg(customer_ids)::uuid[])
                    THEN json_build_object('id', d.value ->> 'id')
                ELSE d.value
            END)
            FROM json_each(c.data) AS d
            WHERE d.key NOT IN ('cancellation_reason', 'entry') AND (d.key = 'metadata' OR d.key <> ALL (sqlc.arg(details)::text[]))
        )
    END AS data
    FROM changes c
    WHERE c.tenant_id = $1 AND c.subject_id = ANY (sqlc.arg(subject_ids)::uuid[] || sqlc.arg(former_ids)::uuid[])
      AND (c.subject_id = ANY (sqlc.arg(subject_ids)::uuid[]) OR (
          SELECT f.customer_id
          FROM former_customers f
          WHERE f.tenant_id = $1 AND f.booking_id = c.subject_id AND f.version > c.version
          ORDER BY f.version
          LIMIT 1) = ANY (sqlc.arg(customer_ids)::uuid[]))
)
UPDATE changes c
SET data = k.data
FROM kept k
WHERE c.tenant_id = $1 AND c.transaction_id = k.transaction_id AND c.change_id = k.change_id;

-- name: EraseEvents :exec
-- EraseEvents ends what is planned for subjects, as far as it is of these kinds. The reason takes the place of the last error, which may
-- name the person. A worker that holds one of the events loses its lease, and records nothing of it.
UPDATE scheduled_events
SET status = 'cancelled', version = version + 1, lease = NULL, leased_until = NULL, last_error = sqlc.arg(reason)::text,
    updated_at = sqlc.arg(now)
WHERE tenant_id = $1 AND subject_id = ANY (sqlc.arg(subject_ids)::uuid[]) AND kind = ANY (sqlc.arg(kinds)::text[])
  AND status IN ('pending', 'processing', 'failed', 'dead');

-- name: EraseDeliveries :exec
-- EraseDeliveries has workers lose their leases of deliveries of changes of subjects: what an endpoint answers to the event as it was
-- is not recorded. The delivery is made again, with the event as it is now. It comes after EraseChanges: whoever read an event before that
-- has the lease already, and whoever reads one later waits. A delivery's occurrence is the id of its change. The deliveries are looked up
-- one by one, by their key: statistics that are too old, or row-level security, must not have the planner read all of the tenant's
-- deliveries.
WITH told AS MATERIALIZED (
    SELECT e.endpoint_id, c.change_id::text AS occurrence
    FROM changes c
    CROSS JOIN webhook_endpoints e
    WHERE c.tenant_id = sqlc.arg(tenant_id) AND c.subject_id = ANY (sqlc.arg(subject_ids)::uuid[]) AND e.tenant_id = sqlc.arg(tenant_id)
)
UPDATE scheduled_events s
SET status = 'pending', version = s.version + 1, lease = NULL, leased_until = NULL, updated_at = sqlc.arg(now)
WHERE s.tenant_id = sqlc.arg(tenant_id) AND s.status = 'processing' AND s.event_id = ANY (ARRAY(
    SELECT d.event_id
    FROM told
    CROSS JOIN LATERAL (
        SELECT x.event_id
        FROM scheduled_events x
        WHERE x.tenant_id = sqlc.arg(tenant_id) AND x.subject_id = told.endpoint_id AND x.kind = sqlc.arg(kind)
            AND x.occurrence = told.occurrence
        LIMIT 1
    ) AS d
));

-- name: EraseAttempts :exec
-- EraseAttempts forgets what was recorded of the attempts at events about subjects and former bookings, and at deliveries of events about
-- them. Of former bookings, deliveries that show another customer stay. It comes after EraseDeliveries: an attempt that is recorded later
-- shows the event as it is now. The deliveries are looked up as there.
WITH told AS MATERIALIZED (
    SELECT e.endpoint_id, c.change_id::text AS occurrence
    FROM changes c
    CROSS JOIN webhook_endpoints e
    WHERE c.tenant_id = $1 AND c.subject_id = ANY (sqlc.arg(subject_ids)::uuid[] || sqlc.arg(former_ids)::uuid[]) AND e.tenant_id = $1
      AND (c.subject_id = ANY (sqlc.arg(subject_ids)::uuid[]) OR (
          SELECT f.customer_id
          FROM former_customers f
          WHERE f.tenant_id = $1 AND f.booking_id = c.subject_id AND f.version > c.version
          ORDER BY f.version
          LIMIT 1) = ANY (sqlc.arg(customer_ids)::uuid[]))
)
UPDATE event_attempts a
SET details = '{}', error = NULL
WHERE a.tenant_id = $1 AND a.event_id = ANY (ARRAY(
    SELECT s.event_id
    FROM scheduled_events s
    WHERE s.tenant_id = $1 AND s.subject_id = ANY (sqlc.arg(subject_ids)::uuid[] || sqlc.arg(former_ids)::uuid[])
    UNION ALL
    SELECT d.event_id
    FROM told
    CROSS JOIN LATERAL (
        SELECT x.event_id
        FROM scheduled_events x
        WHERE x.tenant_id = $1 AND x.subject_id = told.endpoint_id AND x.kind = sqlc.arg(kind) AND x.occurrence = told.occurrence
        LIMIT 1
    ) AS d
));

-- name: EraseResponses :exec
-- EraseResponses replaces the stored responses that show one of some customers, one of some bookings, with whose id they begin: {"id":"…",
-- those of requests for payments with metadata or of offline payments of theirs, or a change of a subject; of former bookings, those that
-- show one of the customers. A repeated request gets the new one. It comes after EraseChanges, which leaves the customers' ids: no response
-- that was stored meanwhile points at a change without its texts.
UPDATE idempotency_keys k
SET status = sqlc.arg(status)::int, location = '', etag = '', body = sqlc.arg(body)::bytea, change_subject_id = NULL, change_version = NULL
WHERE k.tenant_id = $1
  AND (k.change_subject_id = ANY (sqlc.arg(subject_ids)::uuid[])
       OR k.change_subject_id = ANY (sqlc.arg(former_ids)::uuid[]) AND EXISTS (
           SELECT 1
           FROM changes c
           WHERE c.tenant_id = $1 AND c.subject_id = k.change_subject_id AND c.version = k.change_version AND NOT c.notice
             AND (c.data -> 'customer' ->> 'id')::uuid = ANY (sqlc.arg(customer_ids)::uuid[]))
       OR EXISTS (SELECT 1 FROM unnest(sqlc.arg(customer_ids)::uuid[]) AS p (id)
       WHERE position(convert_to(p.id::text, 'UTF8') IN k.body) > 0)
       OR k.key IN (SELECT y.idempotency_key FROM payments y
           WHERE y.tenant_id = $1 AND y.metadata IS NOT NULL AND (y.booking_id = ANY (sqlc.arg(booking_ids)::uuid[])
               OR y.booking_id = ANY (sqlc.arg(former_ids)::uuid[]) AND y.customer_id = ANY (sqlc.arg(customer_ids)::uuid[])))
       OR substring(k.body FROM 8 FOR 36) IN (SELECT convert_to(b.id::text, 'UTF8') FROM unnest(sqlc.arg(booking_ids)::uuid[]) AS b (id))
       OR substring(k.body FROM 8 FOR 36) IN (
           SELECT convert_to(p.payment_id::text, 'UTF8')
           FROM payments p
           WHERE p.tenant_id = $1 AND p.booking_id = ANY (sqlc.arg(booking_ids)::uuid[] || sqlc.arg(former_ids)::uuid[])
             AND p.provider = 'offline'));
