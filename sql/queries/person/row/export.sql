-- What is stored of a customer, for its export.

-- name: ExportBookingSizes :many
-- ExportBookingSizes lists the customer's bookings by date and id, as BookingList does, with the bytes that the client chose.
SELECT b.booking_id, octet_length(b.details::text)::int AS bytes
FROM bookings b
WHERE b.tenant_id = $1 AND b.customer_id = sqlc.arg(customer_id)::uuid
ORDER BY b.date, b.booking_id
LIMIT sqlc.arg(row_limit)::int;

-- name: ExportPayments :many
-- ExportPayments lists the payments of bookings, and what customers, who are one person, paid for bookings that they had before. It shows
-- the contact and the metadata of this person only. The ids are put together in a query of their own: with row-level security, the index compares only with
-- a value that isn't computed beside it.
SELECT p.payment_id, p.booking_id, p.kind, p.status, p.amount, p.currency, p.method, p.provider, p.provider_id, p.refund_of, p.wallet_id,
    p.automatic, p.note, p.moved_at, p.created_at, p.updated_at, CASE WHEN p.customer_id = ANY (sqlc.arg(customer_ids)::uuid[])
    THEN p.contact END::json AS contact, CASE WHEN p.customer_id = ANY (sqlc.arg(customer_ids)::uuid[]) THEN p.metadata END::json AS metadata
FROM payments p
WHERE p.tenant_id = $1
  AND p.booking_id = ANY (ARRAY(
    SELECT unnest(sqlc.arg(booking_ids)::uuid[])
    UNION ALL
    SELECT f.booking_id FROM former_customers f WHERE f.tenant_id = $1 AND f.customer_id = ANY (sqlc.arg(customer_ids)::uuid[])))
  AND (p.booking_id = ANY (sqlc.arg(booking_ids)::uuid[]) OR p.customer_id = ANY (sqlc.arg(customer_ids)::uuid[]))
ORDER BY p.updated_at, p.payment_id
LIMIT sqlc.arg(row_limit)::int;

-- name: ExportWallets :many
SELECT wallet_id, currency, balance, held
FROM wallets
WHERE tenant_id = $1 AND customer_id = sqlc.arg(customer_id)::uuid
ORDER BY wallet_id
LIMIT sqlc.arg(row_limit)::int;

-- name: ExportWalletEntries :many
SELECT e.wallet_id, e.version, e.type, e.amount, e.balance, e.booking_id, e.payment_id, e.reason, e.reference, e.occurred_at
FROM wallets w
JOIN wallet_entries e ON e.tenant_id = w.tenant_id AND e.wallet_id = w.wallet_id
WHERE w.tenant_id = $1 AND w.customer_id = sqlc.arg(customer_id)::uuid
ORDER BY e.wallet_id, e.version
LIMIT sqlc.arg(row_limit)::int;

-- name: ExportEvents :many
SELECT s.event_id, s.kind, s.occurrence, s.subject_type, s.subject_id, s.status, s.due_at, s.updated_at
FROM scheduled_events s
WHERE s.tenant_id = $1 AND s.subject_id = ANY (sqlc.arg(subject_ids)::uuid[])
ORDER BY s.due_at, s.event_id
LIMIT sqlc.arg(row_limit)::int;

-- name: ExportChanges :many
-- ExportChanges lists the changes of customers who are one person, of bookings of this person, and of bookings that this person had
-- before somebody else got them. Of a booking it has the changes while it was this person's: since is the version with which it came, and
-- leaves says that the booking went with the change, so that the data is the other person's. found counts the changes, without the limit of
-- bytes.
SELECT l.subject_id, l.since, l.leaves, l.version, l.subject_type, l.type, l.api_key_id, l.user_id, l.request_id, l.operator, l.occurred_at, l.data,
    l.found
FROM (
    SELECT e.subject_id, e.since, e.leaves, e.version, e.subject_type, e.type, e.api_key_id, e.user_id, e.request_id, e.operator, e.occurred_at,
        e.data,
        count(*) OVER () AS found,
        sum(octet_length(e.data::text))
            OVER (ORDER BY e.occurred_at, e.subject_id, e.version ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes
    FROM (
        SELECT h.subject_id, s.since, (h.version = s.until)::bool AS leaves, h.version, h.subject_type, h.type, h.api_key_id, h.user_id, h.request_id,
            h.operator, h.occurred_at, h.data
        FROM (
            SELECT k.id AS subject_id, 0::bigint AS since, 9223372036854775807 AS until
            FROM (SELECT unnest(sqlc.arg(customer_ids)::uuid[]) AS id) AS k
            UNION ALL
            SELECT b.id, (
                SELECT coalesce(max(o.version), 0)
                FROM former_customers o
                WHERE o.tenant_id = $1 AND o.booking_id = b.id AND o.customer_id <> ALL (sqlc.arg(customer_ids)::uuid[])
            ), 9223372036854775807
            FROM (SELECT unnest(sqlc.arg(booking_ids)::uuid[]) AS id) AS b
            UNION ALL
            -- A booking may have come and gone more than once. Departures between two that are one person are none.
            SELECT f.booking_id, f.since, max(f.version)
            FROM (
                SELECT m.booking_id, m.version, (
                    SELECT coalesce(max(o.version), 0)
                    FROM former_customers o
                    WHERE o.tenant_id = $1 AND o.booking_id = m.booking_id AND o.customer_id <> ALL (sqlc.arg(customer_ids)::uuid[])
                      AND o.version < m.version
                ) AS since
                FROM (
                    SELECT DISTINCT r.booking_id
                    FROM former_customers r
                    WHERE r.tenant_id = $1 AND r.customer_id = ANY (sqlc.arg(customer_ids)::uuid[])
                    ORDER BY r.booking_id
                    LIMIT sqlc.arg(row_limit)::int
                ) AS l
                JOIN former_customers m ON m.tenant_id = $1 AND m.booking_id = l.booking_id
                    AND m.customer_id = ANY (sqlc.arg(customer_ids)::uuid[])
            ) AS f
            -- The time in which the booking is this person's now is listed above.
            WHERE EXISTS (
                SELECT 1
                FROM former_customers o
                WHERE o.tenant_id = $1 AND o.booking_id = f.booking_id AND o.version > f.version
                  AND o.customer_id <> ALL (sqlc.arg(customer_ids)::uuid[])
            ) OR NOT EXISTS (
                SELECT 1
                FROM bookings b
                WHERE b.tenant_id = $1 AND b.booking_id = f.booking_id AND b.customer_id = ANY (sqlc.arg(customer_ids)::uuid[])
            )
            GROUP BY f.booking_id, f.since
        ) AS s
        -- LIMIT keeps the planner from reading all changes to join a few.
        CROSS JOIN LATERAL (
            SELECT c.subject_id, c.version, c.subject_type, c.type, c.api_key_id, c.user_id, c.request_id, c.operator, c.occurred_at, c.data
            FROM changes c
            WHERE c.tenant_id = $1 AND c.subject_id = s.subject_id AND NOT c.notice AND c.version BETWEEN s.since AND s.until
            ORDER BY c.version
            LIMIT sqlc.arg(row_limit)::int
        ) AS h
        ORDER BY h.occurred_at, h.subject_id, h.version
        LIMIT sqlc.arg(row_limit)::int
    ) AS e
) AS l
WHERE coalesce(l.bytes, 0) < sqlc.arg(max_bytes)::bigint
ORDER BY l.occurred_at, l.subject_id, l.version;
