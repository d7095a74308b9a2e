-- name: BookingInsert :exec
-- BookingInsert writes a booking with its claim. last_date is the date on which it ends; it is stored if that is another date. Its
-- violations differ: 23503 says that the customer is missing, 23P01 that the time is taken. CustomerKeep comes before it.
WITH c AS (
    INSERT INTO claims (tenant_id, owner_id, number, resource_id, units, busy_from, busy_until, expires_at, session_id)
    VALUES (sqlc.arg(tenant_id), sqlc.arg(booking_id), 1, coalesce(sqlc.narg(session_id)::uuid, sqlc.arg(resource_id)::uuid),
        sqlc.arg(units)::text::int4multirange, sqlc.arg(busy_from), sqlc.arg(busy_until), sqlc.narg(hold_expires_at), sqlc.narg(session_id))
)
INSERT INTO bookings (tenant_id, booking_id, service_id, resource_id, customer_id, status, date, last_date, starts_at, ends_at,
    time_zone, party_size, busy_from, busy_until, hold_expires_at, price, deposit, currency, details, code, items, terms, unique_reference, unique_external_reference, contact,
    session_id, other_resource_ids, nights, by_visitor, version, created_at, updated_at)
VALUES (sqlc.arg(tenant_id), sqlc.arg(booking_id), sqlc.arg(service_id), sqlc.arg(resource_id),
    sqlc.narg(customer_id), sqlc.arg(status), sqlc.arg(date), nullif(sqlc.arg(last_date)::date, sqlc.arg(date)), sqlc.arg(starts_at), sqlc.arg(ends_at),
    sqlc.arg(time_zone), sqlc.arg(party_size), sqlc.arg(busy_from), sqlc.arg(busy_until), sqlc.narg(hold_expires_at), sqlc.arg(price),
    sqlc.arg(deposit), sqlc.arg(currency), sqlc.arg(details), sqlc.arg(code),
    sqlc.arg(items), sqlc.arg(terms), sqlc.arg(unique_references),
    sqlc.arg(unique_references), sqlc.narg(contact), sqlc.narg(session_id), sqlc.narg(other_resource_ids), sqlc.arg(nights),
    sqlc.arg(by_visitor), 1,
    sqlc.arg(now), sqlc.arg(now));

-- name: BookingInsertMany :exec
-- BookingInsertMany is BookingInsert for several bookings of a tenant, with an array for each column, and without their claims. The nil
-- uuid and empty texts mean null. What a statement costs is paid once; for a single booking the arrays cost more than they save.
INSERT INTO bookings (tenant_id, booking_id, service_id, resource_id, customer_id, status, date, last_date, starts_at, ends_at,
    time_zone, party_size, busy_from, busy_until, hold_expires_at, price, deposit, currency, details, code, items, terms, unique_reference, unique_external_reference, contact,
    session_id, other_resource_ids, nights, by_visitor, version, created_at, updated_at)
SELECT sqlc.arg(tenant_id), b.booking_id, b.service_id, b.resource_id,
    nullif(b.customer_id, '00000000-0000-0000-0000-000000000000'), b.status, b.date, nullif(b.last_date, b.date), b.starts_at, b.ends_at,
    b.time_zone, b.party_size, b.busy_from, b.busy_until,
    CASE WHEN b.status = 'held' THEN b.hold_expires_at END, b.price, b.deposit, b.currency, b.details::json,
    b.code, b.items::json, b.terms::json,
    b.unique_references, b.unique_references, nullif(b.contact, '')::json,
    nullif(b.session_id, '00000000-0000-0000-0000-000000000000'), nullif(b.other_resource_ids, '')::uuid[], b.nights,
    b.by_visitor, 1,
    sqlc.arg(now), sqlc.arg(now)
FROM (
    SELECT unnest(sqlc.arg(booking_ids)::uuid[]) AS booking_id,
        unnest(sqlc.arg(service_ids)::uuid[]) AS service_id,
        unnest(sqlc.arg(resource_ids)::uuid[]) AS resource_id,
        unnest(sqlc.arg(customer_ids)::uuid[]) AS customer_id,
        unnest(sqlc.arg(statuses)::text[]) AS status,
        unnest(sqlc.arg(dates)::date[]) AS date,
        unnest(sqlc.arg(last_dates)::date[]) AS last_date,
        unnest(sqlc.arg(starts)::timestamptz[]) AS starts_at,
        unnest(sqlc.arg(ends)::timestamptz[]) AS ends_at,
        unnest(sqlc.arg(time_zones)::text[]) AS time_zone,
        unnest(sqlc.arg(party_sizes)::int[]) AS party_size,
        unnest(sqlc.arg(busy_from)::timestamptz[]) AS busy_from,
        unnest(sqlc.arg(busy_until)::timestamptz[]) AS busy_until,
        unnest(sqlc.arg(holds_expire_at)::timestamptz[]) AS hold_expires_at,
        unnest(sqlc.arg(prices)::bigint[]) AS price,
        unnest(sqlc.arg(deposits)::bigint[]) AS deposit,
        unnest(sqlc.arg(currencies)::text[]) AS currency,
        unnest(sqlc.arg(details)::text[]) AS details,
        unnest(sqlc.arg(codes)::text[]) AS code,
        unnest(sqlc.arg(items)::text[]) AS items,
        unnest(sqlc.arg(terms)::text[]) AS terms,
        unnest(sqlc.arg(unique_references)::boolean[]) AS unique_references,
        unnest(sqlc.arg(contacts)::text[]) AS contact,
        unnest(sqlc.arg(session_ids)::uuid[]) AS session_id,
        unnest(sqlc.arg(other_resource_ids)::text[]) AS other_resource_ids,
        unnest(sqlc.arg(nights)::int[]) AS nights,
        unnest(sqlc.arg(by_visitor)::boolean[]) AS by_visitor
) AS b;

-- name: BookingSetStatus :exec
-- BookingSetStatus sets null, which the table refuses, for a version other than the one that was read: see booking_changes.sql.
UPDATE bookings
SET status = sqlc.arg(status),
    version = CASE WHEN version = sqlc.arg(version)::bigint THEN version + 1 END, updated_at = sqlc.arg(now),
    confirmed_at = CASE WHEN sqlc.arg(status)::text = 'confirmed' THEN sqlc.arg(now)::timestamptz ELSE confirmed_at END,
    completed_at = CASE WHEN sqlc.arg(status)::text = 'completed' THEN sqlc.arg(now)::timestamptz ELSE completed_at END,
    expired_at = CASE WHEN sqlc.arg(status)::text = 'expired' THEN sqlc.arg(now)::timestamptz ELSE expired_at END
WHERE tenant_id = $1 AND booking_id = $2;

-- name: BookingEnd :exec
-- BookingEnd is BookingSetStatus for a booking that is cancelled, or whose customer didn't come.
UPDATE bookings
SET status = sqlc.arg(status), cancellation_fee = sqlc.arg(cancellation_fee), cancellation_fee_set = sqlc.arg(cancellation_fee_set),
    cancellation_reason = sqlc.narg(cancellation_reason),
    version = CASE WHEN version = sqlc.arg(version)::bigint THEN version + 1 END, updated_at = sqlc.arg(now),
    cancelled_at = CASE WHEN sqlc.arg(status)::text = 'cancelled' THEN sqlc.arg(now)::timestamptz END,
    no_show_at = CASE WHEN sqlc.arg(status)::text = 'no_show' THEN sqlc.arg(now)::timestamptz END
WHERE tenant_id = $1 AND booking_id = $2;
