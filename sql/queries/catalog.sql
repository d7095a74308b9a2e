-- name: ResourceInsert :exec
INSERT INTO resources (tenant_id, resource_id, name, capacity, hours, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, sqlc.arg(now), sqlc.arg(now));

-- name: ResourceGet :one
SELECT tenant_id, resource_id, name, capacity, hours, created_at, updated_at
FROM resources
WHERE tenant_id = $1 AND resource_id = $2;

-- name: ResourceList :many
SELECT tenant_id, resource_id, name, capacity, hours, created_at, updated_at
FROM resources
WHERE tenant_id = $1 AND resource_id > sqlc.arg(after)::uuid
ORDER BY resource_id
LIMIT sqlc.arg(row_limit)::int;

-- name: ResourceSetHours :exec
UPDATE resources
SET hours = sqlc.arg(hours), updated_at = sqlc.arg(now)
WHERE tenant_id = $1 AND resource_id = $2;

-- name: ServiceInsert :exec
INSERT INTO services (tenant_id, service_id, name, kind, duration_minutes, slot_interval_minutes,
    buffer_before_minutes, buffer_after_minutes, min_lead_minutes, booking_window_days, max_per_day,
    price, deposit, metadata, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, sqlc.arg(now), sqlc.arg(now));

-- name: ServiceResourcesInsert :exec
INSERT INTO service_resources (tenant_id, service_id, resource_id, position)
SELECT $1, $2, r.resource_id, r.position
FROM unnest(sqlc.arg(resource_ids)::uuid[]) WITH ORDINALITY AS r (resource_id, position);

-- name: ServiceGet :one
SELECT s.service_id, s.name, s.kind, s.duration_minutes, s.slot_interval_minutes, s.buffer_before_minutes,
    s.buffer_after_minutes, s.min_lead_minutes, s.booking_window_days, s.max_per_day, s.price, s.deposit,
    s.metadata, s.created_at, s.updated_at, t.time_zone, t.currency, t.catalog_version,
    ARRAY(SELECT sr.resource_id FROM service_resources sr
          WHERE sr.tenant_id = s.tenant_id AND sr.service_id = s.service_id
          ORDER BY sr.position)::uuid[] AS resource_ids
FROM services s
JOIN tenants t ON t.tenant_id = s.tenant_id
WHERE s.tenant_id = $1 AND s.service_id = $2;

-- name: ServiceList :many
SELECT s.service_id, s.name, s.kind, s.duration_minutes, s.slot_interval_minutes, s.buffer_before_minutes,
    s.buffer_after_minutes, s.min_lead_minutes, s.booking_window_days, s.max_per_day, s.price, s.deposit,
    s.metadata, s.created_at, s.updated_at, t.time_zone, t.currency, t.catalog_version,
    ARRAY(SELECT sr.resource_id FROM service_resources sr
          WHERE sr.tenant_id = s.tenant_id AND sr.service_id = s.service_id
          ORDER BY sr.position)::uuid[] AS resource_ids
FROM services s
JOIN tenants t ON t.tenant_id = s.tenant_id
WHERE s.tenant_id = $1 AND s.service_id > sqlc.arg(after)::uuid
ORDER BY s.service_id
LIMIT sqlc.arg(row_limit)::int;

-- name: ServiceResourceList :many
SELECT r.tenant_id, r.resource_id, r.name, r.capacity, r.hours, r.created_at, r.updated_at
FROM service_resources sr
JOIN resources r ON r.tenant_id = sr.tenant_id AND r.resource_id = sr.resource_id
WHERE sr.tenant_id = $1 AND sr.service_id = $2
ORDER BY sr.position;

-- name: ServiceLongestMinutes :one
-- ServiceLongestMinutes tells the longest time that one booking can occupy any of a service's resources, by whichever
-- service. A date has at most 50 hours: 24, and the 26 between the offsets +14:00 and -12:00, for a move over the date line.
SELECT coalesce(max(CASE s.kind WHEN 'date' THEN 50 * 60 ELSE s.duration_minutes END
    + s.buffer_before_minutes + s.buffer_after_minutes), 0)::int AS minutes
FROM service_resources mine
JOIN service_resources sr ON sr.tenant_id = mine.tenant_id AND sr.resource_id = mine.resource_id
JOIN services s ON s.tenant_id = sr.tenant_id AND s.service_id = sr.service_id
WHERE mine.tenant_id = $1 AND mine.service_id = $2;

-- name: ServiceClosureList :many
-- ServiceClosureList lists the closures that touch a service's resources and end on a date or later.
SELECT c.tenant_id, c.closure_id, c.resource_id, c.from_date, c.to_date, c.reason, c.created_at
FROM closures c
WHERE c.tenant_id = $1
  AND c.to_date >= sqlc.arg(since)::date
  AND (c.resource_id IS NULL OR c.resource_id IN (
      SELECT sr.resource_id FROM service_resources sr
      WHERE sr.tenant_id = $1 AND sr.service_id = sqlc.arg(service_id)));

-- name: ClosureInsert :exec
INSERT INTO closures (tenant_id, closure_id, resource_id, from_date, to_date, reason, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7);

-- name: ClosureGet :one
SELECT tenant_id, closure_id, resource_id, from_date, to_date, reason, created_at
FROM closures
WHERE tenant_id = $1 AND closure_id = $2;

-- name: ClosureList :many
SELECT tenant_id, closure_id, resource_id, from_date, to_date, reason, created_at
FROM closures
WHERE tenant_id = $1 AND closure_id > sqlc.arg(after)::uuid
ORDER BY closure_id
LIMIT sqlc.arg(row_limit)::int;

-- name: ClosureDelete :exec
DELETE FROM closures
WHERE tenant_id = $1 AND closure_id = $2;
