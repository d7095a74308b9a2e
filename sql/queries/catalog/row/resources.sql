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

-- name: ResourceListByIDs :many
SELECT *
FROM resources
WHERE tenant_id = $1 AND resource_id = ANY (sqlc.arg(resource_ids)::uuid[]);
