-- name: BookingListUpcomingOfService :many
-- BookingListUpcomingOfService lists the bookings of a service that occupy a resource after a time. since is a date on which none of
-- them can begin any more: it bounds the scan of the index.
SELECT b.booking_id, b.resource_id, b.units, b.busy_from, b.busy_until, b.status, b.hold_expires_at
FROM bookings b
WHERE b.tenant_id = $1
  AND b.service_id = sqlc.arg(service_id)
  AND b.date > sqlc.arg(since)::date
  AND b.busy_until > sqlc.arg(busy_after)::timestamptz
  AND b.status NOT IN ('cancelled', 'expired');

-- name: ResourceListByIDs :many
SELECT tenant_id, resource_id, name, capacity, hours, created_at, updated_at, version, position, archived_at
FROM resources
WHERE tenant_id = $1 AND resource_id = ANY (sqlc.arg(resource_ids)::uuid[]);

-- name: ServiceListStates :many
-- ServiceListStates reads what decides whether a booking fits its service.
SELECT s.service_id, s.kind, s.archived_at
FROM services s
WHERE s.tenant_id = $1 AND s.service_id = ANY (sqlc.arg(service_ids)::uuid[]);

-- name: ClosureListSince :many
-- ClosureListSince lists the closures that aren't archived and end on a date or later.
SELECT tenant_id, closure_id, resource_id, from_date, to_date, reason, created_at, version, updated_at, archived_at
FROM closures
WHERE tenant_id = $1 AND to_date >= sqlc.arg(since)::date AND archived_at IS NULL;
