-- name: ClaimListUpcomingOfResource :many
-- ClaimListUpcomingOfResource lists the claims of a resource after a time. begun_from is that time less the longest that a claim can be: it
-- bounds the scan of the index. A claim is over when its booking took place or nobody came.
SELECT c.owner_id, c.resource_id, c.units, c.busy_from, c.busy_until, c.expires_at,
    coalesce(b.status IN ('completed', 'no_show'), false)::boolean AS over
FROM claims c
LEFT JOIN bookings b ON b.tenant_id = $1 AND b.booking_id = c.owner_id
WHERE c.tenant_id = $1
  AND c.resource_id = sqlc.arg(resource_id)
  AND c.busy_from >= sqlc.arg(begun_from)::timestamptz
  AND c.busy_until > sqlc.arg(busy_after)::timestamptz;

-- name: ClaimListUpcomingOfService :many
-- ClaimListUpcomingOfService lists the claims of a service's bookings that occupy a resource after a time. since is a date on which none of
-- the bookings can begin any more: it bounds the scan of the index.
SELECT c.owner_id, c.resource_id, c.units, c.busy_from, c.busy_until, c.expires_at, (b.status IN ('completed', 'no_show'))::boolean AS over
FROM bookings b
JOIN claims c ON c.tenant_id = $1 AND c.owner_id = b.booking_id
WHERE b.tenant_id = $1
  AND b.service_id = sqlc.arg(service_id)
  AND b.date > sqlc.arg(since)::date
  AND b.busy_until > sqlc.arg(busy_after)::timestamptz;

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
-- ClosureListSince lists the closures that aren't archived and end on a date or later.
SELECT *
FROM closures
WHERE tenant_id = $1 AND to_date >= sqlc.arg(since)::date AND archived_at IS NULL;
