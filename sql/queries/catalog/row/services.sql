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

-- name: ServiceListStates :many
-- ServiceListStates reads what decides whether a booking fits its service.
SELECT s.service_id, s.kind, (s.spec -> 'start_times')::json AS start_times, s.archived_at
FROM services s
WHERE s.tenant_id = $1 AND s.service_id = ANY (sqlc.arg(service_ids)::uuid[]);
