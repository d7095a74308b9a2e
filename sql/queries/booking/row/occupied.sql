-- name: DatesClock :one
-- DatesClock reads the clock that every expiry is judged by, and the version of the rules. It runs after
-- the lock was granted, so that two servers whose clocks differ still agree on who was first.
SELECT clock_timestamp()::timestamptz AS now, t.catalog_version
FROM tenants t
WHERE t.tenant_id = $1;

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
