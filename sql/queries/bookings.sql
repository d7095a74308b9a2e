-- name: DatesClock :one
-- DatesClock reads the clock that every expiry is judged by, and the version of the rules. It runs after
-- the lock was granted, so that two servers whose clocks differ still agree on who was first.
SELECT clock_timestamp()::timestamptz AS now, t.catalog_version
FROM tenants t
WHERE t.tenant_id = $1;

-- name: ClaimList :many
-- ClaimList lists the claims of resources, each at any time of a period of its own; a claim that touches several of
-- a resource's periods comes several times. begun_from is the period's start less the longest that a claim of the
-- resource can be: it bounds the scan of the index. OFFSET 0 makes it a scan for each resource: left to choose, the planner reads all of a
-- tenant's claims while the table is small, and keeps that plan while it grows.
SELECT c.owner_id, c.resource_id, c.units, c.busy_from, c.busy_until, c.expires_at
FROM (
    SELECT unnest(sqlc.arg(resource_ids)::uuid[])::uuid AS resource_id,
        unnest(sqlc.arg(begun_from)::timestamptz[])::timestamptz AS begun_from,
        unnest(sqlc.arg(busy_from)::timestamptz[])::timestamptz AS busy_from,
        unnest(sqlc.arg(busy_until)::timestamptz[])::timestamptz AS busy_until
) AS r
CROSS JOIN LATERAL (
    SELECT o.owner_id, o.resource_id, o.units, o.busy_from, o.busy_until, o.expires_at
    FROM claims o
    WHERE o.tenant_id = $1
      AND o.resource_id = r.resource_id
      AND o.busy_from >= r.begun_from
      AND o.busy_from < r.busy_until
      AND o.busy_until > r.busy_from
    OFFSET 0
) AS c;

-- name: AvailabilityView :one
-- AvailabilityView reads what availability is computed from: the clock, the version of the rules, and what occupies the units of some
-- resources, which are numbered from 1. The arrays have an element for each range of units that a claim occupies, in any order.
-- row_limit bounds the claims of each resource. The claims of except_booking, which may be null, are left out, and that of its session if
-- nobody else is in it. The id of something else than a booking leaves out nothing.
SELECT clock_timestamp()::timestamptz AS now, t.catalog_version, o.resources, o.busy_from, o.busy_until, o.units_from, o.units_until
FROM tenants t
LEFT JOIN bookings x ON x.tenant_id = $1 AND x.booking_id = sqlc.narg(except_booking)::uuid
CROSS JOIN LATERAL (
    SELECT coalesce(array_agg(u.number), '{}')::int[] AS resources,
        coalesce(array_agg(u.busy_from), '{}')::timestamptz[] AS busy_from,
        coalesce(array_agg(u.busy_until), '{}')::timestamptz[] AS busy_until,
        coalesce(array_agg(lower(u.units)), '{}')::int[] AS units_from,
        coalesce(array_agg(upper(u.units)), '{}')::int[] AS units_until
    FROM (
        -- As a table in the FROM clause, unnest(c.units) took a fifth of the statement's time.
        SELECT r.number, c.busy_from, c.busy_until, unnest(c.units) AS units
        FROM unnest(sqlc.arg(resource_ids)::uuid[]) WITH ORDINALITY AS r (resource_id, number)
        CROSS JOIN LATERAL (
            SELECT o.units, o.busy_from, o.busy_until
            FROM claims o
            WHERE o.tenant_id = $1
              AND o.resource_id = r.resource_id
              AND o.busy_from >= sqlc.arg(begun_from)::timestamptz
              AND o.busy_from < sqlc.arg(busy_until)::timestamptz
              AND o.busy_until > sqlc.arg(busy_from)::timestamptz
              AND o.owner_id IS DISTINCT FROM x.booking_id
              AND (o.owner_id IS DISTINCT FROM x.session_id OR EXISTS (
                  SELECT 1
                  FROM claims e
                  WHERE e.tenant_id = $1 AND e.session_id = x.session_id AND e.owner_id <> x.booking_id
                    AND (e.expires_at IS NULL OR e.expires_at > clock_timestamp())))
              AND (o.expires_at IS NULL OR o.expires_at > clock_timestamp())
            ORDER BY o.busy_from
            LIMIT sqlc.arg(row_limit)::int
        ) AS c
    ) AS u
) AS o
WHERE t.tenant_id = $1;

-- name: BookingCountByDate :many
-- BookingCountByDate counts a service's bookings that are neither cancelled nor expired, by date. Those of one session count as one.
-- except_booking, which may be null, isn't counted.
SELECT b.date, (count(*) FILTER (WHERE b.session_id IS NULL) + count(DISTINCT b.session_id))::int AS bookings
FROM bookings b
WHERE b.tenant_id = $1
  AND b.service_id = $2
  AND b.date BETWEEN sqlc.arg(from_date)::date AND sqlc.arg(to_date)::date
  AND b.booking_id IS DISTINCT FROM sqlc.narg(except_booking)::uuid
  AND (b.status IN ('confirmed', 'completed', 'no_show')
       OR (b.status = 'held' AND b.hold_expires_at > clock_timestamp()))
GROUP BY b.date;

-- name: VisitorHoldCount :many
-- VisitorHoldCount counts, of customers with some addresses, the holds that visitors made and that last: up to row_limit of each. The
-- booking except_booking, which may be null, isn't counted.
SELECT e.email, h.holds
FROM (SELECT unnest(sqlc.arg(emails)::text[])::text AS email) AS e
CROSS JOIN LATERAL (
    SELECT k.customer_id
    FROM customers k
    WHERE k.tenant_id = $1 AND k.email = e.email
    OFFSET 0 -- a look-up for each address: left to choose, the planner reads all of a small tenant's customers
) AS c
CROSS JOIN LATERAL (
    SELECT count(*)::int AS holds
    FROM (
        SELECT b.booking_id
        FROM bookings b
        WHERE b.tenant_id = $1
          AND b.customer_id = c.customer_id
          AND b.status = 'held'
          AND b.by_visitor
          AND b.hold_expires_at > clock_timestamp()
          AND b.booking_id IS DISTINCT FROM sqlc.narg(except_booking)::uuid
        LIMIT sqlc.arg(row_limit)::int
    ) AS l
) AS h;

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

-- name: ClaimInsertMany :exec
-- ClaimInsertMany writes claims. 23P01 says that a time is taken. The nil uuid and the nil time mean null.
INSERT INTO claims (tenant_id, owner_id, number, resource_id, units, busy_from, busy_until, expires_at, session_id)
SELECT sqlc.arg(tenant_id), c.owner_id, c.number, coalesce(nullif(c.session_id, '00000000-0000-0000-0000-000000000000'), c.resource_id),
    c.units::int4multirange, c.busy_from, c.busy_until, nullif(c.expires_at, '0001-01-01T00:00:00Z'),
    nullif(c.session_id, '00000000-0000-0000-0000-000000000000')
FROM (
    SELECT unnest(sqlc.arg(owner_ids)::uuid[]) AS owner_id,
        unnest(sqlc.arg(numbers)::smallint[]) AS number,
        unnest(sqlc.arg(resource_ids)::uuid[]) AS resource_id,
        unnest(sqlc.arg(units)::text[]) AS units,
        unnest(sqlc.arg(busy_from)::timestamptz[]) AS busy_from,
        unnest(sqlc.arg(busy_until)::timestamptz[]) AS busy_until,
        unnest(sqlc.arg(expire_at)::timestamptz[]) AS expires_at,
        unnest(sqlc.arg(session_ids)::uuid[]) AS session_id
) AS c;

-- name: ClaimKeep :exec
-- ClaimKeep has the claims of a hold expire no more, nor those of its session. A booking in a session has one claim: its seats.
UPDATE claims c
SET expires_at = NULL
WHERE c.tenant_id = $1
  AND (c.owner_id = $2 OR c.owner_id = (SELECT s.session_id FROM claims s WHERE s.tenant_id = $1 AND s.owner_id = $2 AND s.number = 1));

-- name: ClaimInsert :exec
-- ClaimInsert gives an owner a claim of a number that it has none of. 23P01 says that the time is taken.
INSERT INTO claims (tenant_id, owner_id, number, resource_id, units, busy_from, busy_until, expires_at, session_id)
VALUES (sqlc.arg(tenant_id), sqlc.arg(owner_id), sqlc.arg(number), sqlc.arg(resource_id), sqlc.arg(units)::text::int4multirange, sqlc.arg(busy_from),
    sqlc.arg(busy_until), sqlc.narg(expires_at), sqlc.narg(session_id));

-- name: ClaimExtend :exec
-- ClaimExtend has the claims of a hold expire later, and those of its session no sooner.
UPDATE claims c
SET expires_at = CASE WHEN c.owner_id = $2 THEN sqlc.arg(expires_at)::timestamptz
    WHEN c.expires_at IS NOT NULL THEN greatest(c.expires_at, sqlc.arg(expires_at)::timestamptz) END
WHERE c.tenant_id = $1
  AND (c.owner_id = $2 OR c.owner_id = (SELECT s.session_id FROM claims s WHERE s.tenant_id = $1 AND s.owner_id = $2 AND s.number = 1));

-- name: ClaimDelete :exec
-- ClaimDelete frees what an owner occupies. The session that it was in ends with its last seat, and expires with its last hold.
WITH freed AS (
    DELETE FROM claims d
    WHERE d.tenant_id = $1 AND d.owner_id = $2
    RETURNING d.session_id
), stays AS (
    SELECT f.session_id, o.seats, o.expires_at
    FROM freed f
    CROSS JOIN LATERAL (
        SELECT count(*) AS seats, CASE WHEN count(s.expires_at) = count(*) THEN max(s.expires_at) END AS expires_at
        FROM claims s
        WHERE s.tenant_id = $1 AND s.session_id = f.session_id AND s.owner_id <> $2
    ) AS o
    WHERE f.session_id IS NOT NULL
), ended AS (
    DELETE FROM claims c
    USING stays t
    WHERE c.tenant_id = $1 AND c.owner_id = t.session_id AND t.seats = 0
)
UPDATE claims c
SET expires_at = t.expires_at
FROM stays t
WHERE c.tenant_id = $1 AND c.owner_id = t.session_id AND t.seats > 0 AND c.expires_at IS DISTINCT FROM t.expires_at;

-- name: SessionExtend :exec
-- SessionExtend moves the end of a session to that of a hold that joins it, if that is later. A null expires_at, of a confirmed booking,
-- removes the end.
UPDATE claims c
SET expires_at = CASE WHEN sqlc.narg(expires_at)::timestamptz IS NOT NULL THEN greatest(c.expires_at, sqlc.narg(expires_at)::timestamptz) END
WHERE c.tenant_id = $1 AND c.owner_id = sqlc.arg(session_id)
  AND c.expires_at IS NOT NULL AND c.expires_at < coalesce(sqlc.narg(expires_at)::timestamptz, 'infinity');

-- name: SessionBookings :many
-- SessionBookings lists the bookings that have seats of a session.
SELECT c.owner_id
FROM claims c
WHERE c.tenant_id = $1 AND c.session_id = $2;

-- name: SessionList :many
-- SessionList lists the sessions that occupy some resources of the first need at a time of a period, in the order of their ids, with the
-- further resources that they have, and with how many of their seats are taken. begun_from is the period's start less the longest that a
-- claim can be. row_limit bounds the claims that are looked at of each resource, as in AvailabilityView. The seats of except_booking, which
-- may be null, count as free, and so do those of holds past their expiry. A session's first claim is of its resource of the first need.
SELECT s.owner_id AS session_id, s.busy_from, s.busy_until, f.resource_ids, k.taken
FROM (SELECT unnest(sqlc.arg(resource_ids)::uuid[])::uuid AS resource_id) AS r
CROSS JOIN LATERAL (
    SELECT o.owner_id, o.number, o.busy_from, o.busy_until
    FROM claims o
    WHERE o.tenant_id = $1
      AND o.resource_id = r.resource_id
      AND o.busy_from >= sqlc.arg(begun_from)::timestamptz
      AND o.busy_from < sqlc.arg(busy_until)::timestamptz
      AND o.busy_until > sqlc.arg(busy_from)::timestamptz
      AND o.owner_id IS DISTINCT FROM sqlc.narg(except_booking)::uuid
      AND (o.expires_at IS NULL OR o.expires_at > clock_timestamp())
    ORDER BY o.busy_from
    LIMIT sqlc.arg(row_limit)::int
) AS s
CROSS JOIN LATERAL (
    SELECT sum(upper(u) - lower(u))::int AS taken
    FROM claims c
    CROSS JOIN LATERAL unnest(c.units) AS u
    WHERE c.tenant_id = $1
      AND c.session_id = s.owner_id
      AND c.owner_id IS DISTINCT FROM sqlc.narg(except_booking)::uuid
      AND (c.expires_at IS NULL OR c.expires_at > clock_timestamp())
) AS k
CROSS JOIN LATERAL (
    SELECT coalesce(array_agg(DISTINCT o.resource_id), '{}')::uuid[] AS resource_ids
    FROM claims o
    WHERE o.tenant_id = $1 AND o.owner_id = s.owner_id AND o.number > 1
) AS f
WHERE k.taken > 0 AND s.number = 1
ORDER BY s.owner_id;

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

-- name: BookingLock :exec
-- BookingLock keeps other transactions from changing a booking until this one ends. Its date lock and its balance lock don't
-- exclude each other, and each change takes the booking's next version.
SELECT b.booking_id
FROM bookings b
WHERE b.tenant_id = $1 AND b.booking_id = $2
FOR NO KEY UPDATE;

-- name: BookingGet :one
SELECT b.*, coalesce(c.email, '') AS email, coalesce(c.name, '') AS name, c.phone, c.time_zone AS customer_time_zone, c.birthday,
    m.paid, m.refunded, m.returning, m.lowered, m.lowered_fee, m.movements, clock_timestamp()::timestamptz AS read_at
FROM bookings b
LEFT JOIN customers c ON c.tenant_id = b.tenant_id AND c.customer_id = b.customer_id
JOIN LATERAL (
    SELECT coalesce(sum(p.amount) FILTER (WHERE p.kind <> 'refund' AND p.status = 'succeeded'), 0)::bigint AS paid,
        coalesce(sum(p.amount) FILTER (WHERE p.kind = 'refund' AND p.status = 'succeeded'), 0)::bigint AS refunded,
        coalesce(sum(p.amount) FILTER (WHERE p.kind = 'refund' AND p.status <> 'succeeded'), 0)::bigint AS returning,
        coalesce(sum(p.lowers_owed), 0)::bigint AS lowered,
        coalesce(sum(p.lowers_owed) FILTER (WHERE p.lowers_fee), 0)::bigint AS lowered_fee,
        count(*) FILTER (WHERE p.status = 'succeeded') AS movements
    FROM payments p
    WHERE p.tenant_id = b.tenant_id AND p.booking_id = b.booking_id AND p.status <> 'declined'
) AS m ON true
WHERE b.tenant_id = $1 AND b.booking_id = $2;

-- name: BookingStillOn :one
-- BookingStillOn tells whether a booking that begins before a date, and not before another one, ends on that date or later. Most tenants
-- have none. It has one good plan, and costs much less than planning BookingList.
SELECT EXISTS (
    SELECT 1
    FROM bookings b
    WHERE b.tenant_id = $1 AND b.date >= sqlc.arg(since)::date AND b.date < sqlc.arg(on_date)::date
        AND b.last_date >= sqlc.arg(on_date)::date
) AS found;

-- name: BookingList :many
-- BookingList takes the page before it looks up what belongs to its bookings. It must be planned for its values, with
-- SessionPlanForPages: which filters there are decides which index has the page. There is one lower bound: of two, the
-- index may be read from the one that lies further back. With still_on it lists only bookings that begin before that date and end on it or
-- later.
SELECT b.*, coalesce(c.email, '') AS email, coalesce(c.name, '') AS name, c.phone, c.time_zone AS customer_time_zone, c.birthday,
    m.paid, m.refunded, m.returning, m.lowered, m.lowered_fee, m.movements, clock_timestamp()::timestamptz AS read_at
FROM (
    SELECT o.*
    FROM bookings o
    WHERE o.tenant_id = $1
      AND o.date <= sqlc.arg(to_date)::date
      AND (o.date, o.booking_id) > (sqlc.arg(after_date)::date, sqlc.arg(after_id)::uuid)
      AND (sqlc.narg(still_on)::date IS NULL OR o.last_date >= sqlc.narg(still_on)::date)
      AND (sqlc.narg(status)::text IS NULL OR o.status = sqlc.narg(status))
      AND (sqlc.narg(service_id)::uuid IS NULL OR o.service_id = sqlc.narg(service_id))
      AND (sqlc.narg(resource_id)::uuid IS NULL OR o.resource_id = sqlc.narg(resource_id))
      AND (sqlc.narg(other_resource_id)::uuid IS NULL
           OR o.other_resource_ids IS NOT NULL AND sqlc.narg(other_resource_id) = ANY (o.other_resource_ids))
      AND (sqlc.narg(customer_id)::uuid IS NULL OR o.customer_id = sqlc.narg(customer_id))
      AND (sqlc.narg(email)::text IS NULL
           OR o.customer_id = (SELECT k.customer_id FROM customers k WHERE k.tenant_id = $1 AND k.email = sqlc.narg(email)))
      AND (sqlc.narg(reference)::text IS NULL OR o.reference = sqlc.narg(reference))
      AND (sqlc.narg(external_reference)::text IS NULL OR o.external_reference = sqlc.narg(external_reference))
    ORDER BY o.date, o.booking_id
    LIMIT sqlc.arg(row_limit)::int
) AS b
LEFT JOIN LATERAL (
    SELECT k.email, k.name, k.phone, k.time_zone, k.birthday
    FROM customers k
    WHERE k.tenant_id = b.tenant_id AND k.customer_id = b.customer_id
    OFFSET 0 -- a look-up for each row of the page: left to choose, the planner reads all of a small tenant's customers
) AS c ON true
JOIN LATERAL (
    SELECT coalesce(sum(p.amount) FILTER (WHERE p.kind <> 'refund' AND p.status = 'succeeded'), 0)::bigint AS paid,
        coalesce(sum(p.amount) FILTER (WHERE p.kind = 'refund' AND p.status = 'succeeded'), 0)::bigint AS refunded,
        coalesce(sum(p.amount) FILTER (WHERE p.kind = 'refund' AND p.status <> 'succeeded'), 0)::bigint AS returning,
        coalesce(sum(p.lowers_owed), 0)::bigint AS lowered,
        coalesce(sum(p.lowers_owed) FILTER (WHERE p.lowers_fee), 0)::bigint AS lowered_fee,
        count(*) FILTER (WHERE p.status = 'succeeded') AS movements
    FROM payments p
    WHERE p.tenant_id = b.tenant_id AND p.booking_id = b.booking_id AND p.status <> 'declined'
) AS m ON true
ORDER BY b.date, b.booking_id;
