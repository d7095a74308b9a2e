-- What a merge of two customers writes.

-- name: MergeBookings :exec
UPDATE bookings
SET customer_id = sqlc.arg(into_id)::uuid, version = version + 1, updated_at = sqlc.arg(now)
WHERE tenant_id = $1 AND booking_id = ANY (sqlc.arg(booking_ids)::uuid[]);

-- name: MergeWallets :exec
-- MergeWallets moves wallets. One of a currency in which the other customer has a wallet is the second one.
UPDATE wallets w
SET customer_id = sqlc.arg(into_id)::uuid, merged = w.merged OR EXISTS (
    SELECT 1
    FROM wallets o
    WHERE o.tenant_id = $1 AND o.customer_id = sqlc.arg(into_id)::uuid AND o.currency = w.currency AND NOT o.merged)
WHERE w.tenant_id = $1 AND w.customer_id = sqlc.arg(from_id)::uuid;

-- name: MergeMerged :exec
-- MergeMerged has customers who were merged into one point to the one that it is merged into.
UPDATE customers
SET merged_into = sqlc.arg(into_id)::uuid
WHERE tenant_id = $1 AND merged_into = sqlc.arg(from_id)::uuid;

-- name: MergeEmails :exec
-- MergeEmails cancels the emails of greetings that wait for the customer who is merged, of years in which the other one was greeted too. It comes
-- before MergeGreetings. A worker that holds such an email loses its lease.
UPDATE scheduled_events e
SET status = 'cancelled', version = e.version + 1, lease = NULL, leased_until = NULL, last_error = sqlc.arg(reason)::text, updated_at = sqlc.arg(now)
FROM scheduled_events g
WHERE e.tenant_id = $1 AND e.subject_id = sqlc.arg(from_id) AND e.kind = sqlc.arg(email_kind) AND e.status IN ('pending', 'processing', 'failed')
  AND g.tenant_id = e.tenant_id AND g.subject_id = sqlc.arg(into_id) AND g.kind = sqlc.arg(kind) AND g.status = 'completed'
  AND starts_with(e.occurrence, g.kind || '/' || g.occurrence || '#');

-- name: MergeGreetings :exec
-- MergeGreetings has the customer count as greeted in each year in which the one who is merged into it was, and as not to be greeted in each year whose
-- greeting was cancelled on request: it has no last error. A worker that holds the greeting of such a year loses its lease.
INSERT INTO scheduled_events (tenant_id, event_id, kind, subject_type, subject_id, occurrence, status, due_at, time_zone, attempts,
    version, data, created_at, updated_at)
SELECT s.tenant_id, gen_random_uuid(), s.kind, s.subject_type, sqlc.arg(into_id)::uuid, s.occurrence, s.status, s.due_at, s.time_zone, 0,
    1, '{}', sqlc.arg(now), sqlc.arg(now)
FROM scheduled_events s
WHERE s.tenant_id = $1 AND s.subject_id = sqlc.arg(from_id) AND s.kind = sqlc.arg(kind)
  AND (s.status = 'completed' OR s.status = 'cancelled' AND s.last_error IS NULL)
ON CONFLICT (tenant_id, subject_id, kind, occurrence) DO UPDATE
SET status = excluded.status, version = scheduled_events.version + 1, lease = NULL, leased_until = NULL, last_error = NULL,
    updated_at = excluded.updated_at
WHERE scheduled_events.status <> 'completed';

-- name: FormerCustomerAdd :exec
-- FormerCustomerAdd records that a booking leaves a customer.
INSERT INTO former_customers (tenant_id, booking_id, version, customer_id)
VALUES (sqlc.arg(tenant_id), sqlc.arg(booking_id), sqlc.arg(version), sqlc.arg(customer_id));
