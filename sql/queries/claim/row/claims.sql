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

-- name: ClaimListInTheWay :many
-- ClaimListInTheWay lists what ClaimList lists, a session once for each of its bookings. The longest that a claim can be bounds the scan of
-- the index: of a booking by any service of the resource, also by a former version of it and over a link that was removed, or of a block,
-- whose claims end with their date. It is subtracted where it is read: with row-level security, the index compares only with a value that
-- isn't computed beside it.
SELECT c.owner_id, c.resource_id, c.units, c.busy_from, c.busy_until, c.expires_at, k.owner_id AS in_session,
    k.expires_at AS in_session_until, (coalesce(b.nights, 0) > 0)::bool AS of_stay
FROM (
    SELECT unnest(sqlc.arg(resource_ids)::uuid[])::uuid AS resource_id,
        unnest(sqlc.arg(busy_from)::timestamptz[])::timestamptz AS busy_from,
        unnest(sqlc.arg(busy_until)::timestamptz[])::timestamptz AS busy_until
) AS r
CROSS JOIN LATERAL (
    SELECT (r.busy_from - make_interval(mins => greatest(max(s.longest_minutes), 26 * 60)::int))::timestamptz AS earliest
    FROM service_resources sr
    JOIN services s ON s.tenant_id = $1 AND s.service_id = sr.service_id
    WHERE sr.tenant_id = $1 AND sr.resource_id = r.resource_id
) AS l
CROSS JOIN LATERAL (
    SELECT o.owner_id, o.resource_id, o.units, o.busy_from, o.busy_until, o.expires_at
    FROM claims o
    WHERE o.tenant_id = $1
      AND o.resource_id = r.resource_id
      AND o.busy_from >= l.earliest
      AND o.busy_from < r.busy_until
      AND o.busy_until > r.busy_from
    OFFSET 0
) AS c
LEFT JOIN claims k ON k.tenant_id = $1 AND k.session_id = c.owner_id
LEFT JOIN bookings b ON b.tenant_id = $1 AND b.booking_id = c.owner_id;

-- name: ClaimListUpcomingOfResource :many
-- ClaimListUpcomingOfResource lists the claims of a resource after a time. begun_from is that time less the longest that a claim can be: it
-- bounds the scan of the index. In place of a session its seats are listed, and for a booking of all units as many as its party has, or the
-- resource if several take the party. What a session takes beside its resource is listed for each of its bookings, and its units for one. A
-- claim is over when its booking took place or nobody came.
SELECT k.owner_id, c.resource_id, CASE
    WHEN k.session_id = c.owner_id AND c.number > 1
    THEN CASE WHEN row_number() OVER (PARTITION BY c.owner_id, c.number ORDER BY k.expires_at DESC NULLS FIRST, k.owner_id) = 1 THEN c.units ELSE '{}' END
    WHEN k.units = sqlc.arg(all_units)::text::int4multirange
    THEN int4multirange(int4range(1, CASE WHEN b.other_resource_ids IS NULL THEN b.party_size ELSE least(b.party_size, r.capacity) END + 1))
    ELSE k.units END::int4multirange AS units, c.busy_from, c.busy_until, k.expires_at,
    (b.status IN ('completed', 'no_show'))::boolean AS over
FROM claims c
JOIN claims k ON k.tenant_id = $1 AND (k.owner_id = c.owner_id AND k.number = c.number OR k.session_id = c.owner_id)
JOIN bookings b ON b.tenant_id = $1 AND b.booking_id = k.owner_id
JOIN resources r ON r.tenant_id = $1 AND r.resource_id = c.resource_id
WHERE c.tenant_id = $1
  AND c.resource_id = sqlc.arg(resource_id)
  AND c.busy_from >= sqlc.arg(begun_from)::timestamptz
  AND c.busy_until > sqlc.arg(busy_after)::timestamptz;

-- name: ClaimListUpcomingOfService :many
-- ClaimListUpcomingOfService lists, for each of a service's bookings that need a resource after a time, one claim with all of the booking's
-- time. since is a date on which none of the bookings can begin any more: it bounds the scan of the index.
SELECT DISTINCT ON (c.owner_id) c.owner_id, c.resource_id, c.units, b.busy_from, b.busy_until, c.expires_at, (b.status IN ('completed', 'no_show'))::boolean AS over
FROM bookings b
JOIN claims c ON c.tenant_id = $1 AND c.owner_id = b.booking_id
WHERE b.tenant_id = $1
  AND b.service_id = sqlc.arg(service_id)
  AND b.date > sqlc.arg(since)::date
  AND b.busy_until > sqlc.arg(busy_after)::timestamptz
ORDER BY c.owner_id, c.number;
