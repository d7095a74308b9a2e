-- Changes of a booking that don't end it. A booking of another version than the one that was read gets null for its version, which the
-- table refuses: COMMIT stands in the same batch, so nobody could look at a number of rows before it.

-- name: BookingMove :exec
-- BookingMove gives a booking another time, resource and price, and a version for each event that tells of it. 23503 says that the service
-- no longer has the resource.
UPDATE bookings
SET service_id = sqlc.arg(service_id), resource_id = sqlc.arg(resource_id), date = sqlc.arg(date),
    last_date = nullif(sqlc.arg(last_date)::date, sqlc.arg(date)), starts_at = sqlc.arg(starts_at),
    ends_at = sqlc.arg(ends_at), time_zone = sqlc.arg(time_zone), party_size = sqlc.arg(party_size),
    busy_from = sqlc.arg(busy_from), busy_until = sqlc.arg(busy_until), session_id = sqlc.narg(session_id),
    other_resource_ids = sqlc.narg(other_resource_ids),
    nights = sqlc.arg(nights), price = sqlc.arg(price), deposit = sqlc.arg(deposit), items = sqlc.arg(items), terms = sqlc.arg(terms),
    version = CASE WHEN version = sqlc.arg(version)::bigint THEN version + sqlc.arg(events)::bigint END, updated_at = sqlc.arg(now)
WHERE tenant_id = $1 AND booking_id = $2;

-- name: BookingUpdate :exec
-- BookingUpdate changes what doesn't move a booking, and gives it a version for each event that tells of it. A reference that stays is as
-- unique as it was. 23503 says that another customer is missing, 23505 that another booking took a reference.
UPDATE bookings AS b
SET status = sqlc.arg(status), hold_expires_at = sqlc.narg(hold_expires_at), customer_id = sqlc.narg(customer_id),
    contact = sqlc.narg(contact), link_revision = sqlc.arg(link_revision), details = sqlc.arg(details),
    unique_reference = CASE WHEN b.reference IS DISTINCT FROM sqlc.arg(details)::json ->> 'reference' THEN sqlc.arg(unique_references)
    ELSE b.unique_reference END,
    unique_external_reference = CASE WHEN b.external_reference IS DISTINCT FROM sqlc.arg(details)::json ->> 'external_reference'
        THEN sqlc.arg(unique_references)
        ELSE b.unique_external_reference END,
    version = CASE WHEN b.version = sqlc.arg(version)::bigint THEN b.version + sqlc.arg(events)::bigint END, updated_at = sqlc.arg(now),
    confirmed_at = CASE WHEN b.status <> 'confirmed' AND sqlc.arg(status) = 'confirmed' THEN sqlc.arg(now)::timestamptz
    ELSE b.confirmed_at END
WHERE b.tenant_id = $1 AND b.booking_id = $2;

-- name: FormerCustomerAdd :exec
-- FormerCustomerAdd records that a booking leaves a customer.
INSERT INTO former_customers (tenant_id, booking_id, version, customer_id)
VALUES (sqlc.arg(tenant_id), sqlc.arg(booking_id), sqlc.arg(version), sqlc.arg(customer_id));
