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

-- name: ResourceListByIDs :many
SELECT *
FROM resources
WHERE tenant_id = $1 AND resource_id = ANY (sqlc.arg(resource_ids)::uuid[]);

-- name: ServiceListStates :many
-- ServiceListStates reads what decides whether a booking fits its service.
SELECT s.service_id, s.kind, s.archived_at
FROM services s
WHERE s.tenant_id = $1 AND s.service_id = ANY (sqlc.arg(service_ids)::uuid[]);

-- name: ClosureListSince :many
-- ClosureListSince lists the closures that aren't archived and end on a date or later, or come back yearly.
SELECT *
FROM closures
WHERE tenant_id = $1 AND (to_date >= sqlc.arg(since)::date OR yearly) AND archived_at IS NULL;
