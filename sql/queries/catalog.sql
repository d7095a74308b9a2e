-- name: ResourceInsert :exec
INSERT INTO resources (tenant_id, resource_id, name, capacity, position, hours, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, sqlc.arg(now), sqlc.arg(now));

-- name: ResourceGet :one
SELECT *
FROM resources
WHERE tenant_id = $1 AND resource_id = $2;

-- name: ResourceLock :exec
-- ResourceLock keeps other transactions from changing a resource until this one ends.
SELECT r.resource_id
FROM resources r
WHERE r.tenant_id = $1 AND r.resource_id = $2
FOR NO KEY UPDATE;

-- name: ResourceList :many
SELECT *
FROM resources
WHERE tenant_id = $1 AND resource_id > sqlc.arg(after)::uuid AND (archived_at IS NOT NULL) = sqlc.arg(archived)::bool
ORDER BY resource_id
LIMIT sqlc.arg(row_limit)::int;

-- name: ResourceListByPosition :many
SELECT *
FROM resources
WHERE tenant_id = $1
  AND (position, resource_id) > (sqlc.arg(after_position)::int, sqlc.arg(after)::uuid)
  AND (archived_at IS NOT NULL) = sqlc.arg(archived)::bool
ORDER BY position, resource_id
LIMIT sqlc.arg(row_limit)::int;

-- name: ResourceUpdate :exec
UPDATE resources
SET name = sqlc.arg(name), capacity = sqlc.arg(capacity), position = sqlc.arg(position), hours = sqlc.arg(hours),
    archived_at = sqlc.narg(archived_at), version = version + 1, updated_at = sqlc.arg(now)
WHERE tenant_id = $1 AND resource_id = $2;

-- name: TenantHoursGet :one
SELECT hours, settings_version
FROM tenants
WHERE tenant_id = $1;

-- name: TenantHoursSet :exec
-- TenantHoursSet raises the versions that a change of the settings raises.
UPDATE tenants
SET hours = sqlc.arg(hours), settings_version = settings_version + 1, catalog_version = catalog_version + 1
WHERE tenant_id = $1;

-- name: ServiceInsert :exec
INSERT INTO services (tenant_id, service_id, spec, longest_minutes, created_at, updated_at)
VALUES ($1, $2, sqlc.arg(spec), sqlc.arg(longest_minutes), sqlc.arg(now), sqlc.arg(now));

-- name: ServiceResourcesPut :exec
-- ServiceResourcesPut makes the links of a service, or gives those that exist their new position.
INSERT INTO service_resources (tenant_id, service_id, resource_id, position)
SELECT $1, $2, r.resource_id, r.position
FROM unnest(sqlc.arg(resource_ids)::uuid[]) WITH ORDINALITY AS r (resource_id, position)
ON CONFLICT (tenant_id, service_id, resource_id) DO UPDATE SET position = excluded.position, removed_at = NULL;

-- name: ServiceResourcesRemove :exec
-- ServiceResourcesRemove marks a service's links to all other resources as removed. Bookings reference them, so they stay.
UPDATE service_resources
SET removed_at = sqlc.arg(now)::timestamptz
WHERE tenant_id = $1 AND service_id = $2 AND removed_at IS NULL AND resource_id <> ALL (sqlc.arg(resource_ids)::uuid[]);

-- name: ServiceLock :exec
-- ServiceLock keeps other transactions from changing a service until this one ends.
SELECT s.service_id
FROM services s
WHERE s.tenant_id = $1 AND s.service_id = $2
FOR NO KEY UPDATE;

-- name: ServiceUpdate :exec
-- ServiceUpdate keeps how long bookings by the former values can be: see services.longest_minutes.
UPDATE services
SET spec = sqlc.arg(spec), archived_at = sqlc.narg(archived_at), version = version + 1, updated_at = sqlc.arg(now),
    longest_minutes = greatest(longest_minutes, sqlc.arg(longest_minutes))
WHERE tenant_id = $1 AND service_id = $2;

-- name: ServiceGet :one
SELECT s.*, t.currency, t.catalog_version, t.settings,
    ARRAY(SELECT sr.resource_id FROM service_resources sr
          WHERE sr.tenant_id = s.tenant_id AND sr.service_id = s.service_id AND sr.removed_at IS NULL
          ORDER BY sr.position)::uuid[] AS resource_ids
FROM services s
JOIN tenants t ON t.tenant_id = s.tenant_id
WHERE s.tenant_id = $1 AND s.service_id = $2;

-- name: ServiceList :many
SELECT s.*, t.currency, t.catalog_version, t.settings,
    ARRAY(SELECT sr.resource_id FROM service_resources sr
          WHERE sr.tenant_id = s.tenant_id AND sr.service_id = s.service_id AND sr.removed_at IS NULL
          ORDER BY sr.position)::uuid[] AS resource_ids
FROM services s
JOIN tenants t ON t.tenant_id = s.tenant_id
WHERE s.tenant_id = $1 AND s.service_id > sqlc.arg(after)::uuid AND (s.archived_at IS NOT NULL) = sqlc.arg(archived)::bool
ORDER BY s.service_id
LIMIT sqlc.arg(row_limit)::int;

-- name: ServiceListOfResource :many
-- ServiceListOfResource lists the services that a resource can serve and that aren't archived, from an id on.
SELECT s.service_id
FROM service_resources sr
JOIN services s ON s.tenant_id = sr.tenant_id AND s.service_id = sr.service_id
WHERE sr.tenant_id = $1 AND sr.resource_id = $2 AND sr.removed_at IS NULL AND s.archived_at IS NULL
  AND sr.service_id >= sqlc.arg(from_service_id)::uuid
ORDER BY s.service_id
LIMIT sqlc.arg(row_limit)::int;

-- name: ServiceResourceList :many
SELECT r.*
FROM service_resources sr
JOIN resources r ON r.tenant_id = sr.tenant_id AND r.resource_id = sr.resource_id
WHERE sr.tenant_id = $1 AND sr.service_id = $2 AND sr.removed_at IS NULL
ORDER BY sr.position;

-- name: ServiceContextGet :one
-- ServiceContextGet tells what a service's rules depend on besides its resources and closures: the tenant's hours; and the longest time
-- that one claim can occupy any of the resources: of a booking, by whichever service, also by a former version of it and over a link that
-- was removed since; or of a block that ends on a date or later.
SELECT (SELECT t.hours FROM tenants t WHERE t.tenant_id = $1)::jsonb AS tenant_hours, greatest(coalesce(max(s.longest_minutes), 0), (
    SELECT coalesce(max(b.longest_minutes), 0)
    FROM blocks b
    WHERE b.tenant_id = $1 AND b.last_date >= sqlc.arg(since)::date AND b.archived_at IS NULL
      AND b.resource_id IN (
          SELECT sr.resource_id FROM service_resources sr
          WHERE sr.tenant_id = $1 AND sr.service_id = $2)))::int AS longest_minutes
FROM service_resources mine
JOIN service_resources sr ON sr.tenant_id = mine.tenant_id AND sr.resource_id = mine.resource_id
JOIN services s ON s.tenant_id = sr.tenant_id AND s.service_id = sr.service_id
WHERE mine.tenant_id = $1 AND mine.service_id = $2;

-- name: ServiceClosureList :many
-- ServiceClosureList lists the closures that aren't archived, touch a service's resources and end on a date or later, or come back yearly.
SELECT c.*
FROM closures c
WHERE c.tenant_id = $1
  AND (c.to_date >= sqlc.arg(since)::date OR c.yearly) AND c.archived_at IS NULL
  AND (c.resource_id IS NULL OR c.resource_id IN (
      SELECT sr.resource_id FROM service_resources sr
      WHERE sr.tenant_id = $1 AND sr.service_id = sqlc.arg(service_id)));

-- name: ClosureInsert :exec
INSERT INTO closures (tenant_id, closure_id, resource_id, from_date, to_date, starts_minute, ends_minute, yearly, reason, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10);

-- name: ClosureGet :one
SELECT *
FROM closures
WHERE tenant_id = $1 AND closure_id = $2;

-- name: ClosureList :many
SELECT *
FROM closures
WHERE tenant_id = $1 AND closure_id > sqlc.arg(after)::uuid AND (archived_at IS NOT NULL) = sqlc.arg(archived)::bool
ORDER BY closure_id
LIMIT sqlc.arg(row_limit)::int;

-- name: ClosureUpdate :exec
UPDATE closures
SET resource_id = sqlc.narg(resource_id), from_date = sqlc.arg(from_date), to_date = sqlc.arg(to_date), reason = sqlc.arg(reason),
    starts_minute = sqlc.narg(starts_minute), ends_minute = sqlc.narg(ends_minute), yearly = sqlc.arg(yearly),
    archived_at = sqlc.narg(archived_at), version = version + 1, updated_at = sqlc.arg(now)::timestamptz
WHERE tenant_id = $1 AND closure_id = $2;
